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

/// A parameter of MPI_Recv or MPI_Send, and what MPI_Sendrecv calls it.
using HalfParam = std::pair<llvm::StringLiteral, llvm::StringLiteral>;
llvm::ArrayRef<HalfParam> getReceiveParams();
llvm::ArrayRef<HalfParam> getSendParams();

struct Halves {
  MPIOpInterface receive, send;
};

/// Builds the async receive and send that a sendrecv with two buffers is (MPI-4, 3.10): what two concurrent processes
/// would do, one receiving, one sending. Both return their request; the sendrecv stays.
Halves startHalves(mlir::OpBuilder &builder, MPIOpInterface sendReceive);

} // namespace comm

#endif // COMM_TRANSFORMS_UTILS_SENDRECEIVE_H
