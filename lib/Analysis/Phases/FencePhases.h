//===- FencePhases.h - Gets and puts between fences ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_PHASES_FENCEPHASES_H
#define COMM_LIB_ANALYSIS_PHASES_FENCEPHASES_H

#include "Comm/Analysis/Phases/Phases.h"

namespace comm {

/// Returns the phases of a chain that are a fence, gets and puts to varying processes, and the next fence of the same
/// window.
std::vector<Phase> findFencePhases(Chain &chain, MemoryOracle &oracle, const RejectPhase &reject);

/// Finds phases whose window is used only by such phases, among all phases of a function, so that no other operation
/// relies on the epochs of their fences.
void decideEpochs(llvm::MutableArrayRef<Phase> phases);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_PHASES_FENCEPHASES_H
