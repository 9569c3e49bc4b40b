//===- UniformCollectives.cpp - Collectives that match each other ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Target/LLVMIR/UniformCollectives.h"

#include "Comm/MPI/ABI.h"
#include "Comm/MPI/Standard.h"

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

/// A symbol that some file of the program defines if, and only if, it has a nonblocking form of that function. Its
/// address is the linker's answer to the question which of the two all files must call. Reductions that round have a
/// symbol of their own: they may have to stay blocking where others of the same function do not. All processes give a
/// reduction the same operator and datatype (MPI-4, 6.9.1), so all of them ask for the same symbol.
static std::string getMarkerName(const mpi::Function &blocking, bool rounds) {
  return (Twine(rounds ? "comm_nonblocking_sum_" : "comm_nonblocking_") + blocking.name).str();
}

static bool isReduction(const mpi::Function &function) {
  return function.findParam("op") >= 0 && function.findParam("datatype") >= 0;
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

/// Whether uses of a nonblocking function start reductions that round, and others.
struct Starts {
  bool rounding = false, others = false;
};
static Starts getStarts(const Function &start, const mpi::Function &blocking) {
  if (!isReduction(blocking))
    return {false, true};
  Starts starts;
  for (const Use &use : start.uses()) {
    auto *call = dyn_cast<CallBase>(use.getUser());
    StringRef op, datatype;
    if (call && call->isCallee(&use) && call->arg_size() > blocking.numParams - 1) {
      op = getHandleName(call->getArgOperand(blocking.findParam("op")), mpi::HandleClass::Op);
      datatype = getHandleName(call->getArgOperand(blocking.findParam("datatype")), mpi::HandleClass::Datatype);
    }
    bool mayRound = mpi::mayRound(op, datatype);
    starts.rounding |= mayRound;
    starts.others |= !mayRound || op.empty() || datatype.empty();
  }
  return starts;
}

/// Tells all files of the program that this one has nonblocking forms of collectives. Only the program itself starts
/// reductions that round and that `sums` leaves alone: as it matches them with nonblocking ones, no other file need
/// know.
static bool defineMarkers(Module &module, mpi::SumOrder sums) {
  Type *byte = Type::getInt8Ty(module.getContext());
  bool changed = false;
  auto define = [&](const std::string &name) {
    if (module.getNamedValue(name))
      return;
    new GlobalVariable(module, byte, /*isConstant=*/true, GlobalValue::WeakODRLinkage, ConstantInt::get(byte, 1), name);
    changed = true;
  };
  for (Function &function : module) {
    const mpi::Function *start = function.use_empty() ? nullptr : mpi::lookupFunction(function.getName());
    const mpi::Function *blocking = start ? mpi::lookupFunction(start->blocking) : nullptr;
    if (!blocking || !isBlockingCollective(*blocking))
      continue;
    Starts starts = getStarts(function, *blocking);
    if (starts.others)
      define(getMarkerName(*blocking, /*rounds=*/false));
    if (starts.rounding && mpi::mayReorder(sums, blocking->name))
      define(getMarkerName(*blocking, /*rounds=*/true));
  }
  return changed;
}

static Constant *getMarker(Module &module, const mpi::Function &blocking, bool rounds) {
  std::string name = getMarkerName(blocking, rounds);
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

/// int NAME(args...) {
///   if (!&marker) return MPI_Xyz(args...); // of a reduction that rounds, its own marker
///   MPI_Request r; int error = MPI_Ixyz(args..., &r); return error ? error : MPI_Wait(&r, MPI_STATUS_IGNORE); }
static void fillWrapper(Function &wrapper, Function &blocking, const mpi::Function &function) {
  Module &module = *wrapper.getParent();
  LLVMContext &context = module.getContext();
  FunctionType *type = blocking.getFunctionType();
  auto *pointer = PointerType::getUnqual(context);
  SmallVector<Type *> startTypes(type->params());
  startTypes.push_back(pointer);
  FunctionCallee start =
      module.getOrInsertFunction(function.nonblocking, FunctionType::get(type->getReturnType(), startTypes, false));
  FunctionCallee wait =
      module.getOrInsertFunction("MPI_Wait", FunctionType::get(type->getReturnType(), {pointer, pointer}, false));
  SmallVector<Value *> arguments;
  for (Argument &argument : wrapper.args())
    arguments.push_back(&argument);

  auto makeBlock = [&] { return BasicBlock::Create(context, "", &wrapper); };
  IRBuilder<> builder(makeBlock());
  // Every implementation's MPI_Request is at most a pointer.
  AllocaInst *request = builder.CreateAlloca(builder.getInt64Ty());
  Value *marker = getMarker(module, function, /*rounds=*/false);
  if (isReduction(function)) {
    Value *rounds = builder.CreateAnd(
        isOneOf(builder, module, wrapper.getArg(function.findParam("op")), mpi::getRoundingOps()),
        isOneOf(builder, module, wrapper.getArg(function.findParam("datatype")), mpi::getFloatingDatatypes()));
    marker = builder.CreateSelect(rounds, getMarker(module, function, /*rounds=*/true), marker);
  }
  BasicBlock *nonblocking = makeBlock(), *plain = makeBlock();
  builder.CreateCondBr(builder.CreateIsNotNull(marker), nonblocking, plain);
  builder.SetInsertPoint(plain);
  builder.CreateRet(builder.CreateCall(&blocking, arguments));
  builder.SetInsertPoint(nonblocking);
  BasicBlock *started = makeBlock(), *failed = makeBlock();
  arguments.push_back(request);
  Value *error = builder.CreateCall(start, arguments);
  builder.CreateCondBr(builder.CreateIsNull(error), started, failed);
  builder.SetInsertPoint(failed);
  builder.CreateRet(error);
  builder.SetInsertPoint(started);
  Type *handle = type->getParamType(function.findRole(mpi::Role::Comm, mpi::Direction::In));
  builder.CreateRet(builder.CreateCall(wait, {request, getStatusIgnore(module, handle)}));
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
    wrapper->addFnAttr(Attribute::NoUnwind);
    function->replaceAllUsesWith(wrapper);
    fillWrapper(*wrapper, *function, *known);
  }
  return !collectives.empty() || isMarked;
}
