//===- Observers.h - Calls that see when a message was started --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_SOURCES_OBSERVERS_H
#define COMM_PLUGIN_SOURCES_OBSERVERS_H

namespace llvm {
class Module;
class User;
} // namespace llvm

namespace comm {

/// Returns a call that receives or probes, in any form, from a source that is not known to be a process or
/// MPI_PROC_NULL, or another use of such a function (its address); null if the file has none.
///
/// A source is known if it is a constant, a rank or size that MPI returned, a provably nonnegative expression of these
/// (a ring's `(rank + size - 1) % size`), a neighbor from MPI_Cart_shift, the destination of a send that is executed
/// whenever the call is, or not MPI_ANY_SOURCE according to the branches that dominate the call. Sources are also
/// tracked through variables that nothing else can write and through arguments of the file's own functions. `rank - 1`
/// without a branch is unknown: in process 0 it is -1, which is Open MPI's MPI_ANY_SOURCE.
///
/// With `variablesAreKnown`, a promise, everything but constants counts as known.
const llvm::User *findAnySourceReceive(llvm::Module &module, bool variablesAreKnown);

/// Returns a call, or another use, of a function that sees when another process started a message, whatever its
/// arguments (mpi::Function::observesStarts); null if the file has none.
const llvm::User *findObserver(llvm::Module &module);

} // namespace comm

#endif // COMM_PLUGIN_SOURCES_OBSERVERS_H
