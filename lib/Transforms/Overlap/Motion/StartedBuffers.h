//===- StartedBuffers.h - What starts own until their waits --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wait for requests in memory touches what its starts own, each where it is started. The unit of a start that ran
// before the wait says which bytes those are, for all that it started. If it ran in an iteration before this one of a
// loop around both, its values are others, and alias analysis alone tells.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_MOTION_STARTEDBUFFERS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_MOTION_STARTEDBUFFERS_H

#include "Comm/Analysis/Footprints/Footprint.h"
#include "Comm/Analysis/Order/ScopeTree.h"
#include "Comm/Analysis/Requests/RequestFlow.h"

namespace comm {

/// What the start touches of the footprint of its unit, without the object that its request is in: the wait names that
/// by its own argument, and to compare with its address would let others know of it. The start is among the unknown
/// operations if these bytes are not known.
Footprint findBuffers(MPIOpInterface start, const Footprint &home);

/// The unit of the chain in which the wait's start was executed; none if that may have been in an iteration before this
/// one.
std::optional<unsigned> findHome(const InFlightStart &start, unsigned wait, const Chain &chain);

/// 1 if control enters the unit, 0 if it is a branch with one arm that control goes past: sizes and pointers that are
/// computed for it mean nothing then.
Expr isEntered(const Unit &unit);

/// Whether all that the pieces are computed from is at the wait what it was at the start.
bool isSameAtWait(const InFlightStart &start, const Footprint &buffers);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_MOTION_STARTEDBUFFERS_H
