//===- Rounding.cpp - Reductions that round -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/Rounding.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"

using namespace mlir;
using namespace comm;

Rounding comm::getRounding(MPIOpInterface op, mpi::SumOrder sums) {
  Value reduction = op.getParam("op");
  if (!reduction || op.isLocal())
    return Rounding::No;
  StringRef name = getConstantName(reduction);
  Value datatype = op.getParam("datatype");
  bool isExact = !datatype && llvm::all_of(op.getAccesses(), [](const BufferAccess &access) {
    auto memref = dyn_cast<BaseMemRefType>(access.buffer.getType());
    return !memref || memref.getElementType().isIntOrIndex();
  });
  if (isExact)
    return Rounding::No;
  StringRef type = datatype ? getConstantName(datatype) : "MPI_DOUBLE";
  // With zeros of both signs or NaNs, the order decides which one is the minimum. Hardly any program shows the
  // difference, but exact means exact.
  if (!mpi::mayRound(sums == mpi::SumOrder::Exact ? "" : name, type))
    return Rounding::No;
  return name.empty() || type.empty() ? Rounding::Maybe : Rounding::Yes;
}
