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
#include "mlir/Pass/Pass.h"

namespace comm::graph {

/// Reports what the pass did to the operation.
inline void tell(const mlir::Pass &pass, mlir::Operation *op, const std::string &text) {
  auto options = mlir::remark::RemarkOpts::name(pass.getArgument()).category(pass.getArgument());
  mlir::remark::passed(op->getLoc(), options) << text;
}

/// Reports why it did nothing.
inline void tellNot(const mlir::Pass &pass, mlir::Operation *op, const std::string &text) {
  auto options = mlir::remark::RemarkOpts::name(pass.getArgument()).category(pass.getArgument());
  mlir::remark::missed(op->getLoc(), options) << text;
}

} // namespace comm::graph

#endif // COMM_LIB_TRANSFORMS_GRAPH_REMARKS_H
