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

/// Where a loop ends: its latch leaves when what the next iteration begins with is a certain value.
struct LoopEnd {
  mlir::LLVM::CondBrOp latch;
  /// The two that are compared; `next` is computed in the loop.
  mlir::Value next, last;

  bool leavesIfTrue(const mlir::CFGLoop &loop) { return !loop.contains(latch.getTrueDest()); }
};
std::optional<LoopEnd> matchEnd(const mlir::CFGLoop &loop);

/// `for (i = 0; i < count; ++i) op(&requests[i])`: the one loop around an operation, which runs in each iteration.
struct RequestLoop {
  mlir::Operation *op;
  mlir::CFGLoop *loop = nullptr;
  mlir::Value count;
  /// Where the requests are.
  mlir::Value base;
};
/// `pointer` is that of the operation to its request, of `handleSize` bytes.
std::optional<RequestLoop> matchRequestLoop(mlir::Operation *op, mlir::Value pointer, mlir::CFGLoop &loop,
                                            const mlir::DataLayout &layout, uint64_t handleSize);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_REQUESTS_REQUESTLOOP_H
