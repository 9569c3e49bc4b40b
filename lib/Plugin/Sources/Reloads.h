//===- Reloads.h - Values loaded more than once -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PLUGIN_SOURCES_RELOADS_H
#define COMM_LIB_PLUGIN_SOURCES_RELOADS_H

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class DominatorTree;
class Value;
} // namespace llvm

namespace comm {
class Objects;

/// Returns values of a function that are the same number as `value` wherever both are defined. For a local variable
/// that a single call to MPI writes (`MPI_Comm_rank(comm, &rank)`): its loads after that call, and phis of these; the
/// optimizer reloads the variable after each call, since its address escapes. For variables at file scope or in
/// structures: loads before or after `value` if nothing that may write the variable is in between. The result is empty
/// if `value` is none of these, and contains `value` otherwise.
llvm::SmallVector<llvm::Value *> findReloads(Objects &objects, llvm::Value &value,
                                             const llvm::DominatorTree &dominance);

} // namespace comm

#endif // COMM_LIB_PLUGIN_SOURCES_RELOADS_H
