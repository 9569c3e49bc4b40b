//===- RankTables.cpp - Tables that the linker joins ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankTables.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace comm;

Value *comm::getRankThreadLocal(IRBuilderBase &builder, StringRef name, Type *type) {
  Module &module = *builder.GetInsertBlock()->getModule();
  GlobalVariable *variable = module.getNamedGlobal(name);
  if (!variable)
    variable = new GlobalVariable(module, type, /*isConstant=*/false, GlobalValue::ExternalLinkage, nullptr, name,
                                  nullptr, GlobalValue::InitialExecTLSModel);
  return builder.CreateThreadLocalAddress(variable);
}

void RankTables::add(StringRef section, ArrayRef<Constant *> fields, Comdat *comdat) {
  Constant *value = ConstantStruct::getAnon(module.getContext(), fields);
  // Not constant, so that all files use the same section flags, with or without relocations.
  auto *entry = new GlobalVariable(module, value->getType(), /*isConstant=*/false, GlobalValue::PrivateLinkage, value,
                                   "comm.entry");
  entry->setSection(section);
  entry->setAlignment(Align(8));
  entry->setComdat(comdat);
  entries.push_back(entry);
}

/// Returns the storage of this file's definition, even if the linker resolves the name to another library's.
Constant *RankTables::getOwnAddress(GlobalVariable &variable) {
  if (variable.hasLocalLinkage())
    return &variable;
  std::string name = ("comm.own." + variable.getName()).str();
  if (GlobalAlias *alias = module.getNamedAlias(name))
    return alias;
  return GlobalAlias::create(variable.getValueType(), variable.getAddressSpace(), GlobalValue::PrivateLinkage, name,
                             &variable, &module);
}

void RankTables::addFixup(GlobalVariable &variable, uint64_t offset, GlobalValue *target) {
  LLVMContext &context = module.getContext();
  Constant *where = ConstantExpr::getGetElementPtr(Type::getInt8Ty(context), getOwnAddress(variable),
                                                   ConstantInt::get(Type::getInt64Ty(context), offset));
  if (target)
    add("comm_rank_optional_fixups", {where, target}, variable.getComdat());
  else
    add("comm_rank_fixups", {where}, variable.getComdat());
}

Value *RankTables::loadMask(IRBuilderBase &builder, GlobalValue &value, bool hasToBe) {
  StringRef plainName = value.getName();
  plainName.consume_front("\1");
  std::string name = ("comm.mask." + plainName).str();
  Type *word = builder.getInt64Ty();
  GlobalVariable *entry = module.getNamedGlobal(name);
  if (!entry) {
    Constant *shown = ConstantPointerNull::get(builder.getPtrTy());
    if (hasToBe) {
      Constant *text = ConstantDataArray::getString(module.getContext(), demangle(plainName));
      shown = new GlobalVariable(module, text->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage, text,
                                 "comm.text");
    }
    Constant *initial = ConstantStruct::getAnon(module.getContext(), {&value, ConstantInt::get(word, 0), shown});
    // One per program or library. Not `used`: it disappears with the last code that reads it.
    entry = new GlobalVariable(module, initial->getType(), /*isConstant=*/false, GlobalValue::LinkOnceAnyLinkage,
                               initial, name);
    entry->setVisibility(GlobalValue::HiddenVisibility);
    entry->setSection("comm_rank_foreign");
    entry->setAlignment(Align(8));
    entry->setComdat(module.getOrInsertComdat(name));
  }
  Value *place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), entry, 8);
  LoadInst *mask = builder.CreateAlignedLoad(word, place, Align(8), "comm.mask");
  // The runtime sets the mask before code of this program or library runs in a rank.
  mask->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(module.getContext(), {}));
  return mask;
}

void RankTables::addConstructor(Constant *function, uint32_t priority, Comdat *comdat) {
  add("comm_rank_constructors", {function, ConstantInt::get(Type::getInt32Ty(module.getContext()), priority)}, comdat);
}

/// Whether the constructor is for ranks; those that tools insert are for the process.
static bool isForRanks(const Constant *function) {
  const auto *known = dyn_cast<Function>(function->stripPointerCasts());
  if (!known)
    return false;
  for (StringRef prefix : {"__llvm_", "asan.", "tsan.", "msan.", "hwasan.", "sancov.", "__sanitizer", "comm."})
    if (known->getName().starts_with(prefix))
      return false;
  return true;
}

/// Creates void () that registers a destructor: destructors registered before all constructors run after those that the
/// constructors register.
Function *RankTables::makeRegistration(Constant *destructor) {
  LLVMContext &context = module.getContext();
  auto *function = Function::Create(FunctionType::get(Type::getVoidTy(context), false), GlobalValue::InternalLinkage,
                                    "comm.register", module);
  IRBuilder<> builder(BasicBlock::Create(context, "", function));
  FunctionCallee atExit = module.getOrInsertFunction("comm_ranks_atexit", builder.getInt32Ty(), builder.getPtrTy());
  builder.CreateCall(atExit, {destructor});
  builder.CreateRetVoid();
  return function;
}

/// Makes the process construct the C++ library's streams, which all ranks share, and keep them until it ends. If the
/// first rank that uses them did, others would not wait for it. The ranks' own calls then only count.
void RankTables::constructStreams() {
  Function *construct = module.getFunction("_ZNSt8ios_base4InitC1Ev");
  if (!construct || construct->use_empty())
    return;
  LLVMContext &context = module.getContext();
  auto *object = new GlobalVariable(
      module, ArrayType::get(Type::getInt8Ty(context), 16), /*isConstant=*/false, GlobalValue::InternalLinkage,
      ConstantAggregateZero::get(ArrayType::get(Type::getInt8Ty(context), 16)), "comm.streams");
  auto *function = Function::Create(FunctionType::get(Type::getVoidTy(context), false), GlobalValue::InternalLinkage,
                                    "comm.construct_streams", module);
  IRBuilder<> builder(BasicBlock::Create(context, "", function));
  FunctionCallee destroy =
      module.getOrInsertFunction("_ZNSt8ios_base4InitD1Ev", builder.getVoidTy(), builder.getPtrTy());
  FunctionCallee atExit = module.getOrInsertFunction("__cxa_atexit", builder.getInt32Ty(), builder.getPtrTy(),
                                                     builder.getPtrTy(), builder.getPtrTy());
  Constant *dso = module.getOrInsertGlobal("__dso_handle", builder.getInt8Ty());
  cast<GlobalValue>(dso)->setVisibility(GlobalValue::HiddenVisibility);
  builder.CreateCall(construct, {object});
  builder.CreateCall(atExit, {destroy.getCallee(), object, dso});
  builder.CreateRetVoid();
  appendToGlobalCtors(module, function, 101);
}

/// Removes the entries of llvm.global_ctors or llvm.global_dtors that `take` accepts.
static void filterTable(Module &module, StringRef name, function_ref<bool(uint32_t, Constant *, Constant *)> take) {
  GlobalVariable *table = module.getNamedGlobal(name);
  if (!table || !table->hasInitializer() || !isa<ConstantArray>(table->getInitializer()))
    return;
  SmallVector<Constant *> kept;
  auto *array = cast<ConstantArray>(table->getInitializer());
  for (const Use &operand : array->operands()) {
    auto *entry = dyn_cast<ConstantStruct>(operand);
    bool taken = entry && isForRanks(entry->getOperand(1)) &&
                 take(cast<ConstantInt>(entry->getOperand(0))->getZExtValue(), entry->getOperand(1),
                      entry->getOperand(2)->stripPointerCasts());
    if (!taken)
      kept.push_back(cast<Constant>(operand));
  }
  if (kept.size() == array->getNumOperands())
    return;
  Type *type = array->getType()->getElementType();
  table->eraseFromParent();
  if (!kept.empty())
    new GlobalVariable(module, ArrayType::get(type, kept.size()), /*isConstant=*/false, GlobalValue::AppendingLinkage,
                       ConstantArray::get(ArrayType::get(type, kept.size()), kept), name);
}

void RankTables::moveConstructors() {
  filterTable(module, "llvm.global_ctors", [&](uint32_t priority, Constant *function, Constant *object) {
    auto *variable = dyn_cast<GlobalObject>(object);
    addConstructor(function, priority, variable ? variable->getComdat() : nullptr);
    return true;
  });
  filterTable(module, "llvm.global_dtors", [&](uint32_t priority, Constant *function, Constant *object) {
    // Constructors of programs have priorities from 101 on; below, destructors keep their relative order.
    auto *variable = dyn_cast<GlobalObject>(object);
    addConstructor(makeRegistration(function), priority * 100 / 65536, variable ? variable->getComdat() : nullptr);
    return true;
  });
  constructStreams();
}

bool RankTables::finish() {
  appendToUsed(module, entries);
  // commcc looks for this mark: objects without it were built without -fcomm-ranks. It refers to a symbol of the start
  // file of programs and libraries, without which ranks would have no copies.
  LLVMContext &context = module.getContext();
  Constant *image = module.getOrInsertGlobal("comm_ranks_linked_image", Type::getInt8Ty(context));
  cast<GlobalValue>(image)->setVisibility(GlobalValue::HiddenVisibility);
  Type *word = Type::getInt64Ty(context), *half = Type::getInt32Ty(context);
  auto *mark =
      new GlobalVariable(module, half, /*isConstant=*/true, GlobalValue::PrivateLinkage, nullptr, "comm.built");
  Constant *distance =
      ConstantExpr::getSub(ConstantExpr::getPtrToInt(image, word), ConstantExpr::getPtrToInt(mark, word));
  mark->setInitializer(ConstantExpr::getTrunc(distance, half));
  mark->setSection(".comm_ranks.built");
  appendToUsed(module, {mark});
  return true;
}
