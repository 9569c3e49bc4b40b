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

/// The function that nobody calls, or the one of that name. Prints why there is none.
mlir::func::FuncOp findFunction(mlir::ModuleOp module, llvm::StringRef name);

/// The name that the program gives a parameter.
llvm::StringRef getParameterName(mlir::func::FuncOp function, unsigned index);

/// Values for the parameters, from `name=value` each. Properties without a value are zero, except for those of edges
/// that are called weight or weights: these are the graph's. Prints what is wrong.
std::optional<std::vector<RuntimeValue>> makeArguments(mlir::func::FuncOp function, Interpreter &interpreter,
                                                       const GraphData &graph, llvm::ArrayRef<std::string> given);

/// Prints `property NAME` and a line for each vertex or edge.
void printProperty(llvm::StringRef name, mlir::Type type, const RuntimeValue &value, const GraphData &graph);
void printScalar(mlir::Type type, const RuntimeValue &value);

} // namespace comm::interpreter

#endif // COMM_TOOLS_COMM_GRAPH_INTERPRET_ARGUMENTS_H
