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
/// address is the linker's answer to the question which of the two all files must call.
static std::string getMarkerName(const mpi::Function &blocking) {
  return (Twine("comm_nonblocking_") + blocking.name).str();
}

/// Tells all files of the program that this one has nonblocking forms of collectives.
static SmallPtrSet<const mpi::Function *, 8> defineMarkers(Module &module) {
  SmallPtrSet<const mpi::Function *, 8> marked;
  for (Function &function : module) {
    const mpi::Function *start = function.use_empty() ? nullptr : mpi::lookupFunction(function.getName());
    const mpi::Function *blocking = start ? mpi::lookupFunction(start->blocking) : nullptr;
    if (blocking && isBlockingCollective(*blocking))
      marked.insert(blocking);
  }
  Type *byte = Type::getInt8Ty(module.getContext());
  for (const mpi::Function *blocking : marked)
    if (!module.getNamedValue(getMarkerName(*blocking)))
      new GlobalVariable(module, byte, /*isConstant=*/true, GlobalValue::WeakODRLinkage, ConstantInt::get(byte, 1),
                         getMarkerName(*blocking));
  return marked;
}

/// int NAME(args...) {
///   if (!&marker) return MPI_Xyz(args...);
///   MPI_Request r; int error = MPI_Ixyz(args..., &r); return error ? error : MPI_Wait(&r, MPI_STATUS_IGNORE); }
static void fillWrapper(Function &wrapper, Function &blocking, const mpi::Function &function, bool isMarked) {
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
  if (!isMarked) {
    auto *marker = new GlobalVariable(module, builder.getInt8Ty(), /*isConstant=*/true,
                                      GlobalValue::ExternalWeakLinkage, nullptr, getMarkerName(function));
    BasicBlock *nonblocking = makeBlock(), *plain = makeBlock();
    builder.CreateCondBr(builder.CreateIsNotNull(marker), nonblocking, plain);
    builder.SetInsertPoint(plain);
    builder.CreateRet(builder.CreateCall(&blocking, arguments));
    builder.SetInsertPoint(nonblocking);
  }
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

bool comm::makeCollectivesUniform(Module &module) {
  SmallPtrSet<const mpi::Function *, 8> marked = defineMarkers(module);
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
    fillWrapper(*wrapper, *function, *known, marked.contains(known));
  }
  return !collectives.empty() || !marked.empty();
}
