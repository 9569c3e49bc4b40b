//===- HandleConstants.cpp - Predefined handles in LLVM IR ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Utils/HandleConstants.h"

#include "llvm/IR/Constants.h"

using namespace llvm;
using namespace comm;

Constant *comm::getPredefinedHandle(Module &module, const mpi::ABI &abi, StringRef name) {
  std::optional<mpi::HandleSpelling> spelling = abi.getHandle(name);
  if (!spelling)
    return nullptr;
  LLVMContext &context = module.getContext();
  switch (spelling->kind) {
  case mpi::HandleSpelling::Symbol:
    // Of a type that nobody looks into.
    return module.getOrInsertGlobal(spelling->symbol, Type::getInt8Ty(context));
  case mpi::HandleSpelling::Integer:
    return ConstantInt::getSigned(Type::getInt32Ty(context), spelling->value);
  case mpi::HandleSpelling::Pointer:
    return ConstantExpr::getIntToPtr(ConstantInt::get(Type::getInt64Ty(context), spelling->value),
                                     PointerType::getUnqual(context));
  case mpi::HandleSpelling::Load:
    return nullptr;
  }
  llvm_unreachable("unknown spelling");
}
