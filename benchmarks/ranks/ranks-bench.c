// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the runtime of user-level ranks. Each part prints one line, "name value unit". Build with commcc
// -fcomm-ranks and run with run.sh.
//
//   ranks-bench switch        two ranks of one core that yield to each other
//   ranks-bench pingpong A B  8 bytes between two ranks, one way
//   ranks-bench bandwidth A B 1 MiB between two ranks, and memcpy
//   ranks-bench allreduce     8 bytes, all ranks
//   ranks-bench start         a neighbor exchange; the caller measures the time
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double best(double a, double b) { return a < b ? a : b; }

/// A Test that finds nothing lets the next ready rank run.
static void measureSwitch(int rank, int size) {
  double least = 1e9;
  for (int round = 0; round < 200; ++round) {
    int ignored, flag = 0, count = 5000;
    MPI_Request never;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Irecv(&ignored, 1, MPI_INT, rank, 99, MPI_COMM_WORLD, &never);
    double start = MPI_Wtime();
    for (int i = 0; i < count; ++i)
      MPI_Test(&never, &flag, MPI_STATUS_IGNORE);
    double took = MPI_Wtime() - start;
    MPI_Cancel(&never);
    MPI_Wait(&never, MPI_STATUS_IGNORE);
    // Both ranks switch once per call.
    least = best(least, took / count / size * 1e9);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0)
    printf("switch %.1f ns\n", least);
}

static void measurePingPong(int rank, int size, int a, int b) {
  (void)size;
  double least = 1e9;
  long value = 0;
  // Use short rounds, because on a shared machine long ones are always disturbed.
  for (int round = 0; round < 1000; ++round) {
    int count = 500;
    if (rank != a && rank != b)
      break;
    int peer = rank == a ? b : a;
    double start = MPI_Wtime();
    for (int i = 0; i < count; ++i)
      if (rank == a) {
        MPI_Send(&value, 1, MPI_LONG, peer, 1, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_LONG, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else {
        MPI_Recv(&value, 1, MPI_LONG, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_LONG, peer, 1, MPI_COMM_WORLD);
      }
    least = best(least, (MPI_Wtime() - start) / count / 2 * 1e9);
  }
  if (rank == a)
    printf("pingpong %.1f ns\n", least);
}

/// The receiver posts first, as in programs that post MPI_Irecv before a barrier; the sender's call is then the only
/// copy.
static void measureBandwidth(int rank, int size, int a, int b) {
  (void)size;
  size_t bytes = 1 << 20;
  int blocks = 8;
  char *buffer = malloc(bytes * blocks), *other = malloc(bytes * blocks);
  memset(buffer, rank, bytes * blocks);
  memset(other, rank, bytes * blocks);
  double least = 1e9, copy = 1e9;
  for (int round = 0; round < 100; ++round) {
    int count = 8;
    double start = MPI_Wtime();
    for (int i = 0; i < count; ++i) {
      memcpy(other + (i % blocks) * bytes, buffer + (i % blocks) * bytes, bytes);
      __asm__ volatile("" ::: "memory");
    }
    copy = best(copy, (MPI_Wtime() - start) / count);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != a && rank != b)
      continue;
    start = MPI_Wtime();
    for (int i = 0; i < count; ++i)
      if (rank == a)
        MPI_Send(buffer + (i % blocks) * bytes, bytes, MPI_BYTE, b, 1, MPI_COMM_WORLD);
      else
        MPI_Recv(other + (i % blocks) * bytes, bytes, MPI_BYTE, a, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_SELF);
    least = best(least, (MPI_Wtime() - start) / count);
  }
  if (rank == b)
    printf("bandwidth %.1f GB/s\nmemcpy %.1f GB/s\n", bytes / least / 1e9, bytes / copy / 1e9);
  free(buffer);
  free(other);
}

static void measureAllreduce(int rank, int size) {
  double least = 1e9, in = 1, out;
  for (int round = 0; round < 200; ++round) {
    int count = size > 256 ? 5 : 100;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < count; ++i)
      MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    least = best(least, (MPI_Wtime() - start) / count * 1e6);
  }
  if (rank == 0)
    printf("allreduce %.2f us\n", out == size ? least : -1);
}

/// Returns the resident bytes of this process.
static long resident(void) {
  long pages = 0, ignored;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%ld %ld", &ignored, &pages) != 2)
    pages = 0;
  if (file)
    fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}

static void exchange(int rank, int size) {
  long mine = rank, theirs = -1;
  MPI_Sendrecv(&mine, 1, MPI_LONG, (rank + 1) % size, 1, &theirs, 1, MPI_LONG, (rank + size - 1) % size, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int wrong = theirs != (rank + size - 1) % size, wrongs;
  MPI_Reduce(&wrong, &wrongs, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("ranks %d wrong %d resident %.1f kB a rank\n", size, wrongs, resident() / 1024.0 / size);
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char *what = argc > 1 ? argv[1] : "";
  int a = argc > 2 ? atoi(argv[2]) : 0, b = argc > 3 ? atoi(argv[3]) : 1;
  if (!strcmp(what, "switch"))
    measureSwitch(rank, size);
  else if (!strcmp(what, "pingpong"))
    measurePingPong(rank, size, a, b);
  else if (!strcmp(what, "bandwidth"))
    measureBandwidth(rank, size, a, b);
  else if (!strcmp(what, "allreduce"))
    measureAllreduce(rank, size);
  else if (!strcmp(what, "start"))
    exchange(rank, size);
  else if (rank == 0)
    fprintf(stderr, "usage: ranks-bench switch|pingpong|bandwidth|allreduce|"
                    "start [rank rank]\n");
  MPI_Finalize();
  return 0;
}
