//===- ModelCalls.h - What MPI and allocators do, said to LLVM --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_MEMORY_MODELCALLS_H
#define COMM_LIB_ANALYSIS_MEMORY_MODELCALLS_H

#include "Comm/Analysis/Memory/LLVMModel.h"

namespace comm {

/// Tells LLVM what MPI says: a blocking operation touches its arguments and memory that the program cannot see, keeps
/// no pointer and returns. The same holds for an operation whose request the IR follows, because whoever moves it keeps
/// conflicting accesses out of its interval. Of any other nonblocking operation LLVM knows nothing, so that its buffers
/// count as captured.
void describeCommCalls(LLVMModel &model, llvm::function_ref<bool(mlir::Operation *)> isFollowed);

/// Functions of MPI that have no operation, and operations that may do anything (MPI_Comm_free runs callbacks), still
/// keep no pointer to the variables that they write handles to: a structure with a communicator in it remains the
/// function's own.
void describeKeptPointers(LLVMModel &model);

/// Memory that is given back is no longer reached by pointers, whatever its allocator keeps of them. LLVM says so of
/// free and not of operator delete, which then counts as a function that may store the pointer for others to load. Nor
/// is the size that C++ passes along, a difference of pointers, of any use to find the memory by.
void describeDeallocations(LLVMModel &model);

/// After the others: functions of the module that keep no pointer of those that they get, a destructor which frees a
/// communicator.
void describeLentPointers(LLVMModel &model);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_MEMORY_MODELCALLS_H
