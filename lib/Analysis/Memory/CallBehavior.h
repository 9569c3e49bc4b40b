//===- CallBehavior.h - What an LLVM instruction may do ----------*- C++ -*-===//
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

/// What the instruction may do, memory aside: only whether it reads and writes. Calls are judged by the summaries of
/// the functions of the module, by attributes, by MPI's tables and by LLVM's knowledge of the C library.
Behavior getInstructionBehavior(const llvm::Instruction &instruction, const FunctionSummaries &summaries,
                                const llvm::TargetLibraryInfo &library);

/// Says of gettimeofday, if the function is it, that it writes what it is told to and keeps no address.
void describeClock(llvm::Function &function, const llvm::TargetLibraryInfo &library);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_MEMORY_CALLBEHAVIOR_H
