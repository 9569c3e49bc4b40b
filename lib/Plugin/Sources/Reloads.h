//===- Reloads.h - Values that are loaded more than once ---------*- C++ -*-===//
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

/// The values of one function that are the same number as this one, wherever both are defined: loads of a local
/// variable that one call of MPI writes, before all of them (`MPI_Comm_rank(comm, &rank)`), and what joins such loads.
/// The optimizer loads them after each call, which it takes to know the variable's address. Of other variables, at file
/// scope or in structures: loads before or after this one, if nothing that may write the variable is between the two.
/// Empty if the value is none of these; else it is one of them.
llvm::SmallVector<llvm::Value *> findReloads(Objects &objects, llvm::Value &value,
                                             const llvm::DominatorTree &dominance);

} // namespace comm

#endif // COMM_LIB_PLUGIN_SOURCES_RELOADS_H
