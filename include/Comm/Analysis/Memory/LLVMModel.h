//===- LLVMModel.h - LLVM IR of a module, for analyses ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_MEMORY_LLVMMODEL_H
#define COMM_ANALYSIS_MEMORY_LLVMMODEL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

#include <memory>
#include <optional>

namespace llvm {
class CallBase;
class Instruction;
class Value;
} // namespace llvm

namespace comm {

/// A translation of a module to LLVM IR that is only analyzed, never run. Each comm op becomes a call of a function
/// without a body, whose arguments are the op's memory and number operands, in order. Handles are omitted, so that the
/// model does not depend on an MPI implementation.
struct LLVMModel {
  LLVMModel();
  ~LLVMModel();

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  /// The instructions of each operation of the original module. Operations without any are missing.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<llvm::Instruction *, 2>> instructions;
  /// For each comm op, the index of the call's argument for each operand, or -1.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int, 8>> arguments;

  /// Variables that are accessed only by their name (kPrivateAttrName).
  llvm::SmallPtrSet<const llvm::Value *, 8> privateVariables;

  /// Return the call for a comm op, and its argument for one of the op's operands; null if there is none.
  llvm::CallBase *getCall(mlir::Operation *op) const;
  llvm::Value *getArgument(mlir::Operation *op, mlir::Value operand) const;

  /// Returns LLVM's analyses of the model, shared by all clients. Instructions may get attributes and other operands
  /// until the first analysis that depends on them runs.
  llvm::FunctionAnalysisManager &getAnalyses();

  /// Returns null if the module cannot be translated; diagnostics are suppressed. If `functions` is given, only these
  /// functions and what they call keep their bodies.
  static std::unique_ptr<LLVMModel> build(mlir::ModuleOp module,
                                          std::optional<llvm::ArrayRef<mlir::Operation *>> functions = std::nullopt);

private:
  struct Analyses;
  std::unique_ptr<Analyses> analyses;
};

/// Calls `visit` with each function that this one calls or mentions, as often as it does.
void forEachMentionedFunction(mlir::Operation *function, const mlir::SymbolTable &symbols,
                              llvm::function_ref<void(mlir::Operation *)> visit);

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_LLVMMODEL_H
