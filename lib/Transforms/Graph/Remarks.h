//===- Remarks.h - What the passes over graph programs tell --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each transform tells where it fired, and where it looked and did not, with the reason: `commgraph --explain` prints
// it.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_GRAPH_REMARKS_H
#define COMM_LIB_TRANSFORMS_GRAPH_REMARKS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Remarks.h"

namespace comm::graph {

/// The transform `name`, which the pass `pass` is, did `text` with the operation.
inline void tell(mlir::Operation *op, llvm::StringRef pass, llvm::StringRef name, const std::string &text) {
  mlir::remark::passed(op->getLoc(), mlir::remark::RemarkOpts::name(name).category(pass)) << text;
}

/// It did not, and why.
inline void tellNot(mlir::Operation *op, llvm::StringRef pass, llvm::StringRef name, const std::string &text) {
  mlir::remark::missed(op->getLoc(), mlir::remark::RemarkOpts::name(name).category(pass)) << text;
}

} // namespace comm::graph

#endif // COMM_LIB_TRANSFORMS_GRAPH_REMARKS_H
