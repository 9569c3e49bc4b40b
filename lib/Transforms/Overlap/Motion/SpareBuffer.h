//===- SpareBuffer.h - A second buffer for MPI_Sendrecv_replace ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MPI_Sendrecv_replace receives into the buffer that it sends, so nothing that reads the buffer can overlap it. With a
// spare buffer to receive into, the message travels while the program still reads the old content:
//
//   spare = malloc(bytes); memcpy(spare, buffer)    a message may be shorter than the buffer
//   start receive to spare, send from buffer
//   wait for both
//   memcpy(buffer, spare); free(spare)
//
// MPI libraries also copy one of the two messages.
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_MOTION_SPAREBUFFER_H
#define COMM_LIB_TRANSFORMS_OVERLAP_MOTION_SPAREBUFFER_H

#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/MPI/ABI.h"

namespace comm {

/// Returns why a sendrecv with one buffer cannot get a spare one, or "" if it can. `abi` may be null.
llvm::StringRef whyNoSpare(MPIOpInterface op, const mpi::ABI *abi);

/// Allocates a spare buffer with the content of the operation's buffer. Returns null if the program's malloc or free is
/// not that of C.
mlir::Value makeSpare(mlir::OpBuilder &builder, MPIOpInterface op, const mpi::ABI &abi);
/// Copies the spare buffer back and frees it.
void returnSpare(mlir::OpBuilder &builder, MPIOpInterface op, mlir::Value spare);

struct SpareUses {
  mlir::Operation *allocation, *fill, *copyBack, *free;
};
/// Returns what `makeSpare` and `returnSpare` created for this receive, if they did and nothing else uses the buffer.
std::optional<SpareUses> findSpareUses(MPIOpInterface receive);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_MOTION_SPAREBUFFER_H
