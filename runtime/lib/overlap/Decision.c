/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "Overlap.h"

/* The PMPI names, which bypass tools between the program and MPI (MPI-4, 15.2). */
int PMPI_Type_size(MPI_Datatype, int *);
int PMPI_Query_thread(int *);

static int rounds(const struct CommReduction *reduction) {
  return comm_is_rounding_op(reduction->op) && comm_is_floating_datatype(reduction->datatype);
}

/* Returns whether both forms add in the same order, provided that they have a fixed order at all: for a power of two
 * of processes in one group, with few of them or few elements. */
static int isOrdered(int size, MPI_Count count) {
  return size > 0 && (size & (size - 1)) == 0 && count >= 0 &&
         (size <= COMM_ORDER_MOST_PROCESSES || count <= COMM_ORDER_MOST_ELEMENTS);
}

/* Returns whether the nonblocking form takes more latencies than the blocking one. It then pays off only if the
 * overlapped computation takes longer than a latency, which is unknown here (lib/MPI/Latencies). */
static int takesMoreLatencies(enum CommCollective collective, int size, const struct CommReduction *reduction) {
  int bytes = 0;
  if (reduction->count < 0 || PMPI_Type_size(reduction->datatype, &bytes) != 0 || bytes < 0)
    return comm_takes_more_latencies(collective, size, -1);
  return comm_takes_more_latencies(collective, size, bytes * reduction->count);
}

int comm_ask_world_meets_others(void) { return !comm_get_program()->isAlone; }

/* The level may also come from a library or the environment. Other processes may have requested another one. */
int comm_ask_talking_threads(void) {
  int level;
  return (comm_get_markers() & COMM_WANTS_THREADS) != 0 || PMPI_Query_thread(&level) != 0 ||
         comm_is_thread_serialized(level) || comm_is_thread_multiple(level);
}

int comm_ask_spans_nodes(void) { return comm_get_program()->pays; }

int comm_ask_meets_others(MPI_Comm comm) { return comm_ask_world_meets_others() || comm_size_within_world(comm) == 0; }

int comm_is_nonblocking(enum CommCollective collective, int isPromised, MPI_Comm comm,
                        const struct CommReduction *reduction) {
  const struct CommProgram *program = comm_get_program();
  if (!(isPromised ? program->mayStartPromised : program->mayStart[collective]))
    return 0;
  uint32_t facts = program->facts.of[collective];
  /* A library opened at run time may contain starts that the program does not know about. */
  if (isPromised)
    facts |= COMM_STARTS | COMM_STARTS_ORDERED_SUMS;
  int size = comm_size_within_world(comm);
  if (size == 0 || (size == 1 && !(program->facts.of[COMM_COLLECTIVES] & COMM_IGNORES_COSTS)))
    return 0;
  if (reduction && !(program->facts.of[COMM_COLLECTIVES] & COMM_IGNORES_COSTS) &&
      takesMoreLatencies(collective, size, reduction))
    return 0;
  if (!reduction || !rounds(reduction))
    return (facts & COMM_STARTS) != 0;
  return (facts & COMM_STARTS_SUMS) || ((facts & COMM_STARTS_ORDERED_SUMS) && isOrdered(size, reduction->count));
}
