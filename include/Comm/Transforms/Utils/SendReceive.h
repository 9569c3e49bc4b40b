//===- SendReceive.h - The two halves of a sendrecv ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TRANSFORMS_UTILS_SENDRECEIVE_H
#define COMM_TRANSFORMS_UTILS_SENDRECEIVE_H

#include "Comm/Dialect/Comm/IR/CommDialect.h"

#include <utility>

namespace comm {

/// A parameter of MPI_Recv or MPI_Send, and its name in MPI_Sendrecv or in MPI_Sendrecv_replace, which has one buffer.
using HalfParam = std::pair<llvm::StringLiteral, llvm::StringLiteral>;
llvm::ArrayRef<HalfParam> getReceiveParams(bool hasOneBuffer = false);
llvm::ArrayRef<HalfParam> getSendParams(bool hasOneBuffer = false);

struct Halves {
  MPIOpInterface receive, send;
};

/// Builds the async receive and send that are equivalent to a sendrecv with two buffers (MPI-4, 3.10): two concurrent
/// processes would execute one each. Both return their request; the sendrecv stays. A sendrecv with one buffer receives
/// to `spare` instead.
Halves startHalves(mlir::OpBuilder &builder, MPIOpInterface sendReceive, mlir::Value spare = {});

/// Returns true if the operation starts one half of what was a sendrecv in the program.
bool isHalf(mlir::Operation *op);
/// Returns true if both do so for the same sendrecv.
bool areHalvesOfOneCall(mlir::Operation *a, mlir::Operation *b);

} // namespace comm

#endif // COMM_TRANSFORMS_UTILS_SENDRECEIVE_H
