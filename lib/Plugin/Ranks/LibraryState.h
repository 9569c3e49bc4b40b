//===- LibraryState.h - State that C's library keeps ---------------*- C++ -*-===//
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

/// Functions of the C library whose state each rank needs for itself become those of runtime/lib/ranks-start; uses of
/// the others are warned of. Returns true if anything changed.
bool rewireLibraryState(llvm::Module &module, const char *pass);

/// OpenMP's threads run code of the rank that starts them. Returns true if anything changed.
bool carryDisplacementToThreads(llvm::Module &module);

/// Warns of thread_local variables in a file with OpenMP: the threads of one rank share them.
void warnSharedThreadLocals(llvm::Module &module, llvm::ArrayRef<llvm::GlobalVariable *> variables, const char *pass);

} // namespace comm

#endif // COMM_LIB_PLUGIN_RANKS_LIBRARYSTATE_H
