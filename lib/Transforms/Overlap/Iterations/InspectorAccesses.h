//===- InspectorAccesses.h - Accesses compared together ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fewer comparisons of addresses than accesses: adjacent accesses are compared together, and accesses of inner loops in
// front of these (Iterations/InspectorSweeps.h).
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORACCESSES_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORACCESSES_H

#include "Iterations/Inspector.h"
#include "Iterations/InspectorSweeps.h"

#include "llvm/ADT/MapVector.h"

namespace comm {

/// The bytes [begin, end), relative to the pointer, that accesses of one block touch.
struct TouchedBytes {
  mlir::Value pointer;
  int64_t begin, end;
};

/// What an inner loop accesses in a form that is compared before it, or by its index.
struct InnerAccesses {
  InnerLoop loop;
  llvm::SmallVector<std::pair<const InspectedAccess *, Sweep>> sweeps;
  llvm::SmallVector<std::pair<const InspectedAccess *, NarrowAccess>> narrow;
  /// Loads of the slice that have nothing to avoid.
  llvm::SmallVector<std::pair<mlir::Operation *, Sweep>> loads;
};

/// How an inspector compares the accesses of its loop.
class InspectorAccesses {
public:
  explicit InspectorAccesses(const Inspection &inspection);

  /// Returns the access that is compared at this operation, or null.
  const InspectedAccess *getCompared(mlir::Operation *op) const { return compared.lookup(op); }
  /// Returns the bytes to compare at this operation, with those of accesses that were joined with it.
  const TouchedBytes &getTouched(mlir::Operation *op) const { return touched.find(op)->second; }
  /// Returns true if the access is compared before its inner loop.
  bool isSwept(mlir::Operation *op) const { return swept.contains(op); }
  /// Returns the accesses of the inner loop that consists of that block, or null.
  const InnerAccesses *getInner(mlir::Block *block) const {
    const auto *found = inner.find(block);
    return found == inner.end() ? nullptr : &found->second;
  }
  const llvm::MapVector<mlir::Block *, InnerAccesses> &getInner() const { return inner; }

private:
  void joinAccesses();
  void findInnerAccesses();

  const Inspection &inspection;
  const UnitSlice &slice;
  llvm::DenseMap<mlir::Operation *, const InspectedAccess *> compared;
  llvm::DenseMap<mlir::Operation *, TouchedBytes> touched;
  llvm::MapVector<mlir::Block *, InnerAccesses> inner;
  llvm::DenseSet<mlir::Operation *> swept;
};

/// Returns the numbers in ascending order, each of them once.
llvm::SmallVector<unsigned, 4> getUnique(llvm::ArrayRef<unsigned> numbers);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORACCESSES_H
