/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Checks that the processes of a communicator call the same collectives in the same order, with matching arguments
 * (MPI-4.0 section 6.14). The wrappers of generate_wrappers.py call this.
 *
 * Each process sends its two neighbors on a ring a description of its k-th collective, on a duplicate of the
 * communicator, and compares the descriptions that it receives. If any two processes differ, then some neighbors on the
 * ring differ, and the later one of these receives what the earlier one sent. No process waits for another one longer
 * than COMM_CHECK_PATIENCE_MS, so the check does not hang programs that do not hang themselves.
 */
#ifndef COMM_RUNTIME_CHECK_COLLECTIVES_H
#define COMM_RUNTIME_CHECK_COLLECTIVES_H

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { COMM_CHECK_PATIENCE_MS = 20 };

/*
 * Announces that the process is about to call the collective `called` on `comm`. `blocking` is the name of the blocking
 * form, which may be `called` itself. `root` is -1 if there is none. Each process contributes or receives `count`
 * elements of `type`, which is MPI_DATATYPE_NULL if that may differ between processes. `op` is MPI_OP_NULL if there is
 * none. Does nothing on intercommunicators and on communicators that were not created by a wrapper.
 */
void comm_check_collective(MPI_Comm comm, const char *called, const char *blocking, int root, int64_t count,
                           MPI_Datatype type, MPI_Op op);

/* Registers a communicator that a call just returned; all of its processes call this. Does nothing for MPI_COMM_NULL
 * and intercommunicators. */
void comm_check_communicator(MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#endif /* COMM_RUNTIME_CHECK_COLLECTIVES_H */
