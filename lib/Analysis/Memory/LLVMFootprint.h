//===- LLVMFootprint.h - Memory locations of operations ---------*- C++ -*-===//
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

/// A memory location that a comm op touches.
struct CommLocation {
  llvm::MemoryLocation memory;
  bool writes;
  /// The address also stands for those of other iterations.
  bool acrossIterations = false;
  Written written = Written::Anything;
  /// A lower bound for the bytes that are written together: the size of an element of a predefined datatype.
  uint64_t elementSize = 1;
  /// The block of the operation that touches it; null if another operation started it.
  const llvm::BasicBlock *block = nullptr;
};

/// The location of an access that is known without alias analysis: a variable, and a range of bytes in it.
struct VariablePlace {
  const llvm::Value *variable;
  /// The size if the bytes are unknown.
  static constexpr uint64_t kAnywhere = UINT64_MAX;
  int64_t offset = 0;
  uint64_t size = kAnywhere;
  bool writes;

  bool isApartFrom(const VariablePlace &other) const;
};

/// The memory that an operation touches.
struct LLVMFootprint {
  /// Instructions that read or write memory.
  llvm::SmallVector<llvm::Instruction *, 2> instructions;
  llvm::SmallVector<CommLocation, 4> locations;
  bool isUnknown = false;
  llvm::Function *function = nullptr;
  /// The places of all instructions and locations, in the same order; empty if one of them is unknown.
  llvm::SmallVector<VariablePlace, 2> places;

  bool isEmpty() const { return instructions.empty() && locations.empty() && !isUnknown; }
};

/// Returns the places of all accesses in a footprint, or none.
llvm::SmallVector<VariablePlace, 2> findPlaces(const LLVMFootprint &footprint);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_MEMORY_LLVMFOOTPRINT_H
