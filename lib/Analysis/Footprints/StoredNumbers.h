//===- StoredNumbers.h - Elements of an array on the stack ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_FOOTPRINTS_STOREDNUMBERS_H
#define COMM_LIB_ANALYSIS_FOOTPRINTS_STOREDNUMBERS_H

#include "Comm/Analysis/Footprints/Expr.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace comm {

/// Returns the integers that an array on the stack holds when the operation reads it: `count` elements of `width` bits,
/// for the list arguments of MPI calls. Empty if one of them is unknown.
llvm::SmallVector<Expr> findStoredNumbers(mlir::Value array, unsigned count, unsigned width, mlir::Operation *reader,
                                          llvm::function_ref<Expr(mlir::Value)> translate);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_FOOTPRINTS_STOREDNUMBERS_H
