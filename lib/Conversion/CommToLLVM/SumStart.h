//===- SumStart.h - Nonblocking sums that keep their digits -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_COMMTOLLVM_SUMSTART_H
#define COMM_LIB_CONVERSION_COMMTOLLVM_SUMSTART_H

#include "CallBuilder.h"

namespace comm {

/// Calls, in place of the nonblocking reduction `start`, a function of the module that calls it only among processes
/// for which it adds floating-point numbers in the order of its blocking form (mpi::SumOrder::Ordered). Among others
/// it calls the blocking form, and the request stays what `arguments.back()` points to: MPI_REQUEST_NULL.
mlir::LLVM::CallOp createSumStart(CallBuilder &calls, const mpi::Function &start, mlir::ValueRange arguments);

} // namespace comm

#endif // COMM_LIB_CONVERSION_COMMTOLLVM_SUMSTART_H
