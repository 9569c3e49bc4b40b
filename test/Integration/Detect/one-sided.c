// Gets and puts between fences: received data is compared with the expected data, unchanged (COMM_CDAG_MODE=0), as
// detected (1), and with a choice (2). Other operations on the window may rely on the same fences.
// RUN: %commcc -O2 -fcomm-detect -Rcomm %s -o %t 2> %t.remarks
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks
// REMARKS-COUNT-6: {{forms?}} a graph
// RUN: env COMM_CDAG_MODE=1 %mpirun -n 1 %t | FileCheck %s
// RUN: env COMM_CDAG_MODE=1 COMM_CDAG_REPORT=%t.report %mpirun -n 4 %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t.report
// RUN: env COMM_CDAG_MODE=0 %mpirun -n 3 %t | FileCheck %s
// RUN: env COMM_CDAG_MODE=1 %mpirun -n 3 %t | FileCheck %s
// RUN: env COMM_CDAG_TRIALS=2 %mpirun -n 2 %t | FileCheck %s
// CHECK: all as expected
// REPORT: alltoall
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

enum { block = 6, most = 8, repetitions = 5 };

static int errors;

static int value(int process, int i, int repetition) { return process * 1000 + i * 10 + repetition; }

static void expect(int rank, int got, int wanted, const char *what) {
  if (got != wanted && ++errors < 10)
    fprintf(stderr, "process %d: %s: %d instead of %d\n", rank, what, got, wanted);
}

NOINLINE static void get_blocks(MPI_Win win, int *in, int rank, int size) {
  MPI_Win_fence(0, win);
  for (int p = 0; p < size; ++p)
    MPI_Get(in + p * block, block, MPI_INT, p, rank * block, block, MPI_INT, win);
  MPI_Win_fence(0, win);
}

NOINLINE static void put_blocks(MPI_Win win, const int *out, int rank, int size) {
  MPI_Win_fence(0, win);
  for (int p = 0; p < size; ++p)
    MPI_Put(out + p * block, block, MPI_INT, p, rank * block, block, MPI_INT, win);
  MPI_Win_fence(0, win);
}

/// Every process gets the first block of all: the gets of an allgather.
NOINLINE static void get_first(MPI_Win win, int *in, int size) {
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  for (int p = 0; p < size; ++p)
    MPI_Get(in + p * block, block, MPI_INT, p, 0, block, MPI_INT, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

/// A put before and one after the gets, in the epochs of the same fences.
NOINLINE static void between_puts(MPI_Win win, const int *before, const int *after, int *in, int rank, int size) {
  MPI_Win_fence(0, win);
  MPI_Put(before, 1, MPI_INT, (rank + 1) % size, most * block, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  for (int p = 0; p < size; ++p)
    MPI_Get(in + p, 1, MPI_INT, p, most * block, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Put(after, 1, MPI_INT, (rank + 1) % size, most * block + 1, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
}

/// The window is a private variable: its fences need not be executed at all.
NOINLINE static void own_window(MPI_Comm comm, int rank, int size, int repetition) {
  MPI_Win win;
  int *memory, in[most];
  MPI_Win_allocate(2 * most * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &win);
  for (int p = 0; p < size; ++p)
    memory[p] = value(rank, p, repetition);
  MPI_Win_fence(0, win);
  for (int p = 0; p < size; ++p)
    MPI_Get(&in[p], 1, MPI_INT, p, rank, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  for (int p = 0; p < size; ++p)
    expect(rank, in[p], value(p, rank, repetition), "own window, gets");
  for (int again = 0; again < 3; ++again) {
    MPI_Win_fence(0, win);
    for (int p = 0; p < size; ++p)
      MPI_Put(&in[p], 1, MPI_INT, p, most + rank, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
  }
  for (int p = 0; p < size; ++p)
    expect(rank, memory[most + p], value(rank, p, repetition), "own window, puts");
  MPI_Win_free(&win);
}

NOINLINE static void test(MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (size > most)
    MPI_Abort(comm, 2);
  int *memory, in[most * block];
  MPI_Win win;
  MPI_Win_allocate((most * block + 2) * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &win);
  for (int r = 0; r < repetitions; ++r) {
    for (int i = 0; i < size * block; ++i)
      memory[i] = value(rank, i, r), in[i] = -1;
    get_blocks(win, in, rank, size);
    for (int i = 0; i < size * block; ++i)
      expect(rank, in[i], value(i / block, rank * block + i % block, r), "gets");

    for (int i = 0; i < size * block; ++i)
      memory[i] = -1, in[i] = value(rank, i, r + 1);
    put_blocks(win, in, rank, size);
    for (int i = 0; i < size * block; ++i)
      expect(rank, memory[i], value(i / block, rank * block + i % block, r + 1), "puts");

    for (int i = 0; i < size * block; ++i)
      memory[i] = value(rank, i, r + 2), in[i] = -1;
    get_first(win, in, size);
    for (int i = 0; i < size * block; ++i)
      expect(rank, in[i], value(i / block, i % block, r + 2), "gets of one block");

    int before = value(rank, 1, r), after = value(rank, 2, r);
    memory[most * block] = memory[most * block + 1] = -1;
    between_puts(win, &before, &after, in, rank, size);
    for (int p = 0; p < size; ++p)
      expect(rank, in[p], value((p + size - 1) % size, 1, r), "gets of what was put before");
    expect(rank, memory[most * block + 1], value((rank + size - 1) % size, 2, r), "a put behind");

    own_window(comm, rank, size, r);
  }
  MPI_Win_free(&win);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  test(MPI_COMM_WORLD);
  // The processes of a window in another order, and a subset of them.
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, rank == size - 1, -rank, &part);
  test(part);
  test(part);
  MPI_Comm_free(&part);
  int total = 0;
  MPI_Reduce(&errors, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf(total ? "%d errors\n" : "all as expected\n", total);
  MPI_Finalize();
  return 0;
}
