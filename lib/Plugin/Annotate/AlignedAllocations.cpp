//===- AlignedAllocations.cpp - Memory from posix_memalign ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// posix_memalign stores a pointer to new memory in a variable. LLVM assumes that this pointer may alias anything, since
// it knows fresh memory only as a function result. Each call is therefore replaced by a call to a function that returns
// the pointer.
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Annotate/Annotate.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace comm;

static constexpr StringRef kLibraryName = "posix_memalign", kOwnName = "comm.posix_memalign";

/// Creates `noalias ptr (size_t alignment, size_t size, int *error)`, which returns null and sets the error on failure.
static Function *createAllocation(Function &library) {
  Module &module = *library.getParent();
  LLVMContext &context = module.getContext();
  Type *pointer = PointerType::getUnqual(context), *size = library.getArg(1)->getType(),
       *error = library.getReturnType();
  auto *type = FunctionType::get(pointer, {size, size, pointer}, /*isVarArg=*/false);
  auto *function = Function::Create(type, GlobalValue::InternalLinkage, kOwnName, module);
  function->addRetAttr(Attribute::NoAlias);
  function->addParamAttr(2, Attribute::NoAlias);
  function->addParamAttr(2, Attribute::WriteOnly);
  function->addParamAttr(2, Attribute::getWithCaptureInfo(context, CaptureInfo::none()));
  function->setMemoryEffects(MemoryEffects::inaccessibleOrArgMemOnly());
  // Once inlined, the result would be a plain load again.
  for (Attribute::AttrKind kind : {Attribute::NoInline, Attribute::NoUnwind, Attribute::WillReturn})
    function->addFnAttr(kind);
  function->addFnAttr(Attribute::getWithUWTableKind(context, UWTableKind::Default));
  IRBuilder<> builder(BasicBlock::Create(context, "entry", function));
  AllocaInst *memory = builder.CreateAlloca(pointer);
  CallInst *call = builder.CreateCall(&library, {memory, function->getArg(0), function->getArg(1)});
  builder.CreateStore(call, function->getArg(2));
  Value *hasFailed = builder.CreateICmpNE(call, Constant::getNullValue(error));
  Value *result = builder.CreateLoad(pointer, memory);
  builder.CreateRet(builder.CreateSelect(hasFailed, Constant::getNullValue(pointer), result));
  return function;
}

/// A failed call leaves the program's variable unchanged.
static void replace(CallInst &call, Function &allocation) {
  Function &caller = *call.getFunction();
  Type *errorType = call.getType();
  IRBuilder<> builder(&*caller.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  AllocaInst *error = builder.CreateAlloca(errorType);
  builder.SetInsertPoint(&call);
  Value *variable = call.getArgOperand(0);
  CallInst *memory = builder.CreateCall(&allocation, {call.getArgOperand(1), call.getArgOperand(2), error});
  memory->setDebugLoc(call.getDebugLoc());
  Value *code = builder.CreateLoad(errorType, error);
  Value *hasFailed = builder.CreateICmpNE(code, Constant::getNullValue(errorType));
  Value *before = builder.CreateAlignedLoad(memory->getType(), variable, Align(1));
  builder.CreateAlignedStore(builder.CreateSelect(hasFailed, before, memory), variable, Align(1));
  call.replaceAllUsesWith(code);
  call.eraseFromParent();
}

bool comm::returnAlignedAllocations(Module &module) {
  Function *library = module.getFunction(kLibraryName);
  if (!library || !library->isDeclaration())
    return false;
  Type *pointer = PointerType::getUnqual(module.getContext());
  unsigned bits = module.getDataLayout().getPointerSizeInBits();
  Type *size = IntegerType::get(module.getContext(), bits);
  FunctionType *type = library->getFunctionType();
  if (type->isVarArg() || !type->getReturnType()->isIntegerTy(32) || type->params() != ArrayRef({pointer, size, size}))
    return false;
  SmallVector<CallInst *> calls;
  for (User *user : library->users())
    if (auto *call = dyn_cast<CallInst>(user); call && call->getCalledFunction() == library && !call->isMustTailCall())
      calls.push_back(call);
  if (calls.empty())
    return false;
  Function *allocation = createAllocation(*library);
  for (CallInst *call : calls)
    replace(*call, *allocation);
  return true;
}
