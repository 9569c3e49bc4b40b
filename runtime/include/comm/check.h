/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The in-flight checker (-fcomm-check): finds accesses to the buffers of a nonblocking operation between its start and
 * its wait that MPI forbids (MPI-4.0 sections 3.7.2 and 6.12).
 *
 * A buffer that MPI reads is copied at the start and compared at the wait. A buffer that MPI writes is poisoned for
 * AddressSanitizer from start to wait, which reports each load or store where it happens; without -fsanitize=address,
 * receive buffers cannot be checked. docs/report.md describes what is found.
 */
#ifndef COMM_CHECK_H
#define COMM_CHECK_H

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COMM_CHECK_ABI_VERSION 1

/* Exit code of a program in which the checker found an illegal access. */
#define COMM_CHECK_EXIT_CODE 86

typedef struct comm_check_site {
  uint32_t abi_version; /* COMM_CHECK_ABI_VERSION */
  uint32_t line, column;
  uint32_t reserved; /* 0 */
  const char *mpi_call, *function, *file;
} comm_check_site;

/* How MPI accesses the buffer: one of READ, WRITE, or READ | WRITE, optionally combined with the others. */
enum {
  /* MPI reads it: the program must not write it. */
  COMM_CHECK_READ = 1,
  /* MPI writes it: the program must not access it. */
  COMM_CHECK_WRITE = 2,
  /* READ | WRITE with a root: MPI reads it at the root and writes it at all other ranks (MPI_Ibcast). Without a
   * root: MPI does both, the program must not access it (MPI_Isendrecv_replace). */

  /* Blocks "for each rank" are for each neighbor in the topology of `comm` (sources if MPI writes the buffer,
   * destinations if MPI reads it). */
  COMM_CHECK_NEIGHBORS = 8,

  /* For comm_check_buffer_w: displacements are MPI_Aint, not int
   * (MPI_Ineighbor_alltoallw). */
  COMM_CHECK_AINT_DISPLS = 16
};

/*
 * Puts the buffer in flight until comm_check_finish(key). `key` is the address of the MPI_Request variable; several
 * buffers may share it.
 *
 * `count` is in elements of `type`; `blocks` 0: count elements, 1: count elements for each rank of `comm` (of the
 * remote group, if `comm` is an intercommunicator). `root` -1: significant at every rank, else only where rank == root
 * (MPI_ROOT and MPI_PROC_NULL as in MPI). Nothing is in flight for `buf` MPI_IN_PLACE, count 0, MPI_COMM_NULL and
 * MPI_DATATYPE_NULL. For point-to-point operations, pass count 0 if the peer is MPI_PROC_NULL. Must be called right
 * after the start; any thread that may call MPI may call it.
 */
void comm_check_buffer(const comm_check_site *site, const void *key, const void *buf, int64_t count, MPI_Datatype type,
                       MPI_Comm comm, int blocks, int root, int access);

/*
 * Like comm_check_buffer, with one count and displacement (in extents of `type`) for each rank, as in v-collectives.
 * `displs` null: contiguous blocks for the processes of the local group (the send buffer of MPI_Ireduce_scatter). The
 * arrays are not kept.
 */
void comm_check_buffer_v(const comm_check_site *site, const void *key, const void *buf, const int *counts,
                         const int *displs, MPI_Datatype type, MPI_Comm comm, int root, int access);

/* Like comm_check_buffer, with displacements in bytes and one type for each rank (MPI_Ialltoallw). */
void comm_check_buffer_w(const comm_check_site *site, const void *key, const void *buf, const int *counts,
                         const void *displs, const MPI_Datatype *types, MPI_Comm comm, int access);

/*
 * Sets the site of this thread's next MPI call, if it calls site->mpi_call or its nonblocking form. The checker of
 * collectives (libCommCheckWrappers.a) uses it in messages.
 */
void comm_check_at(const comm_check_site *site);

/*
 * Ends the flight of all buffers of `key` and reports illegal accesses to them. Must be called right before the
 * MPI_Wait of that request. Does nothing for a key that has no buffer in flight.
 */
void comm_check_finish(const void *key);

#ifdef __cplusplus
}
#endif

#endif /* COMM_CHECK_H */
