//===- Placement.cpp - Immovable operations -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Order/Placement.h"

#include "Comm/Analysis/Memory/MemoryOracle.h"

using namespace comm;

llvm::StringRef comm::whyOnlyHere(MPIOpInterface op) {
  if (op.needsPostedReceive())
    return "a ready send is correct only if the receive is known to be posted";
  if (op.completesAtOnce())
    return "a buffered send completes immediately";
  if (getCommAccesses(op).isUnknown)
    return "its buffer may be MPI_BOTTOM, with a datatype that contains addresses (use a predefined datatype, or the "
           "address of a variable)";
  return "";
}

bool comm::hasOneBuffer(MPIOpInterface op) {
  return op.getMatching().kind == Matching::Kind::SendReceive && !op.getParam("sendbuf");
}
