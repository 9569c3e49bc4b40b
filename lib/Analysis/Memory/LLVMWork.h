//===- LLVMWork.h - About how long instructions take ---------------*- C++ -*-===//
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

/// Estimates the work of instructions: what each costs, times how often it runs.
class LLVMWork {
public:
  explicit LLVMWork(llvm::FunctionAnalysisManager &analyses) : analyses(analyses) {}

  /// The work of the instruction whenever control passes `around` once: loops that contain both count once.
  WorkEstimate estimate(llvm::Instruction &instruction, const llvm::Instruction &around);

private:
  WorkEstimate estimateOnce(llvm::Instruction &instruction);
  WorkEstimate estimateCall(llvm::Instruction &call);
  WorkEstimate estimateBody(llvm::Function &function);
  /// Multiplies by the trip counts of the loops around the instruction, up to `outside`.
  void repeat(WorkEstimate &work, llvm::Instruction &instruction, const llvm::Instruction *around);

  llvm::FunctionAnalysisManager &analyses;
  /// Of function bodies; unknown while the body itself is being looked at (recursion).
  llvm::DenseMap<const llvm::Function *, WorkEstimate> bodies;
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_MEMORY_LLVMWORK_H
