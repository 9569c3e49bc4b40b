//===- IntegerEvaluator.h - Evaluation of integer operations ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_SYMBOLIC_INTEGEREVALUATOR_H
#define COMM_ANALYSIS_SYMBOLIC_INTEGEREVALUATOR_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/APInt.h"

#include <optional>

namespace comm {

/// Evaluates an integer operation of the llvm dialect, or any operation with a folder, on these operands. Returns none
/// if the result is unknown (division by zero, another kind of operation).
std::optional<llvm::APInt> evaluateInteger(mlir::Operation *op, llvm::ArrayRef<llvm::APInt> operands);

} // namespace comm

#endif // COMM_ANALYSIS_SYMBOLIC_INTEGEREVALUATOR_H
