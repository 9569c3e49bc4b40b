//===- SendReceive.cpp - The two halves of a sendrecv ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Utils/SendReceive.h"

using namespace mlir;
using namespace comm;

llvm::ArrayRef<HalfParam> comm::getReceiveParams() {
  static constexpr HalfParam params[] = {{"buf", "recvbuf"},   {"count", "recvcount"}, {"datatype", "recvtype"},
                                         {"source", "source"}, {"tag", "recvtag"},     {"comm", "comm"}};
  return params;
}

llvm::ArrayRef<HalfParam> comm::getSendParams() {
  static constexpr HalfParam params[] = {{"buf", "sendbuf"}, {"count", "sendcount"}, {"datatype", "sendtype"},
                                         {"dest", "dest"},   {"tag", "sendtag"},     {"comm", "comm"}};
  return params;
}

static MPIOpInterface startHalf(OpBuilder &builder, MPIOpInterface op, StringRef function, ArrayRef<HalfParam> names) {
  SmallVector<NamedParam> params;
  for (auto [half, whole] : names)
    if (Value value = op.getParam(whole))
      params.emplace_back(half, value);
  return createMPIOp(builder, op.getLoc(), function, Mode::async, params, {"request"});
}

Halves comm::startHalves(OpBuilder &builder, MPIOpInterface sendReceive) {
  MPIOpInterface receive = startHalf(builder, sendReceive, "MPI_Recv", getReceiveParams());
  return {receive, startHalf(builder, sendReceive, "MPI_Send", getSendParams())};
}
