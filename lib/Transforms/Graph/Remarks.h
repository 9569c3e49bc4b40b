//===- Remarks.h - Remarks of passes over graph programs --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each transform reports where it fired, and where it considered to but did not, with the reason. `commgraph --explain`
// prints these remarks.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_GRAPH_REMARKS_H
#define COMM_LIB_TRANSFORMS_GRAPH_REMARKS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Remarks.h"

namespace comm::graph {

/// Reports that the transform `name`, implemented by the pass `pass`, did `text` to the operation.
inline void tell(mlir::Operation *op, llvm::StringRef pass, llvm::StringRef name, const std::string &text) {
  mlir::remark::passed(op->getLoc(), mlir::remark::RemarkOpts::name(name).category(pass)) << text;
}

/// Reports that it did not, and why.
inline void tellNot(mlir::Operation *op, llvm::StringRef pass, llvm::StringRef name, const std::string &text) {
  mlir::remark::missed(op->getLoc(), mlir::remark::RemarkOpts::name(name).category(pass)) << text;
}

} // namespace comm::graph

#endif // COMM_LIB_TRANSFORMS_GRAPH_REMARKS_H
