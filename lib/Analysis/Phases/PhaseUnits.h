//===- PhaseUnits.h - Unit queries for phases -------------------*- C++ -*-===//
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

/// Returns "the call of printf", "an operation llvm.fence".
std::string describe(mlir::Operation *op);

/// Returns why an operation that is not a communication cannot be in a phase: others can observe it, or it may not
/// return. "" if it only computes.
std::string whyNotBeside(mlir::Operation *op, const Behavior &behavior);

/// Whether both load the same variable, which may change in between.
bool loadsSameVariable(mlir::Value a, mlir::Value b);

bool contains(const Unit &unit, mlir::Operation *op);

/// Whether the value is computed in the unit.
bool isDefinedIn(const Unit &unit, mlir::Value value);

/// Whether control may come from `from` to `to` without leaving the unit.
bool isReachable(const Unit &unit, mlir::Operation *from, mlir::Operation *to);

/// Whether a loop in the unit executes the operation again.
bool isInCycle(const Unit &unit, mlir::Operation *op);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_PHASES_PHASEUNITS_H
