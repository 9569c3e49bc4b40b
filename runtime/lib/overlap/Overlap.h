/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Whether a collective is nonblocking: one decision for the starts that Comm
 * makes and for all blocking calls that stay.
 *
 * A blocking and a nonblocking collective never match (MPI-4, 6.12), so all
 * processes of a communicator must come to the same answer, and no process may
 * talk to another one to find it: one that Comm did not compile would not take
 * part. The answer depends on nothing but the function, its operator, datatype
 * and count where these are the same in all processes, the communicator, the
 * programs (Program.c) and the way they were launched (Launch.c).
 *
 * The compiler's plugin holds this code as LLVM bitcode and links what a file
 * needs into it; programs that comm-opt makes link it as an archive. Both are
 * compiled twice: for implementations whose handles are pointers, and for those
 * whose handles are integers. So nothing here includes an mpi.h.
 */
#ifndef COMM_RUNTIME_OVERLAP_H
#define COMM_RUNTIME_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

#ifdef COMM_HANDLES_ARE_POINTERS
typedef void *CommHandle;
#else
typedef int CommHandle;
#endif
typedef CommHandle MPI_Comm, MPI_Datatype, MPI_Op, MPI_Request, MPI_Group, MPI_Info;
typedef long MPI_Aint, MPI_Count;

#include "Collectives.h"

/* A fact about a program, in an ELF note of each file that it holds for. Notes
 * reach the executable by any linker, and are found in memory without symbols. */
struct CommNote {
  uint32_t nameSize, size, type;
  char name[8];
  uint32_t collective; /* enum CommCollective; COMM_COLLECTIVES: the whole program */
  uint32_t fact;
};

enum {
  /* Starts of calls that round nowhere, of sums whatever their order, and of sums where both forms add in one order. */
  COMM_STARTS = 1,
  COMM_STARTS_SUMS = 2,
  COMM_STARTS_ORDERED_SUMS = 4,
  /* Calls that cannot ask: all calls of the function stay blocking. */
  COMM_CANNOT_ASK = 8,

  /* Of the whole program: it uses sessions, whose communicators nobody can tell apart from others. */
  COMM_USES_SESSIONS = 1,
  /* A nonblocking form is used whatever it costs; for tests. */
  COMM_IGNORES_COSTS = 2,
};

#define COMM_NOTE_TYPE 1
#define COMM_NOTE(SYMBOL, COLLECTIVE, FACT)                                                                            \
  const struct CommNote SYMBOL __attribute__((section(".note.comm"), aligned(4))) = {                                  \
      sizeof "Comm",  sizeof(struct CommNote) - offsetof(struct CommNote, collective),                                 \
      COMM_NOTE_TYPE, "Comm",                                                                                          \
      COLLECTIVE,     FACT};
/* The note stays where the code stays: no optimizer sees what becomes of its address. */
#define COMM_KEEP(NOTE) __asm__ volatile("" ::"r"(&NOTE))

/* What is known of the program, once for all. */
struct CommProgram {
  unsigned char facts[COMM_COLLECTIVES + 1];
  /* All processes of MPI_COMM_WORLD run this program. */
  unsigned char isAlone;
  /* They are on one node. */
  unsigned char isOnOneNode;
  /* Some start of the function may be nonblocking: where calls ask, and where the program promises that they are
   * uniform. */
  unsigned char mayStart[COMM_COLLECTIVES], mayStartPromised;
};
extern struct CommProgram comm_program;
/* 2: `comm_program` is known. */
extern _Atomic int comm_program_is_known;
const struct CommProgram *comm_find_program(void);
/* Small enough to be inlined where calls are that stay blocking. */
static inline const struct CommProgram *comm_get_program(void) {
  int isKnown = __c11_atomic_load(&comm_program_is_known, __ATOMIC_ACQUIRE) == 2;
  return __builtin_expect(isKnown, 1) ? &comm_program : comm_find_program();
}
/* Facts of the notes of the executable, and of the libraries that it was linked with. */
void comm_read_notes(unsigned char facts[COMM_COLLECTIVES + 1]);
int comm_runs_alone(void);
int comm_is_on_one_node(void);

/* The number of processes if all are of this process's MPI_COMM_WORLD and in one group, its negative if they are in
 * two, 0 if there are others among them or nothing is known. */
int comm_size_within_world(MPI_Comm comm);

/* Whether processes of the communicator, or of MPI_COMM_WORLD, may run another program, of which nothing is known.
 * Asked where a start would come before a completion (docs/soundness.md, "Causes"). */
int comm_meets_others(MPI_Comm comm);
int comm_world_meets_others(void);

/* A reduction's operator and datatype, and its count; a count of -1: each process has another one, or several. */
struct CommReduction {
  MPI_Op op;
  MPI_Datatype datatype;
  MPI_Count count;
};

/* Whether that call, or start, is nonblocking; `reduction` is null for other collectives. `isPromised`: the program
 * promises to make each call at the same place in all processes, so that only costs and the order of sums are to be
 * decided. */
int comm_is_nonblocking(enum CommCollective collective, int isPromised, MPI_Comm comm,
                        const struct CommReduction *reduction);

/* What costs nothing to find out. */
static inline int comm_may_be_nonblocking(enum CommCollective collective, int isPromised) {
  const struct CommProgram *program = comm_get_program();
  return isPromised ? program->mayStartPromised : program->mayStart[collective];
}

#endif /* COMM_RUNTIME_OVERLAP_H */
