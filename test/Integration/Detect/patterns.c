// Collectives as programs spell them: with loops, trees, rings, butterflies. Each is a graph to the compiler; received
// data is compared with the expected data, whatever the runtime does with it, at powers of two and other sizes.
// RUN: %commcc -O2 -fcomm-detect -Rcomm %s -o %t 2> %t.remarks
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks
// REMARKS-COUNT-8: {{forms?}} a graph
// RUN: env COMM_CDAG_MODE=1 %mpirun -n 1 %t | FileCheck %s
// RUN: env COMM_CDAG_MODE=1 %mpirun -n 3 %t | FileCheck %s
// RUN: env COMM_CDAG_MODE=1 COMM_CDAG_REPORT=%t.report %mpirun -n 4 %t | FileCheck %s
// RUN: env COMM_CDAG_MODE=0 %mpirun -n 3 %t | FileCheck %s
// CHECK: all as expected
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

enum { block = 5, most = 16, repetitions = 3 };

static int errors;

#define SEND(buf, n, to, tag) MPI_Send(buf, n, MPI_INT, to, tag, comm)
#define RECV(buf, n, from, tag) MPI_Recv(buf, n, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE)

NOINLINE static void linear_bcast(MPI_Comm comm, int rank, int size, int *data, int root) {
  if (rank == root) {
    for (int p = 0; p < size; ++p)
      if (p != root)
        SEND(data, block, p, 1);
  } else {
    RECV(data, block, root, 1);
  }
}

NOINLINE static void linear_scatter(MPI_Comm comm, int rank, int size, const int *all, int *mine, int root) {
  if (rank == root) {
    for (int i = 0; i < block; ++i)
      mine[i] = all[root * block + i];
    for (int p = 0; p < size; ++p)
      if (p != root)
        SEND(all + p * block, block, p, 2);
  } else {
    RECV(mine, block, root, 2);
  }
}

NOINLINE static void linear_gather(MPI_Comm comm, int rank, int size, const int *mine, int *all, int root) {
  if (rank == root) {
    for (int i = 0; i < block; ++i)
      all[root * block + i] = mine[i];
    for (int p = 0; p < size; ++p)
      if (p != root)
        RECV(all + p * block, block, p, 3);
  } else {
    SEND(mine, block, root, 3);
  }
}

NOINLINE static void binomial_bcast(MPI_Comm comm, int rank, int size, int *data) {
  for (int mask = 1; mask < size; mask <<= 1) {
    if (rank < mask && rank + mask < size)
      SEND(data, block, rank + mask, 4);
    else if (rank >= mask && rank < 2 * mask)
      RECV(data, block, rank - mask, 4);
  }
}

NOINLINE static void ring_allgather(MPI_Comm comm, int rank, int size, int *all) {
  int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int step = 0; step < size - 1; ++step) {
    int out = (rank + size - step) % size, in = (left + size - step) % size;
    // The neighbors are the same at each step: the compiler sees no loop over processes, and ignores it.
    MPI_Sendrecv(all + out * block, block, MPI_INT, right, 5, all + in * block, block, MPI_INT, left, 5, comm,
                 MPI_STATUS_IGNORE);
  }
}

NOINLINE static void pairwise_alltoall(MPI_Comm comm, int rank, int size, const int *out, int *in) {
  for (int step = 0; step < size; ++step) {
    int to = (rank + step) % size, from = (rank + size - step) % size;
    MPI_Sendrecv(out + to * block, block, MPI_INT, to, 6, in + from * block, block, MPI_INT, from, 6, comm,
                 MPI_STATUS_IGNORE);
  }
}

NOINLINE static void nonblocking_alltoall(MPI_Comm comm, int rank, int size, const int *out, int *in) {
  MPI_Request requests[2 * most];
  for (int p = 0; p < size; ++p)
    MPI_Irecv(in + p * block, block, MPI_INT, p, 7, comm, &requests[p]);
  for (int p = 0; p < size; ++p)
    MPI_Isend(out + p * block, block, MPI_INT, p, 7, comm, &requests[size + p]);
  MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE);
}

NOINLINE static void dissemination(MPI_Comm comm, int rank, int size, int *from) {
  char token = 1, tokens[32];
  int round = 0;
  for (int distance = 1; distance < size; distance <<= 1, ++round)
    MPI_Sendrecv(&token, 1, MPI_CHAR, (rank + distance) % size, 8, &tokens[round], 1, MPI_CHAR,
                 (rank + size - distance) % size, 8, comm, MPI_STATUS_IGNORE);
  *from = round > 0 ? tokens[round - 1] : 1;
}

NOINLINE static void doubling_allgather(MPI_Comm comm, int rank, int size, int *all) {
  // Among a power of two of the processes; the rest gets everything from process 0.
  int power = 1;
  while (2 * power <= size)
    power *= 2;
  if (rank < power)
    for (int mask = 1; mask < power; mask <<= 1) {
      int peer = rank ^ mask, mine = rank & ~(mask - 1), theirs = peer & ~(mask - 1);
      MPI_Sendrecv(all + mine * block, mask * block, MPI_INT, peer, 9, all + theirs * block, mask * block, MPI_INT,
                   peer, 9, comm, MPI_STATUS_IGNORE);
    }
}

static void expect(int rank, int got, int wanted, const char *what) {
  if (got != wanted && ++errors < 10)
    fprintf(stderr, "process %d: %s: %d instead of %d\n", rank, what, got, wanted);
}

static int value(int process, int i, int repetition) { return process * 1000 + i * 10 + repetition; }

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm comm;
  int rank, size;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (size > most)
    MPI_Abort(comm, 2);
  int mine[block], all[most * block], out[most * block];

  for (int r = 0; r < repetitions; ++r) {
    int root = r % size;
    for (int i = 0; i < block; ++i)
      mine[i] = rank == root ? value(root, i, r) : -1;
    linear_bcast(comm, rank, size, mine, root);
    for (int i = 0; i < block; ++i)
      expect(rank, mine[i], value(root, i, r), "linear bcast");

    for (int i = 0; i < size * block; ++i)
      out[i] = rank == root ? value(i / block, i % block, r) : -1;
    linear_scatter(comm, rank, size, out, mine, root);
    for (int i = 0; i < block; ++i)
      expect(rank, mine[i], value(rank, i, r), "linear scatter");

    for (int i = 0; i < size * block; ++i)
      all[i] = -1;
    linear_gather(comm, rank, size, mine, all, root);
    for (int i = 0; i < size * block; ++i)
      expect(rank, all[i], rank == root ? value(i / block, i % block, r) : -1, "linear gather");

    for (int i = 0; i < block; ++i)
      mine[i] = rank == 0 ? value(0, i, r + 1) : -1;
    binomial_bcast(comm, rank, size, mine);
    for (int i = 0; i < block; ++i)
      expect(rank, mine[i], value(0, i, r + 1), "binomial bcast");

    for (int i = 0; i < size * block; ++i)
      all[i] = i / block == rank ? value(rank, i % block, r) : -1;
    ring_allgather(comm, rank, size, all);
    for (int i = 0; i < size * block; ++i)
      expect(rank, all[i], value(i / block, i % block, r), "ring allgather");

    for (int i = 0; i < size * block; ++i)
      out[i] = value(rank, i, r), all[i] = -1;
    pairwise_alltoall(comm, rank, size, out, all);
    for (int i = 0; i < size * block; ++i)
      expect(rank, all[i], value(i / block, rank * block + i % block, r), "pairwise alltoall");

    for (int i = 0; i < size * block; ++i)
      out[i] = value(rank, i, r + 2), all[i] = -1;
    nonblocking_alltoall(comm, rank, size, out, all);
    for (int i = 0; i < size * block; ++i)
      expect(rank, all[i], value(i / block, rank * block + i % block, r + 2), "nonblocking alltoall");

    int token = 0;
    dissemination(comm, rank, size, &token);
    expect(rank, token, 1, "dissemination");

    int power = 1;
    while (2 * power <= size)
      power *= 2;
    for (int i = 0; i < size * block; ++i)
      all[i] = i / block == rank ? value(rank, i % block, r) : -1;
    doubling_allgather(comm, rank, size, all);
    for (int i = 0; rank < power && i < power * block; ++i)
      expect(rank, all[i], value(i / block, i % block, r), "doubling allgather");
  }

  int total = 0;
  MPI_Reduce(&errors, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf(total ? "%d errors\n" : "all as expected\n", total);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
