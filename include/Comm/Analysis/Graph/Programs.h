//===- Programs.h - The function that is the program ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_GRAPH_PROGRAMS_H
#define COMM_ANALYSIS_GRAPH_PROGRAMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace comm::graph {

/// Returns the function of that name or, without a name, the one that no other function calls. Reports an error if
/// there is none.
mlir::func::FuncOp findProgram(mlir::ModuleOp module, llvm::StringRef name);

} // namespace comm::graph

#endif // COMM_ANALYSIS_GRAPH_PROGRAMS_H
