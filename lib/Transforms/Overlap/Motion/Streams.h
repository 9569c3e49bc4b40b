//===- Streams.h - Collectives that follow each other one way -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_MOTION_STREAMS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_MOTION_STREAMS_H

#include "Comm/Dialect/Comm/IR/CommInterfaces.h"

namespace comm {

/// Whether all communication of the outermost loop around the operation goes one way: from one process to the others
/// (MPI_Bcast, MPI_Scatter), or from all to one (MPI_Reduce, MPI_Gather), which is the same in all iterations. Nobody
/// waits there for an answer, so messages follow each other as in a pipe: the first one takes its latency, and those
/// after it have come by the time that they are asked for.
bool isInStream(MPIOpInterface op);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_MOTION_STREAMS_H
