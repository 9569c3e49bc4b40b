//===- LibraryState.h - State in the C library ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PLUGIN_RANKS_LIBRARYSTATE_H
#define COMM_LIB_PLUGIN_RANKS_LIBRARYSTATE_H

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class GlobalVariable;
class Module;
} // namespace llvm

namespace comm {

/// Replaces C library functions that need separate state for each rank by those of runtime/lib/ranks-start, and warns
/// about uses of functions that have no replacement. Returns true if anything changed.
bool rewireLibraryState(llvm::Module &module, const char *pass);

/// Makes OpenMP threads run with the displacement of the rank that starts them. Returns true if anything changed.
bool carryDisplacementToThreads(llvm::Module &module);

/// Warns about thread_local variables in a file with OpenMP: the threads of a rank share them.
void warnSharedThreadLocals(llvm::Module &module, llvm::ArrayRef<llvm::GlobalVariable *> variables, const char *pass);

} // namespace comm

#endif // COMM_LIB_PLUGIN_RANKS_LIBRARYSTATE_H
