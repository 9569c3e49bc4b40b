//===- UniformCollectives.h - Collectives that match each other ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_COLLECTIVES_UNIFORMCOLLECTIVES_H
#define COMM_PLUGIN_COLLECTIVES_UNIFORMCOLLECTIVES_H

#include "Comm/MPI/Sums.h"

namespace llvm {
class Module;
} // namespace llvm

namespace comm {

/// Makes all calls of one collective function in a program blocking, or all of them nonblocking.
///
/// Blocking and nonblocking collectives never match each other (MPI-4, 6.12): if one process calls MPI_Bcast and
/// another MPI_Ibcast for the same operation, both wait for ever. Ranks may make the calls of one collective at
/// different places, in different files even (a master and its workers), so one place must not decide alone. The linker
/// knows all files: a file that starts MPI_Ibcast defines a symbol of that name, and what is left of blocking calls,
/// and of uses of the function's address, goes to a function that starts and waits where the symbol is defined and
/// blocks where it is not. Reductions that round count as a function of their own: one that `sums` keeps blocking stays
/// so whatever becomes of others. Returns true if anything changed.
bool makeCollectivesUniform(llvm::Module &module, mpi::SumOrder sums);

} // namespace comm

#endif // COMM_PLUGIN_COLLECTIVES_UNIFORMCOLLECTIVES_H
