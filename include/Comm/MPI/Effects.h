//===- Effects.h - Effects of MPI functions ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the standard's tables imply for an optimizer: which addresses MPI keeps, what it reads and writes through them,
// and which functions only query. Everything that LLVM is told about MPI, before its pipeline and in analyses, is
// decided here.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_MPI_EFFECTS_H
#define COMM_MPI_EFFECTS_H

#include "Comm/MPI/Standard.h"

#include <optional>

namespace comm::mpi {

/// Whether MPI keeps no copy of the parameter's address after the call returns. True for variables to which it writes
/// handles, statuses or numbers, for arrays of numbers, and for the messages of blocking calls. MPI may keep the
/// addresses of strings, attributes and callback state (MPI_Buffer_attach), return an address as a number
/// (MPI_Get_address), and use the buffers and counts of an operation that is still in progress. Independent of any
/// functions of the program that the call runs.
bool forgetsAddress(const Function &function, const Param &param);

/// Whether MPI does not write through this pointer. A function of the program that the call runs may write the memory
/// through another pointer.
bool onlyReads(const Function &function, const Param &param);

/// Whether MPI does not read through this pointer. False for the receive buffer of an operation that also sends: with
/// MPI_IN_PLACE it holds the contribution.
bool onlyWrites(const Function &function, const Param &param);

/// Whether the call touches only its arguments' memory and MPI's own, provided that no error handler runs: it is a
/// query that neither moves messages nor completes requests, and runs no function of the program.
bool isQuery(const Function &function);

/// Whether a call may move messages, or wait for or synchronize with other processes: any function that is neither
/// local nor a query. The order of such calls, on one process and across processes, is part of the program's meaning.
bool communicates(const Function &function);

/// Whether programs use the function to write an exchange: it has a nonblocking form (Function::hasNonblocking), or
/// creates, starts, completes or queries a request. False for functions that only communicate: MPI_Win_fence,
/// MPI_Comm_spawn.
bool isOfExchange(const Function &function);

/// Whether the call cannot run any function of the program, including error handlers.
bool runsNothing(const Function &function);

/// Whether the call can run no function of the program except error handlers: no attribute callback, no operator, no
/// function of a generalized request.
bool runsOnlyHandlers(const Function &function);

/// Returns the smallest number that a successful call may return through this parameter, if the standard specifies one:
/// 1 for the size of a communicator.
std::optional<int64_t> getMinimum(const Function &function, unsigned param);

} // namespace comm::mpi

#endif // COMM_MPI_EFFECTS_H
