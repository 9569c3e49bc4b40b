// Collectives that are known at compile time: what arrives is compared with what must arrive, what nobody may write with what
// was there, and what the program prints with and without.
// RUN: %mpicc -O2 %s -o %t.mpi
// RUN: %commcc -O2 -fcomm-detect=ahead -Rcomm %s -o %t 2> %t.remarks
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks
// REMARKS-COUNT-16: for any number of processes
// REMARKS-NOT: for any number of processes
// RUN: %mpirun -n 1 %t.mpi > %t.out && %mpirun -n 1 %t > %t.out1 && cmp %t.out %t.out1
// RUN: %mpirun -n 2 %t.mpi > %t.out && %mpirun -n 2 %t > %t.out2 && cmp %t.out %t.out2
// RUN: %mpirun -n 3 %t.mpi > %t.out && %mpirun -n 3 %t > %t.out3 && cmp %t.out %t.out3
// RUN: %mpirun -n 4 %t.mpi > %t.out && %mpirun -n 4 %t > %t.out4 && cmp %t.out %t.out4
// RUN: FileCheck %s < %t.out4
// CHECK: 4 processes: {{[0-9a-f]+}}
// Proved collectives; the runtime detects the others.
// RUN: %commcc -O2 -fcomm-detect=all %s -o %t
// RUN: env COMM_CDAG_MODE=1 %mpirun -n 3 %t > %t.out && cmp %t.out %t.out3
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
#define WORLD MPI_COMM_WORLD
#define ME                                                                                                             \
  int rank, size;                                                                                                      \
  MPI_Comm_rank(WORLD, &rank);                                                                                         \
  MPI_Comm_size(WORLD, &size)
#define IGNORE MPI_STATUS_IGNORE

enum { block = 5, most = 8 };

NOINLINE static void bcast(int *data) {
  ME;
  if (rank == 0)
    for (int p = 1; p < size; ++p)
      MPI_Send(data, block, MPI_INT, p, 0, WORLD);
  else
    MPI_Recv(data, block, MPI_INT, 0, 0, WORLD, IGNORE);
}

NOINLINE static void bcast_of_the_last(const int *data, int *copy) {
  ME;
  int root = size - 1;
  if (rank == root) {
    for (int p = 0; p < size; ++p)
      if (p != root)
        MPI_Send(data, block, MPI_INT, p, 1, WORLD);
  } else
    MPI_Recv(copy, block, MPI_INT, root, 1, WORLD, IGNORE);
}

NOINLINE static void gather(const int *mine, int *all) {
  ME;
  if (rank == 0)
    for (int p = 1; p < size; ++p)
      MPI_Recv(all + p * block, block, MPI_INT, p, 2, WORLD, IGNORE);
  else
    MPI_Send(mine, block, MPI_INT, 0, 2, WORLD);
}

NOINLINE static void gather_from_itself(int *restrict mine, int *restrict all) {
  ME;
  MPI_Request request;
  MPI_Isend(mine, block, MPI_INT, 0, 3, WORLD, &request);
  if (rank == 0)
    for (int p = 0; p < size; ++p)
      MPI_Recv(all + p * block, block, MPI_INT, p, 3, WORLD, IGNORE);
  MPI_Wait(&request, IGNORE);
}

// Each process has all blocks, and sends its own.
NOINLINE static void gather_parts(const int *parts, int *all) {
  ME;
  if (rank == size - 1) {
    for (int p = 0; p < size - 1; ++p)
      MPI_Recv(all + p * block, block, MPI_INT, p, p, WORLD, IGNORE);
  } else
    MPI_Send(parts + rank * block, block, MPI_INT, size - 1, rank, WORLD);
}

NOINLINE static void scatter(const int *all, int *mine) {
  ME;
  if (rank == 0)
    for (int p = size - 1; p >= 1; --p)
      MPI_Send(all + p * block, block, MPI_INT, p, 4, WORLD);
  else
    MPI_Recv(mine, block, MPI_INT, 0, 4, WORLD, IGNORE);
}

NOINLINE static void alltoall(const int *restrict out, int *restrict in, int n) {
  ME;
  for (int p = 0; p < size; ++p)
    MPI_Sendrecv(out + p * n, n, MPI_INT, p, 5, in + p * n, n, MPI_INT, p, 5, WORLD, IGNORE);
}

NOINLINE static void alltoall_pairwise(const int *restrict out, int *restrict in, int n) {
  ME;
  for (int i = 0; i < size; ++i) {
    int to = (rank + i) % size, from = (rank - i + size) % size;
    MPI_Sendrecv(out + to * n, n, MPI_INT, to, 6 + i, in + from * n, n, MPI_INT, from, 6 + i, WORLD, IGNORE);
  }
}

NOINLINE static void alltoall_in_flight(const int *out, int *in, int n) {
  ME;
  MPI_Request *requests = malloc(2 * size * sizeof(MPI_Request));
  for (int i = 0; i < size; ++i)
    MPI_Irecv(in + i * n, n, MPI_INT, i, 7, WORLD, &requests[i]);
  for (int i = 0; i < size; ++i) {
    int p = (rank + 1 + i) % size;
    MPI_Isend(out + p * n, n, MPI_INT, p, 7, WORLD, &requests[size + i]);
  }
  MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE);
  free(requests);
}

NOINLINE static void alltoall_copied_before(const int *restrict out, int *restrict in) {
  ME;
  memcpy(in + rank * 4, out + rank * 4, 4 * sizeof(int));
  for (int i = 1; i < size; ++i) {
    int to = (rank + i) % size, from = (rank - i + size) % size;
    MPI_Sendrecv(out + to * 4, 4, MPI_INT, to, 13, in + from * 4, 4, MPI_INT, from, 13, WORLD, IGNORE);
  }
}

// A copy between the messages: not a phase, according to alias analysis.
NOINLINE static void alltoall_copied_inside(const int *restrict out, int *restrict in, int n) {
  ME;
  for (int p = 0; p < size; ++p)
    if (p == rank)
      memcpy(in + rank * n, out + rank * n, n * sizeof(int));
    else
      MPI_Sendrecv(out + p * n, n, MPI_INT, p, 14, in + p * n, n, MPI_INT, p, 14, WORLD, IGNORE);
}

// The own block is not copied: it stays unchanged.
NOINLINE static void alltoall_of_others(const int *restrict out, int *restrict in, int n) {
  ME;
  for (int p = 0; p < size; ++p)
    if (p != rank)
      MPI_Sendrecv(out + p * n, n, MPI_INT, p, 15, in + p * n, n, MPI_INT, p, 15, WORLD, IGNORE);
}

NOINLINE static void allgather(const int *restrict mine, int *restrict all, int n) {
  ME;
  for (int p = 0; p < size; ++p)
    MPI_Sendrecv(mine, n, MPI_INT, p, 8, all + p * n, n, MPI_INT, p, 8, WORLD, IGNORE);
}

NOINLINE static void allgather_in_place(int *all, int n) {
  ME;
  for (int p = 0; p < size; ++p)
    if (p != rank)
      MPI_Sendrecv(all + rank * n, n, MPI_INT, p, 9, all + p * n, n, MPI_INT, p, 9, WORLD, IGNORE);
}

NOINLINE static void ring(int *all, int n) {
  ME;
  int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int step = 0; step < size - 1; ++step) {
    int out = (rank + size - step) % size, in = (left + size - step) % size;
    MPI_Sendrecv(all + out * n, n, MPI_INT, right, 10, all + in * n, n, MPI_INT, left, 10, WORLD, IGNORE);
  }
}

NOINLINE static void ring_to_the_left(int *all, int n) {
  ME;
  int right = rank + 1 == size ? 0 : rank + 1, left = rank == 0 ? size - 1 : rank - 1;
  int out = rank, in = right;
  for (int step = 1; step < size; ++step) {
    MPI_Sendrecv(all + out * n, n, MPI_INT, left, step, all + in * n, n, MPI_INT, right, step, WORLD, IGNORE);
    out = in;
    in = (in + 1) % size;
  }
}

NOINLINE static void gather_two(const int *a, const double *b, int *restrict as, double *restrict bs) {
  ME;
  if (rank == 0)
    for (int p = 1; p < size; ++p) {
      MPI_Recv(as + p * block, block, MPI_INT, p, 11, WORLD, IGNORE);
      MPI_Recv(bs + p, 1, MPI_DOUBLE, p, 12, WORLD, IGNORE);
    }
  else {
    MPI_Send(a, block, MPI_INT, 0, 11, WORLD);
    MPI_Send(b, 1, MPI_DOUBLE, 0, 12, WORLD);
  }
}

static uint64_t hash = 14695981039346656037u;

static void note(const void *data, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    hash = (hash ^ ((const unsigned char *)data)[i]) * 1099511628211u;
}

static int out[most * block], in[most * block];
static double reals[most];

/// New contents, which identify process, position and test.
static void fill(int rank, int test) {
  for (int i = 0; i < most * block; ++i)
    out[i] = rank * 10000 + test * 100 + i, in[i] = -out[i];
  for (int i = 0; i < most; ++i)
    reals[i] = -i - rank * 0.5;
}

static void expect(int rank, int test, int got, int wanted) {
  if (got != wanted) {
    printf("process %d: test %d: %d instead of %d\n", rank, test, got, wanted);
    MPI_Abort(WORLD, 1);
  }
}

#define TEST(number, call)                                                                                             \
  fill(rank, number);                                                                                                  \
  call;                                                                                                                \
  note(out, sizeof out);                                                                                               \
  note(in, sizeof in);                                                                                                 \
  note(reals, sizeof reals)

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &size);
  if (size > most)
    MPI_Abort(WORLD, 2);
  TEST(1, bcast(in));
  expect(rank, 1, in[2], -102);
  TEST(2, bcast_of_the_last(out, in));
  if (rank < size - 1)
    expect(rank, 2, in[2], (size - 1) * 10000 + 202);
  TEST(3, gather(out, in));
  TEST(4, gather_from_itself(out, in));
  if (rank == 0)
    expect(rank, 4, in[(size - 1) * block], (size - 1) * 10000 + 400);
  TEST(5, gather_parts(out, in));
  TEST(6, scatter(out, in));
  if (rank > 0)
    expect(rank, 6, in[1], 600 + rank * block + 1);
  TEST(7, alltoall(out, in, 3));
  expect(rank, 7, in[0], 700 + rank * 3);
  TEST(8, alltoall_pairwise(out, in, 4));
  TEST(9, alltoall_in_flight(out, in, block));
  TEST(10, alltoall(out, in, 0));
  TEST(11, allgather(out, in, 2));
  TEST(12, allgather_in_place(in, block));
  TEST(13, ring(in, 3));
  for (int p = 0; p < size; ++p)
    expect(rank, 13, in[p * 3], -(p * 10000 + 1300 + p * 3));
  TEST(14, ring(in, 0));
  double real = rank + 0.25;
  TEST(15, gather_two(out, &real, in, reals));

  TEST(16, alltoall_copied_before(out, in));
  TEST(17, alltoall_copied_inside(out, in, 2));
  TEST(18, alltoall_of_others(out, in, 2));
  expect(rank, 18, in[rank * 2], -(rank * 10000 + 1800 + rank * 2));
  TEST(19, ring_to_the_left(in, 2));

  uint64_t hashes[most];
  MPI_Gather(&hash, 1, MPI_UINT64_T, hashes, 1, MPI_UINT64_T, 0, WORLD);
  if (rank == 0) {
    printf("%d processes:", size);
    for (int p = 0; p < size; ++p)
      printf(" %016llx", (unsigned long long)hashes[p]);
    printf("\n");
  }
  MPI_Finalize();
  return 0;
}
