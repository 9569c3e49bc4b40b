//===- InspectorRanges.h - The addresses to compare with --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORRANGES_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORRANGES_H

#include "Iterations/Inspector.h"
#include "Iterations/InspectorEmitter.h"

namespace comm {

/// The addresses with which an inspector compares those of its loop.
class InspectorRanges : private InspectorEmitter {
public:
  /// `notes`: for each range of the inspection, where its start records it.
  InspectorRanges(const Inspection &inspection, llvm::ArrayRef<InspectorCode::Note> notes, const InspectorEmitter &code)
      : InspectorEmitter(code), inspection(inspection), notes(notes) {}

  /// Computes the ranges before the loop. Returns everything that the result depends on and that may change in the
  /// loop that keeps it: the inputs of the addresses, and then both ends of each range.
  llvm::SmallVector<mlir::Value> compute();
  /// Returns what the start of that range has recorded.
  AddressRange getRecorded(unsigned index) const { return {load(notes[index].low), load(notes[index].high)}; }
  /// Returns whether any of the bytes [first, last) is in one of the ranges.
  mlir::Value meets(mlir::Value first, mlir::Value last, llvm::ArrayRef<unsigned> which) const;
  const AddressRange &operator[](unsigned index) const { return ranges[index]; }

private:
  AddressRange computeRange(const InspectedRange &range, unsigned index) const;

  const Inspection &inspection;
  llvm::ArrayRef<InspectorCode::Note> notes;
  llvm::SmallVector<AddressRange> ranges;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORRANGES_H
