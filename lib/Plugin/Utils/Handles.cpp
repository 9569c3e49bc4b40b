//===- Handles.cpp - Predefined handles in LLVM IR ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Utils/Handles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"

using namespace llvm;
using namespace comm;

bool comm::isHandle(const Value &value, mpi::HandleClass handleClass,
                    function_ref<bool(StringRef, const mpi::ABI &)> matches) {
  const Value *handle = value.stripPointerCasts();
  if (const auto *cast = dyn_cast<ConstantExpr>(handle); cast && cast->getOpcode() == Instruction::IntToPtr)
    handle = cast->getOperand(0);
  return any_of(mpi::ABI::all(), [&](const mpi::ABI &abi) {
    StringRef name;
    if (const auto *symbol = dyn_cast<GlobalVariable>(handle))
      name = abi.nameOfSymbol(symbol->getName(), handleClass);
    else if (const auto *number = dyn_cast<ConstantInt>(handle))
      name = abi.nameOfValue(number->getSExtValue(), handleClass);
    return !name.empty() && matches(name, abi);
  });
}
