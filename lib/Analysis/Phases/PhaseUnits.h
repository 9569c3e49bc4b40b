//===- PhaseUnits.h - What both kinds of phases ask of units ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_PHASES_PHASEUNITS_H
#define COMM_LIB_ANALYSIS_PHASES_PHASEUNITS_H

#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Analysis/Order/ScopeTree.h"

#include <string>

namespace comm {

/// "the call of printf", "an operation llvm.fence".
std::string describe(mlir::Operation *op);

/// Why an operation that is no communication has no place in a phase: others can notice it, or it may not come back. ""
/// if it only computes.
std::string whyNotBeside(mlir::Operation *op, const Behavior &behavior);

/// Both read the same variable. Whether it keeps its value in between is another question.
bool loadsSameVariable(mlir::Value a, mlir::Value b);

bool contains(const Unit &unit, mlir::Operation *op);

/// The value is computed in the unit.
bool isDefinedIn(const Unit &unit, mlir::Value value);

/// Whether control may come from `from` to `to` without leaving the unit.
bool isReachable(const Unit &unit, mlir::Operation *from, mlir::Operation *to);

/// A loop in the unit executes the operation again.
bool isInCycle(const Unit &unit, mlir::Operation *op);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_PHASES_PHASEUNITS_H
