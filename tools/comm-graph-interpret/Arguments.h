//===- Arguments.h - Arguments and results of programs ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMM_GRAPH_INTERPRET_ARGUMENTS_H
#define COMM_TOOLS_COMM_GRAPH_INTERPRET_ARGUMENTS_H

#include "Comm/Interpreter/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace comm::interpreter {

/// Returns values for the parameters, given as `name=value`. Properties without a value are zero, except for edge
/// properties called weight or weights, which are the graph's. Prints errors.
std::optional<std::vector<RuntimeValue>> makeArguments(mlir::func::FuncOp function, Interpreter &interpreter,
                                                       const GraphData &graph, llvm::ArrayRef<std::string> given);

/// Prints `property NAME` and a line for each vertex or edge.
void printProperty(llvm::StringRef name, mlir::Type type, const RuntimeValue &value, const GraphData &graph);
void printScalar(mlir::Type type, const RuntimeValue &value);

} // namespace comm::interpreter

#endif // COMM_TOOLS_COMM_GRAPH_INTERPRET_ARGUMENTS_H
