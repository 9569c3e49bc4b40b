//===- Expressible.h - Limits of the mpi dialect ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_COMMTOMPI_EXPRESSIBLE_H
#define COMM_LIB_CONVERSION_COMMTOMPI_EXPRESSIBLE_H

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"

#include "llvm/ADT/DenseSet.h"

namespace comm {

/// Comparisons of an error code with an error class, which become mpi.retval_check.
using ErrorChecks = llvm::DenseSet<mlir::Operation *>;

/// Whether this is the only handle that the mpi dialect can name: mpi.comm_world.
bool isCommWorld(ConstantOp op);

/// Reports an error at each operation that MLIR's mpi dialect cannot express, and collects the error checks.
llvm::LogicalResult checkExpressible(mlir::Operation *module, ErrorChecks &errorChecks);

} // namespace comm

#endif // COMM_LIB_CONVERSION_COMMTOMPI_EXPRESSIBLE_H
