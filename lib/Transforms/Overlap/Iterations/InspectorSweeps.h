//===- InspectorSweeps.h - Accesses of inner loops at once ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An inspector compares the addresses of an inner loop (the entries of a row) with what is in flight. What the loop
// goes through in steps of one element (`column[k]`, `value[k]`) is one range of bytes, which is compared before
// the loop. What it finds by a 32-bit index (`x[column[k]]`) is compared by that index, which the vectorizer
// understands.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORSWEEPS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORSWEEPS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

#include <optional>

namespace comm {

/// An inner loop of one block. It runs for the numbers from `first` up to `end`, exclusively, one by one.
struct InnerLoop {
  /// Returns the loop that consists of that block, if it is one.
  static std::optional<InnerLoop> find(mlir::Block *block);

  mlir::Block *block;
  mlir::BlockArgument number;
  mlir::Value first, end;
};

/// An access of an inner loop to `base[number]`.
struct Sweep {
  static std::optional<Sweep> find(const InnerLoop &loop, mlir::Value pointer);

  /// Computes the bytes that all iterations touch, up to `end`, exclusively, before the loop. Sets `isSane` to
  /// false if these numbers are impossible.
  void compute(mlir::OpBuilder &builder, mlir::Location loc, const InnerLoop &loop, mlir::Value &first,
               mlir::Value &end, mlir::Value &isSane) const;

  mlir::Value base;
  int64_t size;
};

/// An access of an inner loop to `base[index]` with a signed index of 32 bits.
struct NarrowAccess {
  static std::optional<NarrowAccess> find(const InnerLoop &loop, mlir::Value pointer);

  /// The indices from `first`, as many as `count`, as i32.
  struct Indices {
    mlir::Value first, count;
  };
  /// Computes before the loop with which indices an access of `size` bytes meets the bytes [low, high). Sets
  /// `isAny` to true if these may be too many to be counted.
  Indices compute(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value low, mlir::Value high, int64_t size,
                  mlir::Value &isAny) const;

  mlir::Value base, index;
  /// The logarithm of the distance of two elements in bytes.
  unsigned shift;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORSWEEPS_H
