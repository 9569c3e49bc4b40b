//===- CallBehavior.h - Effects of LLVM instructions ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_MEMORY_CALLBEHAVIOR_H
#define COMM_LIB_ANALYSIS_MEMORY_CALLBEHAVIOR_H

#include "Comm/Analysis/Memory/FunctionSummary.h"
#include "Comm/Analysis/Memory/MemoryOracle.h"

namespace llvm {
class Instruction;
class TargetLibraryInfo;
} // namespace llvm

namespace comm {

/// Returns the effects of the instruction. For memory, only whether it reads or writes. Calls are judged by the
/// summaries of the module's functions, by attributes, by MPI's tables and by LLVM's knowledge of the C library.
Behavior getInstructionBehavior(const llvm::Instruction &instruction, const FunctionSummaries &summaries,
                                const llvm::TargetLibraryInfo &library);

/// If this is gettimeofday, adds attributes: it writes only its arguments and keeps no address.
void describeClock(llvm::Function &function, const llvm::TargetLibraryInfo &library);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_MEMORY_CALLBEHAVIOR_H
