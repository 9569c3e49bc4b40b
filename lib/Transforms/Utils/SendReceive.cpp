//===- SendReceive.cpp - The two halves of a sendrecv ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Utils/SendReceive.h"

using namespace mlir;
using namespace comm;

llvm::ArrayRef<HalfParam> comm::getReceiveParams(bool hasOneBuffer) {
  static constexpr HalfParam two[] = {{"buf", "recvbuf"},   {"count", "recvcount"}, {"datatype", "recvtype"},
                                      {"source", "source"}, {"tag", "recvtag"},     {"comm", "comm"}};
  static constexpr HalfParam one[] = {{"buf", "buf"},       {"count", "count"}, {"datatype", "datatype"},
                                      {"source", "source"}, {"tag", "recvtag"}, {"comm", "comm"}};
  return hasOneBuffer ? llvm::ArrayRef(one) : llvm::ArrayRef(two);
}

llvm::ArrayRef<HalfParam> comm::getSendParams(bool hasOneBuffer) {
  static constexpr HalfParam two[] = {{"buf", "sendbuf"}, {"count", "sendcount"}, {"datatype", "sendtype"},
                                      {"dest", "dest"},   {"tag", "sendtag"},     {"comm", "comm"}};
  static constexpr HalfParam one[] = {{"buf", "buf"},   {"count", "count"}, {"datatype", "datatype"},
                                      {"dest", "dest"}, {"tag", "sendtag"}, {"comm", "comm"}};
  return hasOneBuffer ? llvm::ArrayRef(one) : llvm::ArrayRef(two);
}

static MPIOpInterface startHalf(OpBuilder &builder, MPIOpInterface op, StringRef function, ArrayRef<HalfParam> names,
                                Value buffer = {}) {
  SmallVector<NamedParam> params;
  for (auto [half, whole] : names)
    if (Value value = buffer && half == "buf" ? buffer : op.getParam(whole))
      params.emplace_back(half, value);
  return createMPIOp(builder, op.getLoc(), function, Mode::async, params, {"request"});
}

Halves comm::startHalves(OpBuilder &builder, MPIOpInterface sendReceive, Value spare) {
  bool hasOneBuffer = static_cast<bool>(spare);
  MPIOpInterface receive = startHalf(builder, sendReceive, "MPI_Recv", getReceiveParams(hasOneBuffer), spare);
  return {receive, startHalf(builder, sendReceive, "MPI_Send", getSendParams(hasOneBuffer))};
}

bool comm::isHalf(Operation *op) { return op->hasAttr(kOriginAttrName) && !op->hasAttr(kProgramsIntervalAttrName); }

bool comm::areHalvesOfOneCall(Operation *a, Operation *b) {
  return isHalf(a) && isHalf(b) && a->getLoc() == b->getLoc();
}
