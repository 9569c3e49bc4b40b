//===- Passes.h - Passes over the comm dialect ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TRANSFORMS_PASSES_H
#define COMM_TRANSFORMS_PASSES_H

#include "Comm/Analysis/Order/Observers.h"
#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/Utils/PassStatistic.h"
#include "Comm/MPI/Sums.h"
#include "Comm/Transforms/MotionMode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace comm {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Comm/Transforms/Passes.h.inc"

} // namespace comm

#endif // COMM_TRANSFORMS_PASSES_H
