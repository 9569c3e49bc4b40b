//===- Persistent.h - Persistent requests of messages ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MPI-4, 3.9: a request that is made once, and started and completed again and again.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_MPI_PERSISTENT_H
#define COMM_MPI_PERSISTENT_H

#include "Comm/MPI/Standard.h"

namespace comm::mpi {

/// The nonblocking function that does once what a start of the request does: MPI_Isend for MPI_Send_init. Null for
/// functions that make no persistent request of a message.
const Function *getStartedFunction(const Function &init);

/// MPI_Start or MPI_Startall.
bool isPersistentStart(const Function &function);

} // namespace comm::mpi

#endif // COMM_MPI_PERSISTENT_H
