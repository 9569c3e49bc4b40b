// What is known of the source of a receive: a file with one that may be MPI_ANY_SOURCE says so, to its programmer and to the
// other files of the program.
// RUN: %commcc -O2 -Rcomm -c -DKNOWN=1 %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN --allow-empty %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=NONE --allow-empty %s
// RUN: %commcc -O2 -Rcomm -c -DKNOWN=2 %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN --allow-empty %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=NONE --allow-empty %s
// RUN: %commcc -O2 -Rcomm -c -DKNOWN=3 %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN --allow-empty %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=NONE --allow-empty %s
// RUN: %commcc -O2 -Rcomm -c -DKNOWN=4 %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN --allow-empty %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=NONE --allow-empty %s
// RUN: %commcc -O2 -Rcomm -c -DKNOWN=5 %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN --allow-empty %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=NONE --allow-empty %s
// RUN: %commcc -O2 -Rcomm -c -DKNOWN=6 %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN --allow-empty %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=NONE --allow-empty %s
// RUN: %commcc -O2 -Rcomm -c -DKNOWN=7 %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN --allow-empty %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=NONE --allow-empty %s
// RUN: %commcc -O2 -Rcomm -c -DKNOWN=8 %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN --allow-empty %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=NONE --allow-empty %s
// RUN: %commcc -O2 -Rcomm -c -DKNOWN=9 %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN --allow-empty %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=NONE --allow-empty %s
// RUN: %commcc -O2 -Rcomm -c -DKNOWN=10 %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN --allow-empty %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=NONE --allow-empty %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=1 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=MARKER %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=2 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=MARKER %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=3 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=MARKER %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=4 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=MARKER %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=5 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=MARKER %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=6 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=MARKER %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=7 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=8 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=9 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=10 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -Rcomm -fcomm-known-sources -c -DUNKNOWN=1 %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN --allow-empty %s
// A constant is no variable, and a file that is not optimized or not transformed tells the others, too.
// RUN: %commcc -O2 -fcomm-known-sources -Rcomm -c -DUNKNOWN=6 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O0 -c -DUNKNOWN=1 %s -o %t.o
// RUN: llvm-nm %t.o | FileCheck --check-prefix=MARKER %s
// KNOWN-NOT: may receive from any source
// NONE-NOT: comm.note.comm_observes_starts
// MAYBE: MPI_{{Recv|Probe}} may receive from any source
// MARKER: V comm.note.comm_observes_starts
#include <mpi.h>

static double data[100];
static int mine, others;
static void take(int source) { MPI_Recv(data, 1, MPI_DOUBLE, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

void receive(int from, const int *list) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
#if KNOWN == 1
  take((rank + size - 1) % size);
  take((rank + 1) % size);
#elif KNOWN == 2
  take(rank > 0 ? rank - 1 : MPI_PROC_NULL);
  take(rank < size - 1 ? rank + 1 : MPI_PROC_NULL);
#elif KNOWN == 3
  if (rank != 0)
    take(rank - 1);
#elif KNOWN == 4
  for (int source = 1; source < size; ++source)
    take(source);
#elif KNOWN == 5
  MPI_Comm cart;
  int dims = size, periods = 0, before, after;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &periods, 0, &cart);
  MPI_Cart_shift(cart, 0, 1, &before, &after);
  take(before);
  take(after);
#elif KNOWN == 6
  if (from >= 0)
    take(from);
#elif KNOWN == 7
  take(rank ^ 1);
  take(rank / 2);
#elif KNOWN == 8
  MPI_Comm_rank(MPI_COMM_WORLD, &mine);
  MPI_Comm_size(MPI_COMM_WORLD, &others);
  take((mine + 1) % others);
#elif KNOWN == 9
  // The variable is loaded again after each call of MPI.
  if (rank > 0) {
    MPI_Send(data, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    MPI_Recv(data, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
#elif KNOWN == 10
  for (int i = 0; i < from; ++i)
    if (rank % 2 == 1) {
      MPI_Send(data, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD);
      MPI_Recv(data, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank < size - 1) {
      MPI_Recv(data, 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(data, 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
    }
#elif UNKNOWN == 1
  take(from);
#elif UNKNOWN == 2
  take(list[0]);
#elif UNKNOWN == 3
  take(rank - 1); // -1 in process 0
#elif UNKNOWN == 4
  MPI_Probe(from > 3 ? rank : MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#elif UNKNOWN == 5
  MPI_Recv(&mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  take(mine); // what a message brought
#elif UNKNOWN == 6
  take(MPI_ANY_SOURCE);
#elif UNKNOWN == 7
  // Loaded again, and nothing is known of it.
  MPI_Send(data, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  MPI_Recv(data, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#elif UNKNOWN == 8
  // Of another communicator.
  if (rank > 0) {
    MPI_Comm_rank(MPI_COMM_SELF, &rank);
    MPI_Recv(data, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
#elif UNKNOWN == 9
  // Another one in each iteration.
  const MPI_Comm communicators[] = {MPI_COMM_WORLD, MPI_COMM_SELF};
  int own = 1;
  for (int i = 0; i < 2; ++i) {
    int before = i > 0 ? own : 1;
    MPI_Comm_rank(communicators[(list[i]) & 1], &own);
    if (before > 0)
      MPI_Recv(data, 1, MPI_DOUBLE, own - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
#elif UNKNOWN == 10
  // The program changes it.
  if (rank > 0) {
    rank = list[0];
    MPI_Recv(data, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
#endif
}
