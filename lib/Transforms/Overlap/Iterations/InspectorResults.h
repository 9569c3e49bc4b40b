//===- InspectorResults.h - Results that inspectors keep --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   if (a kept result is for the same numbers) low, high = result
//   else low, high = result = inspection
//
// Two results are kept, for the two most recent sets of numbers, since swapped arrays alternate. They are in variables
// of the function, which clang promotes to registers.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORRESULTS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORRESULTS_H

#include "Iterations/Inspector.h"
#include "Iterations/InspectorEmitter.h"
#include "Iterations/InspectorRanges.h"

namespace comm {

/// The results that an inspector keeps from one iteration of the loop around it to the next, and whether they are still
/// valid.
class InspectorResults : private InspectorEmitter {
public:
  InspectorResults(const Inspection &inspection, const InspectorRanges &ranges, const InspectorEmitter &code)
      : InspectorEmitter(code), inspection(inspection), slice(*inspection.slice), ranges(ranges) {}

  void makeVariables();
  /// Invalidates the results on entry to the loop that keeps them and at operations that may change their inputs.
  void forgetWhereInputsChange();
  /// Invalidates the results at the builder's position.
  void forget();
  /// Emits what finds the result for these numbers at the builder's position, kept or new, and leaves to `after`.
  /// `inspect` emits an inspection, which puts the parts of the interior in a given place.
  void inspectUnlessKept(llvm::ArrayRef<mlir::Value> keys, mlir::Block *after,
                         llvm::function_ref<FoundInterior(mlir::Value place)> inspect);
  /// Records that a load of the slice has read the addresses from `first` up to `end`, exclusively.
  void noteLoad(mlir::Operation *op, mlir::Value first, mlir::Value end);

private:
  /// A kept result, in variables: whether there is one, for which numbers, and the interior.
  struct Kept {
    mlir::Value isThere;
    FoundInterior found;
    llvm::SmallVector<mlir::Value> keys;
    /// The address range from which each load of the slice has read.
    llvm::SmallVector<AddressRange> loads;
  };

  Kept makeKept(unsigned numKeys);
  void forgetAtStarts();
  AddressRange getKeptRange(const Kept &kept, unsigned range) const;
  mlir::Value isOfNow(const Kept &kept, llvm::ArrayRef<mlir::Value> keys) const;
  mlir::Value readsNothingOf(const Kept &kept, const AddressRange &range) const;
  mlir::Value isApartFrom(const Kept &reader, const Kept &other) const;
  void exchangeResults();
  void giveUp(mlir::Block *after);
  void replaceLatest(llvm::ArrayRef<mlir::Value> keys, const FoundInterior &found);
  FoundInterior loadFound(const FoundInterior &kept) const {
    return {load(kept.low), load(kept.high), load(kept.numRuns), load(kept.place)};
  }

  const Inspection &inspection;
  const UnitSlice &slice;
  const InspectorRanges &ranges;
  Kept latest, former;
  /// How many times in a row the numbers were new.
  mlir::Value misses;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORRESULTS_H
