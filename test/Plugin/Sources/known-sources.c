// Knowledge about the source of a receive: a file with a source that may be MPI_ANY_SOURCE reports it, to its
// programmer and to the other files of the program.
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
// RUN: %commcc -O2 -Rcomm -c -DKNOWN=11 %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN --allow-empty %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=NONE --allow-empty %s
// RUN: %commcc -O2 -Rcomm -c -DKNOWN=12 %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN --allow-empty %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=NONE --allow-empty %s
// RUN: %commcc -O2 -Rcomm -c -DKNOWN=13 %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN --allow-empty %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=NONE --allow-empty %s
// RUN: %commcc -O2 -Rcomm -c -DKNOWN=14 %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN --allow-empty %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=NONE --allow-empty %s
// RUN: %commcc -O2 -Rcomm -c -DKNOWN=15 %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN --allow-empty %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=NONE --allow-empty %s
// RUN: %commcc -O2 -Rcomm -c -DKNOWN=16 %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN --allow-empty %s
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
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=11 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=12 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=13 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=14 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=15 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=16 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=17 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=18 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=19 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=20 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=21 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DUNKNOWN=22 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -Rcomm -fcomm-known-sources -c -DUNKNOWN=1 %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN --allow-empty %s
// A constant is not a variable; files that are not optimized or not transformed inform the others as well.
// RUN: %commcc -O2 -fcomm-known-sources -Rcomm -c -DUNKNOWN=6 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O0 -c -DUNKNOWN=1 %s -o %t.o
// RUN: llvm-nm %t.o | FileCheck --check-prefix=MARKER %s
// KNOWN-NOT: may receive from any source
// NONE-NOT: comm.note.comm_observes_starts
// MAYBE: MPI_{{Recv|Irecv|Probe}} may receive from any source
// MARKER: V comm.note.comm_observes_starts
#include <mpi.h>
#include <string.h>

static double data[100];
static int mine, others, left, right;
static void take(int source) { MPI_Recv(data, 1, MPI_DOUBLE, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

__attribute__((noinline)) static void exchange(void) {
  MPI_Recv(data, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(data, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

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
#elif KNOWN == 11 // a grid of processes
  int columns = 1;
  while (columns * columns < size)
    ++columns;
  if (rank / columns > 0)
    take(rank - columns);
  if (rank / columns < 100)
    take(rank + columns);
  if (rank % columns > 0)
    take(rank - 1);
  if (rank % columns < columns - 1)
    take(rank + 1);
  if (rank >= columns && from)
    take(rank - columns);
  // A positive quotient implies a positive divisor.
  if (rank / from > 0)
    take(rank - from);
#elif KNOWN == 12 // what is packed in between ends
  MPI_Request request;
  MPI_Irecv(data, 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, &request);
  for (int i = 0; i < list[0]; ++i)
    data[50 + i] = data[10 + i] * 2;
  MPI_Send(data + 50, list[0], MPI_DOUBLE, from, 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#elif KNOWN == 16 || UNKNOWN == 22 // a row whose length nobody knows, and which is answered, or another one
  MPI_Request request;
  int columns = list[1], others = columns;
#ifdef UNKNOWN
  others = list[2];
#endif
  MPI_Irecv(data, 1, MPI_DOUBLE, rank - columns, 0, MPI_COMM_WORLD, &request);
  for (int i = 0; i < list[0]; ++i)
    memcpy(data + 50 + 2 * i, data + 10 + 4 * i, 2 * sizeof(double));
  MPI_Send(data + 50, list[0], MPI_DOUBLE, rank - others, 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#elif KNOWN == 13 // overwritten where it is none
  MPI_Comm_rank(MPI_COMM_WORLD, &mine);
  MPI_Comm_size(MPI_COMM_WORLD, &others);
  right = mine - 1;
  left = mine - 1;
  if (mine == 0)
    left = MPI_PROC_NULL;
  if (right < 0)
    right = others - 1;
  exchange();
#elif KNOWN == 14 // not what the variables begin with
  MPI_Comm_rank(MPI_COMM_WORLD, &mine);
  MPI_Comm_size(MPI_COMM_WORLD, &others);
  left = (mine + others - 1) % others;
  right = others - 1;
  exchange();
#elif KNOWN == 15 // overwritten anyway
  left = from;
  right = rank + 1;
  left = rank;
  exchange();
#elif UNKNOWN == 18 // overwritten elsewhere
  MPI_Comm_rank(MPI_COMM_WORLD, &mine);
  left = mine - 1;
  right = mine + 1;
  if (mine != 0)
    left = MPI_PROC_NULL;
  exchange();
#elif UNKNOWN == 19 // seen before
  left = rank - 1;
  exchange();
  if (rank == 0)
    left = MPI_PROC_NULL;
  exchange();
#elif UNKNOWN == 20 // nobody may have asked
  if (from)
    MPI_Comm_size(MPI_COMM_WORLD, &others);
  left = others - 1;
  exchange();
#elif UNKNOWN == 21 // another process of each turn
  for (int i = 0; i < size; ++i) {
    left = mine - 1;
    MPI_Comm_rank(list[i] ? MPI_COMM_WORLD : MPI_COMM_SELF, &mine);
    if (mine == 0)
      left = MPI_PROC_NULL;
    exchange();
  }
#elif UNKNOWN == 14 // not always
  take(from);
  if (list[0])
    MPI_Send(data, 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD);
#elif UNKNOWN == 15 // what comes in between may end the program
  take(from);
  for (int i = 0; i < list[0]; ++i)
    receive(0, list + i);
  MPI_Send(data, 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD);
#elif UNKNOWN == 17 // a size in bytes, of nothing
  int bytes;
  MPI_Pack_size(0, MPI_BYTE, MPI_COMM_WORLD, &bytes);
  take(bytes - 1);
#elif UNKNOWN == 16 // or wait forever
  take(from);
  while (((volatile const int *)list)[0])
    ;
  MPI_Send(data, 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD);
#elif UNKNOWN == 11 // the first row
  int columns = 1;
  while (columns * columns < size)
    ++columns;
  if (rank % columns > 0)
    take(rank - columns);
#elif UNKNOWN == 12 // any row
  int columns = 1;
  while (columns * columns < size)
    ++columns;
  if (rank / columns >= 0)
    take(rank - columns);
#elif UNKNOWN == 13 // columns may be counted downwards
  if (rank / from != 0)
    take(rank - from);
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
  take(mine); // received in a message
#elif UNKNOWN == 6
  take(MPI_ANY_SOURCE);
#elif UNKNOWN == 7
  // Reloaded, and therefore unknown.
  MPI_Send(data, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  MPI_Recv(data, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#elif UNKNOWN == 8
  // For another communicator.
  if (rank > 0) {
    MPI_Comm_rank(MPI_COMM_SELF, &rank);
    MPI_Recv(data, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
#elif UNKNOWN == 9
  // A different one in each iteration.
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
