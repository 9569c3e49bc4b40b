//===- Effects.h - What MPI's functions do to their arguments ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What follows from the standard's tables for an optimizer: which addresses MPI keeps, what it reads and writes through
// them, which functions only ask. All that is told to LLVM, in front of its pipeline and in analyses, is decided here.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_MPI_EFFECTS_H
#define COMM_MPI_EFFECTS_H

#include "Comm/MPI/Standard.h"

#include <optional>

namespace comm::mpi {

/// Whether MPI has no copy of the parameter's address once the call returned: variables to which it writes handles,
/// statuses or numbers, arrays of numbers, and the messages of blocking calls. Of strings, attributes and the state of
/// callbacks it may keep the address (MPI_Buffer_attach), or give it back as a number (MPI_Get_address), and of an
/// operation that goes on its buffers and counts. True whatever functions of the program the call runs.
bool forgetsAddress(const Function &function, const Param &param);

/// Whether MPI does not write through this pointer. A function of the program that the call runs may write the memory
/// by another.
bool onlyReads(const Function &function, const Param &param);

/// Whether MPI does not read through this pointer. Not the receive buffer of an operation that also sends: with
/// MPI_IN_PLACE it holds the contribution.
bool onlyWrites(const Function &function, const Param &param);

/// Whether the call touches its arguments' memory and MPI's own, provided that no error handler runs: it only asks,
/// neither moves messages nor completes requests, and runs none of the program's functions.
bool isQuery(const Function &function);

/// Whether a call may move messages, or wait for or synchronize with other processes: all that is neither local nor
/// only asks. What calls of it do to each other, on one process and on all, is part of the program's meaning.
bool communicates(const Function &function);

/// Whether programs write their exchanges with it: what has a nonblocking form (Function::hasNonblocking), and what
/// starts, makes, completes or asks for a request. Not what only communicates: MPI_Win_fence, MPI_Comm_spawn.
bool isOfExchange(const Function &function);

/// Whether no function of the program can run in the call, error handlers included.
bool runsNothing(const Function &function);

/// Whether no function of the program but an error handler can run in the call: no attribute callback, no operator, no
/// function of a generalized request.
bool runsOnlyHandlers(const Function &function);

/// The least number that a successful call puts out by that parameter, where the standard says one: 1 for the size of a
/// communicator.
std::optional<int64_t> getMinimum(const Function &function, unsigned param);

} // namespace comm::mpi

#endif // COMM_MPI_EFFECTS_H
