//===- LLVMWork.h - Time estimates for instructions -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_MEMORY_LLVMWORK_H
#define COMM_LIB_ANALYSIS_MEMORY_LLVMWORK_H

#include "Comm/Analysis/Memory/WorkEstimate.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Instruction;
class Loop;
} // namespace llvm

namespace comm {

/// Estimates the work of instructions: the cost of each, times how often it runs.
class LLVMWork {
public:
  explicit LLVMWork(llvm::FunctionAnalysisManager &analyses) : analyses(analyses) {}

  /// Returns the work of the instruction each time control passes `around`: loops that contain both are not multiplied
  /// in.
  WorkEstimate estimate(llvm::Instruction &instruction, const llvm::Instruction &around);

private:
  WorkEstimate estimateOnce(llvm::Instruction &instruction);
  WorkEstimate estimateCall(llvm::Instruction &call);
  WorkEstimate estimateBody(llvm::Function &function);
  /// Multiplies by the trip counts of the loops around the instruction that do not contain `around`.
  void repeat(WorkEstimate &work, llvm::Instruction &instruction, const llvm::Instruction *around);

  llvm::FunctionAnalysisManager &analyses;
  /// Estimates of function bodies. Unknown while the body itself is being estimated (recursion).
  llvm::DenseMap<const llvm::Function *, WorkEstimate> bodies;
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_MEMORY_LLVMWORK_H
