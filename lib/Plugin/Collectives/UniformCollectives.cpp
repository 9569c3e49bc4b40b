//===- UniformCollectives.cpp - Collectives that match each other ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Collectives/UniformCollectives.h"

#include "Comm/MPI/ABI.h"
#include "Comm/MPI/Standard.h"
#include "Comm/MPI/Sums.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace comm;

/// A blocking function in which all processes of a communicator take part, and that has a nonblocking form.
static bool isBlockingCollective(const mpi::Function &function) {
  return function.hasNonblocking() && function.findRole(mpi::Role::Comm, mpi::Direction::In) >= 0 &&
         function.findParam("dest") < 0 && function.findParam("source") < 0;
}

/// MPI_STATUS_IGNORE, and how a handle is passed: by the type of the communicator, which alone tells implementations
/// with integer handles (MPICH's ABI) from those with pointers, for which the constant is null.
static Constant *getStatusIgnore(Module &module, Type *handle) {
  auto *pointer = PointerType::getUnqual(module.getContext());
  if (handle->isPointerTy())
    return ConstantPointerNull::get(pointer);
  int64_t value = mpi::ABI::lookup("mpich")->getConstant("MPI_STATUS_IGNORE").value_or(0);
  auto *number = ConstantInt::get(Type::getInt64Ty(module.getContext()), value);
  return ConstantExpr::getIntToPtr(number, pointer);
}

static bool isReduction(const mpi::Function &function) {
  return function.findParam("op") >= 0 && function.findParam("datatype") >= 0;
}

/// The function that createSumStart() made for that reduction, of one or another part of the module.
static bool isSumStart(const Function &function, const mpi::Function &blocking) {
  return function.hasLocalLinkage() && function.getName().starts_with(mpi::getSumStartName(blocking.name));
}

/// MPI's name of a constant handle; "" if it is no constant.
static StringRef getHandleName(const Value *handle, mpi::HandleClass handleClass) {
  for (const mpi::ABI &abi : mpi::ABI::all()) {
    StringRef name;
    if (auto *variable = dyn_cast<GlobalVariable>(handle))
      name = abi.nameOfSymbol(variable->getName(), handleClass);
    else if (auto *number = dyn_cast<ConstantInt>(handle))
      name = abi.handlesArePointers(handleClass) ? "" : abi.nameOfValue(number->getSExtValue(), handleClass);
    else if (auto *cast = dyn_cast<ConstantExpr>(handle); cast && cast->getOpcode() == Instruction::IntToPtr)
      if (auto *bits = dyn_cast<ConstantInt>(cast->getOperand(0)); bits && abi.handlesArePointers(handleClass))
        name = abi.nameOfValue(bits->getSExtValue(), handleClass);
    if (!name.empty())
      return name;
  }
  return "";
}

/// Whether the nonblocking form may stand for the blocking one; else only the program itself uses it.
static bool mayStandFor(const Function &start, const mpi::Function &blocking) {
  unsigned communicator = blocking.findRole(mpi::Role::Comm, mpi::Direction::In);
  bool isPointer = communicator < start.arg_size() && start.getArg(communicator)->getType()->isPointerTy();
  return all_of(mpi::ABI::all(), [&](const mpi::ABI &abi) {
    return abi.handlesArePointers() != isPointer || abi.nonblockingAgrees(blocking.name);
  });
}

/// Tells all files of the program that this one has nonblocking forms of collectives. Sums and products of
/// floating-point numbers are those of createSumStart() or, if they need not keep their digits, all there are; where
/// they do, others are the program's own, which no blocking one matches.
static bool defineMarkers(Module &module, mpi::SumOrder sums) {
  Type *byte = Type::getInt8Ty(module.getContext());
  bool changed = false;
  auto define = [&](StringRef blocking, mpi::Marker marker) {
    std::string name = mpi::getMarkerName(blocking, marker);
    GlobalValue *declared = module.getNamedValue(name);
    if (declared && !declared->isDeclaration())
      return;
    auto *defined =
        new GlobalVariable(module, byte, /*isConstant=*/true, GlobalValue::WeakODRLinkage, ConstantInt::get(byte, 1));
    if (declared) {
      defined->takeName(declared);
      declared->replaceAllUsesWith(defined);
      declared->eraseFromParent();
    } else {
      defined->setName(name);
    }
    changed = true;
  };
  for (Function &function : module) {
    const mpi::Function *start = function.use_empty() ? nullptr : mpi::lookupFunction(function.getName());
    const mpi::Function *blocking = start ? mpi::lookupFunction(start->blocking) : nullptr;
    if (!blocking || !isBlockingCollective(*blocking) || !mayStandFor(function, *blocking))
      continue;
    for (const Use &use : function.uses()) {
      auto *call = dyn_cast<CallBase>(use.getUser());
      if (!isReduction(*blocking)) {
        define(blocking->name, mpi::Marker::All);
        break;
      }
      StringRef op, datatype;
      if (call && call->isCallee(&use) && call->arg_size() > blocking->numParams - 1) {
        if (isSumStart(*call->getFunction(), *blocking)) {
          define(blocking->name, mpi::Marker::OrderedSums);
          continue;
        }
        op = getHandleName(call->getArgOperand(blocking->findParam("op")), mpi::HandleClass::Op);
        datatype = getHandleName(call->getArgOperand(blocking->findParam("datatype")), mpi::HandleClass::Datatype);
      }
      if (!mpi::mayRound(op, datatype) || op.empty() || datatype.empty())
        define(blocking->name, mpi::Marker::All);
      if (mpi::mayRound(op, datatype) && sums == mpi::SumOrder::Any)
        define(blocking->name, mpi::Marker::AllSums);
    }
  }
  return changed;
}

static Constant *getMarker(Module &module, const mpi::Function &blocking, mpi::Marker kind) {
  std::string name = mpi::getMarkerName(blocking.name, kind);
  if (GlobalValue *marker = module.getNamedValue(name))
    return marker;
  return new GlobalVariable(module, Type::getInt8Ty(module.getContext()), /*isConstant=*/true,
                            GlobalValue::ExternalWeakLinkage, nullptr, name);
}

/// A predefined handle as that implementation spells it; null if its handles are of another type. Symbols are weak: an
/// implementation need not have all datatypes, and is not the one that the program is linked with.
static Constant *getHandle(Module &module, const mpi::ABI &abi, StringRef name, Type *type) {
  std::optional<mpi::HandleSpelling> spelling = abi.getHandle(name);
  if (!spelling || (spelling->kind == mpi::HandleSpelling::Integer) != type->isIntegerTy())
    return nullptr;
  if (spelling->kind == mpi::HandleSpelling::Integer)
    return ConstantInt::getSigned(type, spelling->value);
  if (spelling->kind == mpi::HandleSpelling::Pointer)
    return ConstantExpr::getIntToPtr(ConstantInt::get(Type::getInt64Ty(module.getContext()), spelling->value), type);
  if (spelling->kind != mpi::HandleSpelling::Symbol)
    return nullptr;
  if (GlobalValue *known = module.getNamedValue(spelling->symbol))
    return known;
  return new GlobalVariable(module, Type::getInt8Ty(module.getContext()), /*isConstant=*/false,
                            GlobalValue::ExternalWeakLinkage, nullptr, spelling->symbol);
}

/// Whether the handle is one of those, whatever the implementation: symbols of one are no addresses of another's.
static Value *isOneOf(IRBuilder<> &builder, Module &module, Value *handle, ArrayRef<StringRef> names) {
  SmallVector<Value *> tests;
  SmallPtrSet<Constant *, 16> seen;
  for (const mpi::ABI &abi : mpi::ABI::all())
    for (StringRef name : names)
      if (Constant *known = getHandle(module, abi, name, handle->getType()); known && seen.insert(known).second)
        tests.push_back(builder.CreateICmpEQ(handle, known));
  return builder.CreateOr(tests);
}

namespace {
/// int NAME(args...) {
///   if (!nonblocking) return MPI_Xyz(args...);
///   MPI_Request r; int error = MPI_Ixyz(args..., &r); return error ? error : MPI_Wait(&r, MPI_STATUS_IGNORE); }
/// where `nonblocking` is what the linker and, of a sum or product of floating-point numbers, the communicator say.
class WrapperBuilder {
public:
  WrapperBuilder(Function &wrapper, Function &blocking, const mpi::Function &function)
      : wrapper(wrapper), blocking(blocking), function(function), module(*wrapper.getParent()), builder(makeBlock()) {}

  void build();

private:
  /// In the entry block: wrappers are inlined into loops.
  AllocaInst *createSlot(Type *type) {
    BasicBlock &entry = wrapper.getEntryBlock();
    return IRBuilder<>(&entry, entry.begin()).CreateAlloca(type);
  }
  BasicBlock *makeBlock() { return BasicBlock::Create(wrapper.getContext(), "", &wrapper); }
  Value *isDefined(mpi::Marker marker) { return builder.CreateIsNotNull(getMarker(module, function, marker)); }
  /// Goes on in a new block if the condition holds, and elsewhere if not.
  void continueIf(Value *condition, BasicBlock *otherwise);
  Value *isRounding();
  Value *isOrdered();
  Value *ask(StringRef name);
  void buildNonblocking();

  Function &wrapper, &blocking;
  const mpi::Function &function;
  Module &module;
  IRBuilder<> builder;
};
} // namespace

void WrapperBuilder::continueIf(Value *condition, BasicBlock *otherwise) {
  BasicBlock *next = makeBlock();
  builder.CreateCondBr(condition, next, otherwise);
  builder.SetInsertPoint(next);
}

Value *WrapperBuilder::isRounding() {
  Value *op = wrapper.getArg(function.findParam("op")), *datatype = wrapper.getArg(function.findParam("datatype"));
  return builder.CreateAnd(isOneOf(builder, module, op, mpi::getRoundingOps()),
                           isOneOf(builder, module, datatype, mpi::getFloatingDatatypes()));
}

/// The integer that a local function of the communicator gives.
Value *WrapperBuilder::ask(StringRef name) {
  Value *communicator = wrapper.getArg(function.findRole(mpi::Role::Comm, mpi::Direction::In));
  Type *number = builder.getInt32Ty();
  AllocaInst *slot = createSlot(number);
  builder.CreateStore(ConstantInt::get(number, 0), slot);
  FunctionCallee callee = module.getOrInsertFunction(name, number, communicator->getType(), slot->getType());
  builder.CreateCall(callee, {communicator, slot});
  return builder.CreateLoad(number, slot);
}

/// As createSumStart() has it: a power of two of processes, in one group, and few of them or of elements.
Value *WrapperBuilder::isOrdered() {
  Value *between = ask("MPI_Comm_test_inter"), *size = ask("MPI_Comm_size");
  Value *common = builder.CreateAnd(size, builder.CreateSub(size, builder.getInt32(1)));
  Value *count = wrapper.getArg(function.findParam("count"));
  Value *isSmall =
      builder.CreateOr(builder.CreateICmpSLE(size, builder.getInt32(mpi::kMostOrderedProcesses)),
                       builder.CreateICmpSLE(count, ConstantInt::get(count->getType(), mpi::kMostOrderedElements)));
  return builder.CreateAnd(builder.CreateIsNull(builder.CreateOr(between, common)), isSmall);
}

void WrapperBuilder::buildNonblocking() {
  FunctionType *type = blocking.getFunctionType();
  auto *pointer = PointerType::getUnqual(wrapper.getContext());
  SmallVector<Type *> startTypes(type->params());
  startTypes.push_back(pointer);
  FunctionCallee start =
      module.getOrInsertFunction(function.nonblocking, FunctionType::get(type->getReturnType(), startTypes, false));
  FunctionCallee wait =
      module.getOrInsertFunction("MPI_Wait", FunctionType::get(type->getReturnType(), {pointer, pointer}, false));
  // Every implementation's MPI_Request is at most a pointer.
  AllocaInst *request = createSlot(builder.getInt64Ty());
  SmallVector<Value *> arguments;
  for (Argument &argument : wrapper.args())
    arguments.push_back(&argument);
  arguments.push_back(request);
  Value *error = builder.CreateCall(start, arguments);
  BasicBlock *failed = makeBlock();
  continueIf(builder.CreateIsNull(error), failed);
  Type *handle = type->getParamType(function.findRole(mpi::Role::Comm, mpi::Direction::In));
  builder.CreateRet(builder.CreateCall(wait, {request, getStatusIgnore(module, handle)}));
  builder.SetInsertPoint(failed);
  builder.CreateRet(error);
}

void WrapperBuilder::build() {
  BasicBlock *plain = makeBlock(), *nonblocking = makeBlock();
  if (isReduction(function)) {
    BasicBlock *exact = makeBlock(), *ordered = makeBlock();
    continueIf(isRounding(), exact);
    builder.CreateCondBr(isDefined(mpi::Marker::AllSums), nonblocking, ordered);
    builder.SetInsertPoint(ordered);
    if (function.findParam("count") >= 0) {
      continueIf(isDefined(mpi::Marker::OrderedSums), plain);
      builder.CreateCondBr(isOrdered(), nonblocking, plain);
    } else {
      builder.CreateBr(plain);
    }
    builder.SetInsertPoint(exact);
  }
  builder.CreateCondBr(isDefined(mpi::Marker::All), nonblocking, plain);
  builder.SetInsertPoint(nonblocking);
  buildNonblocking();
  builder.SetInsertPoint(plain);
  SmallVector<Value *> arguments;
  for (Argument &argument : wrapper.args())
    arguments.push_back(&argument);
  builder.CreateRet(builder.CreateCall(&blocking, arguments));
}

bool comm::makeCollectivesUniform(Module &module, mpi::SumOrder sums) {
  bool isMarked = defineMarkers(module, sums);
  SmallVector<std::pair<Function *, const mpi::Function *>> collectives;
  for (Function &function : module)
    if (function.isDeclaration() && !function.use_empty())
      if (const mpi::Function *known = mpi::lookupFunction(function.getName()))
        // A declaration that is not the standard's (or Fortran's, or K&R's) is not ours to change.
        if (isBlockingCollective(*known) && !function.isVarArg() && function.arg_size() == known->numParams &&
            function.getReturnType()->isIntegerTy(32))
          collectives.emplace_back(&function, known);
  for (auto [function, known] : collectives) {
    auto *wrapper = Function::Create(function->getFunctionType(), GlobalValue::InternalLinkage,
                                     Twine("comm.") + known->name, module);
    wrapper->copyAttributesFrom(function); // the target's; a declaration says nothing of the body that is wrong here
    wrapper->setLinkage(GlobalValue::InternalLinkage);
    wrapper->setVisibility(GlobalValue::DefaultVisibility);
    wrapper->setDLLStorageClass(GlobalValue::DefaultStorageClass);
    wrapper->setDSOLocal(true);
    // The functions of createSumStart() have decided already.
    function->replaceUsesWithIf(wrapper, [known = known](const Use &use) {
      auto *call = dyn_cast<CallBase>(use.getUser());
      return !call || !isSumStart(*call->getFunction(), *known);
    });
    WrapperBuilder(*wrapper, *function, *known).build();
  }
  return !collectives.empty() || isMarked;
}
