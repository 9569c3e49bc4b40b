//===- ModelCalls.h - Effects of MPI and allocators, for LLVM ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_MEMORY_MODELCALLS_H
#define COMM_LIB_ANALYSIS_MEMORY_MODELCALLS_H

#include "Comm/Analysis/Memory/LLVMModel.h"

namespace comm {

/// Adds attributes for what MPI guarantees: a blocking operation touches its arguments and memory inaccessible to the
/// program, keeps no pointer and returns. The same holds for an operation whose request the IR follows, because passes
/// that move it keep conflicting accesses out of its interval. Any other nonblocking operation stays unknown to LLVM,
/// so that its buffers count as captured.
void describeCommCalls(LLVMModel &model, llvm::function_ref<bool(mlir::Operation *)> isFollowed);

/// MPI functions without an operation, and operations that may do anything (MPI_Comm_free runs callbacks), still keep
/// no pointer to the variables that they write handles to. A structure that contains a communicator therefore does not
/// escape.
void describeKeptPointers(LLVMModel &model);

/// Freed memory is no longer reached by pointers, whatever its allocator keeps of them. LLVM knows this for free but
/// not for operator delete, which then counts as a function that may store the pointer for others to load. The size
/// that C++ passes along, a difference of pointers, does not expose the memory, either.
void describeDeallocations(LLVMModel &model);

/// Call this last: marks functions of the module that keep none of their pointer arguments, such as a destructor that
/// frees a communicator.
void describeLentPointers(LLVMModel &model);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_MEMORY_MODELCALLS_H
