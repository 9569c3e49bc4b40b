//===- LLVMModel.h - A module as LLVM IR, for asking ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_MEMORY_LLVMMODEL_H
#define COMM_ANALYSIS_MEMORY_LLVMMODEL_H

#include "mlir/IR/BuiltinOps.h"
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

/// A translation of a module to LLVM IR that is only asked, never run. Every comm op is one call there: of a function
/// without a body whose arguments are the op's operands in memory and numbers, in order; handles are left out. So the
/// model needs no MPI implementation.
struct LLVMModel {
  LLVMModel();
  ~LLVMModel();

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  /// The instructions of each operation of the original module. Operations that have none are missing.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<llvm::Instruction *, 2>> instructions;
  /// Of each comm op, the call's argument for each operand, or -1.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int, 8>> arguments;

  /// Variables that only their name reaches (kPrivateAttrName).
  llvm::SmallPtrSet<const llvm::Value *, 8> privateVariables;

  /// The call that stands for a comm op, and what it gets for one of the op's operands; null if there is none.
  llvm::CallBase *getCall(mlir::Operation *op) const;
  llvm::Value *getArgument(mlir::Operation *op, mlir::Value operand) const;

  /// LLVM's analyses of the model's functions, which all who ask about it share. Instructions may get attributes and
  /// other operands until the first analysis that looks at them.
  llvm::FunctionAnalysisManager &getAnalyses();

  /// Null if the module cannot be translated; diagnostics are swallowed. Where functions are named, only they and what
  /// they call have a body.
  static std::unique_ptr<LLVMModel> build(mlir::ModuleOp module,
                                          std::optional<llvm::ArrayRef<mlir::Operation *>> functions = std::nullopt);

private:
  struct Analyses;
  std::unique_ptr<Analyses> analyses;
};

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_LLVMMODEL_H
