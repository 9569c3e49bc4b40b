//===- LocalReductions.h - Reductions in the program's own code -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_PHASES_LOCALREDUCTIONS_H
#define COMM_LIB_ANALYSIS_PHASES_LOCALREDUCTIONS_H

#include "Comm/Analysis/Phases/Phases.h"

namespace comm {

/// Matches the reduction that ends with the store, `a[i] = a[i] op b[i]`, of one element or as the only effect of a
/// loop over i. The operands do not overlap, and the values have no other uses. Supports 32- and 64-bit integers under
/// + * & | ^ min max, and float and double under + and *.
std::optional<LocalReduction> matchLocalReduction(mlir::Operation *store, MemoryOracle &oracle);

/// Finds the reductions of the phase whose `in` holds only what a message of the phase has just received, and which is
/// not read otherwise.
void findTemporaries(Phase &phase);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_PHASES_LOCALREDUCTIONS_H
