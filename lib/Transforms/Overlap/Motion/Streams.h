//===- Streams.h - Collectives that all go one way --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_MOTION_STREAMS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_MOTION_STREAMS_H

#include "Comm/Dialect/Comm/IR/CommInterfaces.h"

namespace comm {

/// Returns true if all communication of the outermost loop around the operation goes one way: from one process to the
/// others (MPI_Bcast, MPI_Scatter), or from all to one (MPI_Reduce, MPI_Gather), which is the same in all iterations.
/// No process waits for an answer there, so messages form a pipeline: the first one takes its latency, and later ones
/// have arrived by the time they are needed.
bool isInStream(MPIOpInterface op);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_MOTION_STREAMS_H
