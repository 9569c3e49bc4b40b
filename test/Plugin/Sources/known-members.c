// Neighbors in structures that functions get by address: all values that the file stores there are known, if the
// address does not escape.
// RUN: %commcc -O2 -Rcomm -c -DUNKNOWN=0 %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN --allow-empty %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=NONE --allow-empty %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=1 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=2 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=3 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=4 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=5 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=6 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=7 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=8 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=9 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=10 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=11 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=12 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=13 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=14 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// KNOWN-NOT: may receive from any source
// NONE-NOT: comm.note.comm_observes_starts
// MAYBE: MPI_Recv may receive from any source
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

typedef struct {
  int rank, size, up, down;
  MPI_Comm comm;
  int dims[2], coords[2], sides[4];
  MPI_Request requests[2];
  double *field;
} Topology;
typedef struct {
  double width;
  Topology *topology;
} Solver;

static double data[100];
static Topology shared;
void look(const Topology *topology);
void change(Topology *topology);
extern Topology *somewhere;
Topology *elsewhere;

static NOINLINE void take(const Topology *t) {
  MPI_Recv(data, 1, MPI_DOUBLE, t->up, 0, t->comm, MPI_STATUS_IGNORE);
  MPI_Recv(data, 1, MPI_DOUBLE, t->down, 0, t->comm, MPI_STATUS_IGNORE);
}
static NOINLINE void takeSide(const Topology *t) {
  MPI_Recv(data, 1, MPI_DOUBLE, t->sides[2], 0, t->comm, MPI_STATUS_IGNORE);
}
static NOINLINE void takeOf(const Solver *solver) { take(solver->topology); }
static NOINLINE void fill(Topology *t, MPI_Comm comm) {
  t->comm = comm;
  MPI_Comm_rank(comm, &t->rank);
  MPI_Comm_size(comm, &t->size);
  t->up = t->rank ? t->rank - 1 : MPI_PROC_NULL;
  t->down = t->rank < t->size - 1 ? t->rank + 1 : MPI_PROC_NULL;
  t->field = data;
}
static NOINLINE void fillGrid(Topology *t) {
  int periods[2] = {0, 1};
  MPI_Dims_create(4, 2, t->dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, t->dims, periods, 0, &t->comm);
  MPI_Cart_coords(t->comm, 0, 2, t->coords);
  for (int d = 0; d < 2; ++d)
    MPI_Cart_shift(t->comm, d, 1, &t->sides[2 * d], &t->sides[2 * d + 1]);
}
/// Arrays in a structure, by loops: what goes into one of them is not in the others.
static NOINLINE void fillBlock(Topology *t, int points, int steps) {
  MPI_Dims_create(4, 2, t->dims);
#pragma nounroll
  for (int d = 0; d < steps; ++d)
    t->coords[d & 1] = points / t->dims[d & 1];
#pragma nounroll
  for (int d = 0; d < steps; ++d)
    MPI_Cart_shift(t->comm, d & 1, 1, &t->sides[2 * (d & 1)], &t->sides[2 * (d & 1) + 1]);
}
static NOINLINE void takeSides(const Topology *t, int steps) {
#pragma nounroll
  for (int d = 0; d < steps; ++d)
    MPI_Recv(data, 1, MPI_DOUBLE, t->sides[d & 3], 0, t->comm, MPI_STATUS_IGNORE);
}
static NOINLINE Topology *make(void) {
  Topology *t = calloc(1, sizeof *t);
  fill(t, MPI_COMM_WORLD);
  return t;
}
static NOINLINE void set(int *side, int value) { *side = value; }

void receive(int from, int to, const int *list, const Topology *given) {
#if UNKNOWN == 0
  Topology local, levels[3];
  fill(&local, MPI_COMM_WORLD);
  take(&local);
  fill(&shared, MPI_COMM_SELF);
  take(&shared);
  Topology *allocated = make();
  Solver solver = {1.0, allocated};
  takeOf(&solver);
  for (int i = 0; i < 3; ++i) {
    memset(&levels[i], 0, sizeof levels[i]);
    fillGrid(&levels[i]);
    MPI_Irecv(data, 1, MPI_DOUBLE, levels[i].sides[3], 0, levels[i].comm, &levels[i].requests[0]);
    MPI_Wait(&levels[i].requests[0], MPI_STATUS_IGNORE);
  }
  takeSide(&levels[from]);
  set(&local.coords[1], from); // another member
  take(&local);
  free(allocated);
  Topology block;
  block.comm = MPI_COMM_WORLD;
  fillBlock(&block, from, to);
  takeSides(&block, to);
#else
  Topology local;
  fill(&local, MPI_COMM_WORLD);
#if UNKNOWN == 1
  set(&local.up, from);
#elif UNKNOWN == 2
  change(&local);
#elif UNKNOWN == 3
  memcpy(&local, list, sizeof local);
#elif UNKNOWN == 4
  memset(&local, 0xff, from ? 16 : 12);
#elif UNKNOWN == 5
  for (int i = 0; i < 4; ++i)
    local.sides[i] = list[i];
  takeSide(&local);
#elif UNKNOWN == 6
  MPI_Recv(&local.up, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#elif UNKNOWN == 7
  take(given);
#elif UNKNOWN == 8
  take(somewhere);
#elif UNKNOWN == 9
  elsewhere = make();
  look(&shared);
  take(elsewhere);
#elif UNKNOWN == 10
  memcpy(&local.up, list, sizeof(long));
#elif UNKNOWN == 11
  local.coords[from] = to; // up to any member
  int *members = &local.rank;
  members[to] = list[0];
#elif UNKNOWN == 12
  // Put where it is loaded as another structure's.
  Solver solver = {1.0, &local};
  set(&solver.topology->down, list[1]);
#elif UNKNOWN == 13
  // The last of six entries is not one of coords.
  fillBlock(&local, from, to);
#pragma nounroll
  for (int d = 0; d < 6; ++d)
    local.coords[d & 7] = list[d];
  takeSides(&local, to);
#elif UNKNOWN == 14
  fillBlock(&local, from, to);
#pragma nounroll
  for (int d = 0; d < to; ++d)
    (&local.sides[3])[-(d & 3)] = list[d];
  takeSides(&local, to);
#endif
  take(&local);
#endif
}
