//===- Observers.h - What sees when a message was started ---------*- C++ -*-===//
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

/// A call that receives or probes, in any form, from what is not known to be a process or MPI_PROC_NULL, or another use
/// of such a function (its address); null if the file has none.
///
/// A source is known if it is a constant, a rank or size that MPI told, not negative as computed from these (a ring's
/// `(rank + size - 1) % size`), a neighbor that MPI_Cart_shift told, the destination of a send that is executed
/// whenever the call is, or not MPI_ANY_SOURCE in the branches that lead to the call; also by way of variables that
/// nobody else can write, and of arguments of the file's own functions. Of `rank - 1` without a branch nothing is
/// known: it is -1, which is Open MPI's MPI_ANY_SOURCE, in process 0.
///
/// `variablesAreKnown`: whatever is not a constant is known, by a promise.
const llvm::User *findAnySourceReceive(llvm::Module &module, bool variablesAreKnown);

/// A call, or another use, of a function that sees when another process started a message, whatever its arguments
/// (mpi::Function::observesStarts); null if the file has none.
const llvm::User *findObserver(llvm::Module &module);

} // namespace comm

#endif // COMM_PLUGIN_SOURCES_OBSERVERS_H
