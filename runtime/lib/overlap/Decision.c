/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "Overlap.h"

static int rounds(const struct CommReduction *reduction) {
  return comm_is_rounding_op(reduction->op) && comm_is_floating_datatype(reduction->datatype);
}

/* Whether both forms add in one order, where they do so at all: among a power of two of processes in one group, and few
 * of them or of elements. */
static int isOrdered(int size, MPI_Count count) {
  return size > 0 && (size & (size - 1)) == 0 && count >= 0 &&
         (size <= COMM_ORDER_MOST_PROCESSES || count <= COMM_ORDER_MOST_ELEMENTS);
}

static int decide(unsigned facts, const struct CommProgram *program, MPI_Comm comm,
                  const struct CommReduction *reduction) {
  unsigned common = program->facts[COMM_COLLECTIVES];
  if (common & COMM_USES_SESSIONS)
    return 0;
  /* Within a node no nonblocking form is worth its price (lib/MPI/Costs): there is no latency to hide, and nothing
   * makes progress while the program computes. */
  if (program->isOnOneNode && !(common & COMM_IGNORES_COSTS))
    return 0;
  int size = comm_size_within_world(comm);
  if (size == 0 || (size == 1 && !(common & COMM_IGNORES_COSTS)))
    return 0;
  if (!reduction || !rounds(reduction))
    return facts & COMM_STARTS;
  return (facts & COMM_STARTS_SUMS) || ((facts & COMM_STARTS_ORDERED_SUMS) && isOrdered(size, reduction->count));
}

int comm_is_nonblocking(enum CommCollective collective, MPI_Comm comm, const struct CommReduction *reduction) {
  const struct CommProgram *program = comm_get_program();
  unsigned facts = program->facts[collective];
  if (!facts || (facts & COMM_CANNOT_ASK) || !program->isAlone)
    return 0;
  return decide(facts, program, comm, reduction);
}

int comm_is_nonblocking_promised(enum CommCollective collective, MPI_Comm comm, const struct CommReduction *reduction) {
  const struct CommProgram *program = comm_get_program();
  /* A library that was opened at run time has starts of which the program knows nothing. */
  return decide(program->facts[collective] | COMM_STARTS | COMM_STARTS_ORDERED_SUMS, program, comm, reduction);
}
