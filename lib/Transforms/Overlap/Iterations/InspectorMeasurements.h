//===- InspectorMeasurements.h - Inspect where it pays ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An inspector whose result cannot be kept takes a part of the loop's time. The program measures it, and what the wait
// takes, and inspects as many iterations as the message gives it time for (runtime/lib/overlap/Inspections.c).
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORMEASUREMENTS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORMEASUREMENTS_H

#include "Iterations/Inspector.h"
#include "Iterations/InspectorEmitter.h"

namespace comm {

/// What a program measures of one inspector.
class InspectorMeasurements : private InspectorEmitter {
public:
  /// Makes the variable of the module that holds the measurements.
  InspectorMeasurements(const Inspection &inspection, const InspectorEmitter &code);

  mlir::FlatSymbolRefAttr getSymbol() const { return mlir::FlatSymbolRefAttr::get(variable); }
  /// Returns the address of that variable.
  mlir::Value getAddress() const { return mlir::LLVM::AddressOfOp::create(builder, loc, variable); }
  /// Returns how many of so many iterations the program should inspect now, from the first one on: none, or at least
  /// `fewest` (all, if not given).
  mlir::Value askInspects(const Expr &count, std::optional<int64_t> fewest) const;
  /// Returns whether the program should inspect iterations in tiles now, and whether it should go on with another tile
  /// after so many iterations.
  mlir::Value askInspectsTiles() const;
  mlir::Value askGoesOn(mlir::Value inspected) const;
  /// Tells how many iterations have been inspected. Returns true, and must be part of a condition to stay.
  mlir::Value askInspected(mlir::Value address, mlir::Value inspected) const;

private:
  mlir::LLVM::GlobalOp variable;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORMEASUREMENTS_H
