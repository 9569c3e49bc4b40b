//===- OpTable.cpp - Mapping of mpi ops to comm ops -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"

#include "mlir/Dialect/MPI/IR/MPI.h"

using namespace mlir;
using namespace comm;

ArrayRef<MPIDialectOp> comm::getMPIDialectOps() {
  static const MPIDialectOp ops[] = {
      {"mpi.init", "MPI_Init", Mode::blocking, {}, ""},
      {"mpi.finalize", "MPI_Finalize", Mode::blocking, {}, ""},
      {"mpi.comm_rank", "MPI_Comm_rank", Mode::blocking, {"comm"}, "rank"},
      {"mpi.comm_size", "MPI_Comm_size", Mode::blocking, {"comm"}, "size"},
      {"mpi.comm_split", "MPI_Comm_split", Mode::blocking, {"comm", "color", "key"}, "newcomm"},
      {"mpi.send", "MPI_Send", Mode::blocking, {"buf", "tag", "dest", "comm"}, ""},
      {"mpi.isend", "MPI_Send", Mode::async, {"buf", "tag", "dest", "comm"}, "request"},
      {"mpi.recv", "MPI_Recv", Mode::blocking, {"buf", "tag", "source", "comm"}, ""},
      {"mpi.irecv", "MPI_Recv", Mode::async, {"buf", "tag", "source", "comm"}, "request"},
      {"mpi.allreduce", "MPI_Allreduce", Mode::blocking, {"sendbuf", "recvbuf", "comm"}, ""},
      {"mpi.barrier", "MPI_Barrier", Mode::blocking, {"comm"}, ""},
      {"mpi.wait", "MPI_Wait", Mode::blocking, {"request"}, ""},
      {"mpi.error_class", "MPI_Error_class", Mode::blocking, {"errorcode"}, "errorclass"},
  };
  return ops;
}

const MPIDialectOp *comm::lookupMPIDialectOp(MPIOpInterface op) {
  for (const MPIDialectOp &entry : getMPIDialectOps())
    if (entry.function == op.getMPIFunctionName() && entry.mode == op.getMode())
      return &entry;
  return nullptr;
}

StringRef MPIDialectOp::getOutcome(OpResult result) const {
  // The result class of mpi.error_class is an !mpi.retval, too.
  bool isReturnValue = isa<mlir::mpi::RetvalType>(result.getType()) && outcome != "errorclass";
  return isReturnValue ? "error" : outcome;
}

bool comm::isMessageBuffer(MemRefType type, std::string &reason) {
  Type element = type.getElementType();
  if (!element.isIntOrFloat() && !isa<ComplexType>(element)) {
    reason = "MPI has no datatype for its elements: use integers, floats or complex numbers";
    return false;
  }
  if (!type.areTrailingDimsContiguous(type.getRank())) {
    reason = "its elements are not known to be contiguous: copy them to a memref without gaps";
    return false;
  }
  return true;
}
