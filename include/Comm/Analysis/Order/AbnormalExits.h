//===- AbnormalExits.h - Ways out by which a function does not return -*- C++ -*-===//
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

/// Whether operations can be put on the edge, so that they run where it is taken and nowhere else.
bool mayHoldOperations(mlir::BlockOperand &edge);

/// Calls `fn` with all operations in the block and in those that can be reached from it, up to blocks for which `isEnd`
/// holds. False if they are too many, after some of them.
bool walkReachable(mlir::Block *from, llvm::function_ref<bool(mlir::Block *)> isEnd,
                   llvm::function_ref<void(mlir::Operation *)> fn);

} // namespace comm

#endif // COMM_ANALYSIS_ORDER_ABNORMALEXITS_H
