//===- LLVMFootprint.h - What operations touch, as LLVM sees it -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_MEMORY_LLVMFOOTPRINT_H
#define COMM_LIB_ANALYSIS_MEMORY_LLVMFOOTPRINT_H

#include "Comm/Analysis/Memory/TypedAccess.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/IR/Instructions.h"

namespace comm {

/// Memory that a comm op touches, as LLVM sees it.
struct CommLocation {
  llvm::MemoryLocation memory;
  bool writes;
  /// Its address stands for those of other iterations, too.
  bool acrossIterations = false;
  Written written = Written::Anything;
  /// Bytes that are written together, at least: of an element of a predefined datatype.
  uint64_t elementSize = 1;
  /// Where the operation is that touches it; null if another one has started it.
  const llvm::BasicBlock *block = nullptr;
};

/// Where an access is, if that is told without asking: in a variable, and at which bytes of it.
struct VariablePlace {
  const llvm::Value *variable;
  /// No bytes are known if they are as many as that.
  static constexpr uint64_t kAnywhere = UINT64_MAX;
  int64_t offset = 0;
  uint64_t size = kAnywhere;
  bool writes;

  bool isApartFrom(const VariablePlace &other) const;
};

/// What an operation touches.
struct LLVMFootprint {
  /// Instructions that read or write memory.
  llvm::SmallVector<llvm::Instruction *, 2> instructions;
  llvm::SmallVector<CommLocation, 4> locations;
  bool isUnknown = false;
  llvm::Function *function = nullptr;
  /// Of all instructions and locations, in the same order; empty unless all have one.
  llvm::SmallVector<VariablePlace, 2> places;

  bool isEmpty() const { return instructions.empty() && locations.empty() && !isUnknown; }
};

/// The places of all that a footprint has, or none.
llvm::SmallVector<VariablePlace, 2> findPlaces(const LLVMFootprint &footprint);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_MEMORY_LLVMFOOTPRINT_H
