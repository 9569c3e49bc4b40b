//===- LocalReductions.h - Reductions that a program spells out ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_PHASES_LOCALREDUCTIONS_H
#define COMM_LIB_ANALYSIS_PHASES_LOCALREDUCTIONS_H

#include "Comm/Analysis/Phases/Phases.h"

namespace comm {

/// The reduction that the store ends, `a[i] = a[i] op b[i]` of one element or as the only thing that a loop over i
/// does; or none. Both operands are memory that does not overlap, and nobody else uses the values. 32- and 64-bit
/// integers under
/// + * & | ^ min max, and float and double under + and *.
std::optional<LocalReduction> matchLocalReduction(mlir::Operation *store, MemoryOracle &oracle);

/// Finds the reductions of the phase whose `in` holds nothing but what a message of the phase has just brought, and
/// which nobody looks at otherwise.
void findTemporaries(Phase &phase);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_PHASES_LOCALREDUCTIONS_H
