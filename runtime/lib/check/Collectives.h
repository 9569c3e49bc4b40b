/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Whether the processes of a communicator call the same collectives in the
 * same order, with arguments that go together (MPI-4.0 section 6.14): what the
 * wrappers of generate_wrappers.py ask.
 *
 * Each process tells its two neighbors on a ring of the communicator what its
 * k-th collective is, by messages on a duplicate of the communicator, and
 * compares what they tell. Two processes that differ are in two places of the
 * ring, so neighbors differ as well, and the later one of a pair finds what
 * the earlier one has sent. No process waits for another one longer than
 * COMM_CHECK_PATIENCE_MS, so a program that does not hang does not hang here.
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
 * The process is about to call the collective `called` on `comm`; `blocking`
 * is the blocking form's name, which is `called` itself if it blocks. `root`
 * -1: there is none. `count` elements of `type` are what each process
 * contributes or gets; MPI_DATATYPE_NULL where that may differ between
 * processes. `op` MPI_OP_NULL: there is none. Does nothing on
 * intercommunicators and on communicators that were not made by a wrapper.
 */
void comm_check_collective(MPI_Comm comm, const char *called, const char *blocking, int root, int64_t count,
                           MPI_Datatype type, MPI_Op op);

/* The call returned and made that communicator: all of its processes come
 * here. Nothing happens for MPI_COMM_NULL and intercommunicators. */
void comm_check_communicator(MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#endif /* COMM_RUNTIME_CHECK_COLLECTIVES_H */
