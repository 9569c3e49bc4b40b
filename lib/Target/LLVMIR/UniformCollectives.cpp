//===- UniformCollectives.cpp - Collectives that match each other ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Target/LLVMIR/UniformCollectives.h"

#include "Comm/MPI/ABI.h"
#include "Comm/MPI/Standard.h"

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

/// int NAME(args...) { MPI_Request r; int error = MPI_Ixyz(args..., &r); return error ? error : MPI_Wait(&r, IGNORE); }
static Function *makeStartAndWait(Module &module, Function &blocking, const mpi::Function &function) {
  LLVMContext &context = module.getContext();
  FunctionType *type = blocking.getFunctionType();
  auto *pointer = PointerType::getUnqual(context);
  SmallVector<Type *> startTypes(type->params());
  startTypes.push_back(pointer);
  FunctionCallee start =
      module.getOrInsertFunction(function.nonblocking, FunctionType::get(type->getReturnType(), startTypes, false));
  FunctionCallee wait =
      module.getOrInsertFunction("MPI_Wait", FunctionType::get(type->getReturnType(), {pointer, pointer}, false));

  auto *both = Function::Create(type, GlobalValue::InternalLinkage, Twine("comm.") + function.name, module);
  both->addFnAttr(Attribute::NoUnwind);
  auto *entry = BasicBlock::Create(context, "", both), *started = BasicBlock::Create(context, "", both),
       *failed = BasicBlock::Create(context, "", both);
  IRBuilder<> builder(entry);
  // Every implementation's MPI_Request is at most a pointer.
  AllocaInst *request = builder.CreateAlloca(builder.getInt64Ty());
  SmallVector<Value *> arguments;
  for (Argument &argument : both->args())
    arguments.push_back(&argument);
  arguments.push_back(request);
  Value *error = builder.CreateCall(start, arguments);
  builder.CreateCondBr(builder.CreateIsNull(error), started, failed);
  builder.SetInsertPoint(failed);
  builder.CreateRet(error);
  builder.SetInsertPoint(started);
  Type *handle = type->getParamType(function.findRole(mpi::Role::Comm, mpi::Direction::In));
  builder.CreateRet(builder.CreateCall(wait, {request, getStatusIgnore(module, handle)}));
  return both;
}

bool comm::makeCollectivesNonblocking(Module &module) {
  SmallVector<std::pair<Function *, const mpi::Function *>> collectives;
  for (Function &function : module)
    if (function.isDeclaration() && !function.use_empty())
      if (const mpi::Function *known = mpi::lookupFunction(function.getName()))
        // A declaration that is not the standard's (or Fortran's, or K&R's) is not ours to change.
        if (isBlockingCollective(*known) && !function.isVarArg() && function.arg_size() == known->numParams &&
            function.getReturnType()->isIntegerTy(32))
          collectives.emplace_back(&function, known);
  for (auto [function, known] : collectives) {
    Function *both = makeStartAndWait(module, *function, *known);
    both->copyAttributesFrom(function); // the target's; a declaration says nothing of the body that is wrong here
    both->setLinkage(GlobalValue::InternalLinkage);
    both->setVisibility(GlobalValue::DefaultVisibility);
    both->setDLLStorageClass(GlobalValue::DefaultStorageClass);
    both->setDSOLocal(true);
    function->replaceAllUsesWith(both);
  }
  return !collectives.empty();
}
