//===- InstructionNumber.h - Numbers of instructions of an extract -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_UTILS_INSTRUCTIONNUMBER_H
#define COMM_PLUGIN_UTILS_INSTRUCTIONNUMBER_H

#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Instruction.h"

namespace comm {

/// Returns the number that an instruction of an extract has in place of its debug location (Extract.h): the line of a
/// location without a column. Returns 0 if it has none.
inline unsigned getInstructionNumber(const llvm::Instruction &inst) {
  const llvm::DebugLoc &place = inst.getDebugLoc();
  return place && place.getCol() == 0 ? place.getLine() : 0;
}

} // namespace comm

#endif // COMM_PLUGIN_UTILS_INSTRUCTIONNUMBER_H
