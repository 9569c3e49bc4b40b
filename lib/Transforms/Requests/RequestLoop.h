//===- RequestLoop.h - Loops over an array of requests -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_REQUESTS_REQUESTLOOP_H
#define COMM_LIB_TRANSFORMS_REQUESTS_REQUESTLOOP_H

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

#include <optional>

namespace comm {

/// The end of a loop: its latch exits when the value for the next iteration is equal to a certain one.
struct LoopEnd {
  mlir::LLVM::CondBrOp latch;
  /// The two values that are compared; `next` is computed in the loop.
  mlir::Value next, last;

  bool leavesIfTrue(const mlir::CFGLoop &loop) { return !loop.contains(latch.getTrueDest()); }
};
std::optional<LoopEnd> matchEnd(const mlir::CFGLoop &loop);

/// `for (i = 0; i < count; ++i) op(&requests[i])`: the innermost loop around an operation, which runs in each
/// iteration.
struct RequestLoop {
  mlir::Operation *op;
  mlir::CFGLoop *loop = nullptr;
  mlir::Value count;
  /// The array of requests.
  mlir::Value base;
};
/// `pointer` is the operation's pointer to its request, of `handleSize` bytes.
std::optional<RequestLoop> matchRequestLoop(mlir::Operation *op, mlir::Value pointer, mlir::CFGLoop &loop,
                                            const mlir::DataLayout &layout, uint64_t handleSize);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_REQUESTS_REQUESTLOOP_H
