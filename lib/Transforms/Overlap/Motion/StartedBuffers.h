//===- StartedBuffers.h - What starts own until their waits -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wait for requests in memory touches what its starts own, each at the place of the start. The unit of a start that
// ran before the wait tells which bytes these are, for everything that it started. If it ran in an earlier iteration of
// a loop around both, its values differ, and only alias analysis can tell.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_MOTION_STARTEDBUFFERS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_MOTION_STARTEDBUFFERS_H

#include "Comm/Analysis/Footprints/Footprint.h"
#include "Comm/Analysis/Order/ScopeTree.h"
#include "Comm/Analysis/Requests/RequestFlow.h"

namespace comm {

/// Returns what the start touches out of the footprint of its unit, without the object that contains its request: the
/// wait names that by its own argument, and a comparison would expose its address. If these bytes are unknown, the
/// start is among the unknown operations.
Footprint findBuffers(MPIOpInterface start, const Footprint &home);

/// Returns the unit of the chain in which the wait's start was executed, or none if that may have been in an earlier
/// iteration.
std::optional<unsigned> findHome(const InFlightStart &start, unsigned wait, const Chain &chain);

/// Returns 1 if control enters the unit, 0 if it is a branch with one arm that control bypasses. Sizes and pointers
/// computed for the arm are meaningless then.
Expr isEntered(const Unit &unit);

/// Returns true if everything that the pieces are computed from is the same at the wait as at the start.
bool isSameAtWait(const InFlightStart &start, const Footprint &buffers);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_MOTION_STARTEDBUFFERS_H
