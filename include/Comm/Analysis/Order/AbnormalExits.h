//===- AbnormalExits.h - Exits other than returns ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_ORDER_ABNORMALEXITS_H
#define COMM_ANALYSIS_ORDER_ABNORMALEXITS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace comm {

/// Whether an exception takes the edge.
bool isUnwinding(mlir::BlockOperand &edge);

/// Whether operations can be inserted on the edge, so that they run exactly when it is taken.
bool mayHoldOperations(mlir::BlockOperand &edge);

/// Calls `fn` with all operations in blocks that are reachable from the block, itself included, up to blocks for which
/// `isEnd` holds. Returns false if there are too many, possibly after some calls.
bool walkReachable(mlir::Block *from, llvm::function_ref<bool(mlir::Block *)> isEnd,
                   llvm::function_ref<void(mlir::Operation *)> fn);

} // namespace comm

#endif // COMM_ANALYSIS_ORDER_ABNORMALEXITS_H
