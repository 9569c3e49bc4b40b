//===- Persistent.h - Persistent requests of messages ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MPI-4, 3.9: a request that is created once, and started and completed repeatedly.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_MPI_PERSISTENT_H
#define COMM_MPI_PERSISTENT_H

#include "Comm/MPI/Standard.h"

namespace comm::mpi {

/// Returns the nonblocking function that corresponds to one start of the request: MPI_Isend for MPI_Send_init. Null for
/// functions that do not create a persistent request for a message.
const Function *getStartedFunction(const Function &init);

/// Whether this is MPI_Start or MPI_Startall.
bool isPersistentStart(const Function &function);

} // namespace comm::mpi

#endif // COMM_MPI_PERSISTENT_H
