//===- Handles.cpp - Fortran and C handles --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ModRef.h"

using namespace llvm;
using namespace comm;
using mpi::HandleClass;

/// The classes that are converted in calls to the Fortran binding.
static constexpr HandleClass classes[] = {HandleClass::Comm,    HandleClass::Datatype, HandleClass::Op,
                                          HandleClass::Request, HandleClass::Group,    HandleClass::Info};

/// Returns the name of the conversion to C, such as MPI_Comm_f2c, or of the one to Fortran.
static std::string getConversionName(HandleClass handleClass, bool toC) {
  StringRef type = handleClass == HandleClass::Datatype ? "MPI_Type" : mpi::getTypeName(handleClass);
  return (type + (toC ? "_f2c" : "_c2f")).str();
}

bool comm::convertsHandles(const Module &module) {
  return any_of(classes, [&](HandleClass handleClass) {
    return module.getFunction(getConversionName(handleClass, /*toC=*/true)) ||
           module.getFunction(getConversionName(handleClass, /*toC=*/false));
  });
}

Type *FortranHandles::getType(HandleClass handleClass) const {
  LLVMContext &context = module.getContext();
  return abi.handlesArePointers(handleClass) ? static_cast<Type *>(PointerType::getUnqual(context))
                                             : Type::getInt32Ty(context);
}

FunctionCallee FortranHandles::getConversion(HandleClass handleClass, bool toC) {
  Type *number = Type::getInt32Ty(module.getContext());
  Type *inC = getType(handleClass);
  auto *type = toC ? FunctionType::get(inC, {number}, false) : FunctionType::get(number, {inC}, false);
  FunctionCallee conversion = module.getOrInsertFunction(getConversionName(handleClass, toC), type);
  if (auto *function = dyn_cast<Function>(conversion.getCallee())) {
    function->setDoesNotThrow();
    function->setWillReturn();
    function->addFnAttr(Attribute::NoCallback);
    // The result changes only when MPI frees the object and creates another one. (A C handle may be assigned its number
    // on the first request.)
    function->setMemoryEffects(MemoryEffects::inaccessibleMemOnly(toC ? ModRefInfo::Ref : ModRefInfo::ModRef));
  }
  return conversion;
}

Value *FortranHandles::load(IRBuilder<> &builder, Value *variable, HandleClass handleClass) {
  Value *number = builder.CreateAlignedLoad(builder.getInt32Ty(), variable, Align(1));
  return builder.CreateCall(getConversion(handleClass, /*toC=*/true), {number});
}

Value *FortranHandles::getNumber(IRBuilder<> &builder, Value *handle, HandleClass handleClass) {
  return builder.CreateCall(getConversion(handleClass, /*toC=*/false), {handle});
}

Constant *FortranHandles::getNull(HandleClass handleClass) {
  return getPredefined(mpi::getTypeName(handleClass).upper() + "_NULL");
}

/// Returns null if the implementation has no such handle.
Constant *FortranHandles::getPredefined(StringRef name) {
  std::optional<mpi::HandleRepresentation> representation = abi.getHandle(name);
  if (!representation)
    return nullptr;
  LLVMContext &context = module.getContext();
  switch (representation->kind) {
  case mpi::HandleRepresentation::Symbol:
    // The type does not matter.
    return module.getOrInsertGlobal(representation->symbol, Type::getInt8Ty(context));
  case mpi::HandleRepresentation::Integer:
    return ConstantInt::getSigned(Type::getInt32Ty(context), representation->value);
  case mpi::HandleRepresentation::Pointer:
    return ConstantExpr::getIntToPtr(ConstantInt::get(Type::getInt64Ty(context), representation->value),
                                     PointerType::getUnqual(context));
  case mpi::HandleRepresentation::Load:
    return nullptr;
  }
  llvm_unreachable("unknown representation");
}

/// Returns the class whose conversion `inst` calls.
static std::optional<HandleClass> findConversion(const Instruction &inst, bool toC) {
  const auto *call = dyn_cast<CallInst>(&inst);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  if (callee && callee->isDeclaration() && call->arg_size() == 1)
    for (HandleClass handleClass : classes)
      if (callee->getName() == getConversionName(handleClass, toC))
        return handleClass;
  return std::nullopt;
}

bool FortranHandles::isToC(const CallInst &call, HandleClass handleClass) const {
  return findConversion(call, /*toC=*/true) == handleClass && call.getType() == getType(handleClass);
}

Value *FortranHandles::fold(const Instruction &inst) {
  std::optional<HandleClass> handleClass = findConversion(inst, /*toC=*/true);
  if (!handleClass || inst.getType() != getType(*handleClass))
    return nullptr;
  Value *number = inst.getOperand(0);
  if (const auto *constant = dyn_cast<ConstantInt>(number))
    return getPredefined(abi.nameOfFortranHandle(constant->getSExtValue(), *handleClass));
  const auto *converted = dyn_cast<CallInst>(number);
  bool isBack = converted && findConversion(*converted, /*toC=*/false) == handleClass;
  return isBack && converted->getArgOperand(0)->getType() == inst.getType() ? converted->getArgOperand(0) : nullptr;
}
