// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of one communication together with two computations. Every kernel has the shape of the motivating example:
//
//   communicate (send to receive); compute (first); touch (send); compute (second)
//
// in which both computations can overlap or, in the kernels called "dependent", none: there the computation needs the
// received data, and the next communication needs the computed data.
//
//   kernels calibrate US                         prints how many rounds of the computation take US microseconds
//   kernels run ROUNDS ITERATIONS BYTES ...      prints "CALL BYTES US": microseconds an iteration, for each kernel and
//                                                message size; the slowest rank's
//
// Compiled as it is, it is the usual program, which commcc compiles. With BY_HAND it is an expert's version: start,
// both computations, wait, touch.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BY_HAND
#define START(blocking, nonblocking, ...)                                                                              \
  MPI_Request request;                                                                                                 \
  nonblocking(__VA_ARGS__, &request)
#define FINISH() MPI_Wait(&request, MPI_STATUS_IGNORE)
#else
#define START(blocking, nonblocking, ...) blocking(__VA_ARGS__)
#define FINISH() (void)0
#endif

// `rounds` of arithmetic on a private state. Each depends on the previous one, so no compiler shortens them.
static void compute(double *state, long rounds) {
  double x = *state;
  for (long i = 0; i < rounds; ++i)
    x = x * 0.999999 + 0.5;
  *state = x;
}

static void touch(double *buffer, int count) {
  for (int i = 0; i < count; ++i)
    buffer[i] += 1;
}

static double *allocate(int count) {
  double *memory = calloc((size_t)count, sizeof(double));
  if (!memory) {
    fprintf(stderr, "kernels: error: no memory for %d numbers\n", count);
    exit(1);
  }
  return memory;
}

// The computations of an iteration after a start; an expert puts the wait there. Macros instead of functions, so that
// calls and computations are in one function, as in the motivating example.
#ifdef BY_HAND
#define REST_OF_ITERATION()                                                                                            \
  compute(first, rounds);                                                                                              \
  compute(second, rounds);                                                                                             \
  FINISH();                                                                                                            \
  touch(send, count)
#else
#define REST_OF_ITERATION()                                                                                            \
  compute(first, rounds);                                                                                              \
  touch(send, count);                                                                                                  \
  compute(second, rounds)
#endif

#define KERNEL_BEGIN(name)                                                                                             \
  static double name(int count, int ranks, int rank, long rounds, int iterations) {                                    \
    double *send = allocate(count * ranks), *receive = allocate(count * ranks);                                        \
    double *first = allocate(1), *second = allocate(1);                                                                \
    (void)rank, (void)rounds;                                                                                          \
    MPI_Barrier(MPI_COMM_WORLD);                                                                                       \
    double begin = MPI_Wtime();                                                                                        \
    for (int iteration = 0; iteration < iterations; ++iteration) {
#define KERNEL_END()                                                                                                   \
  }                                                                                                                    \
  double seconds = MPI_Wtime() - begin;                                                                                \
  /* Never true; but makes the computed and received values used. */                                                   \
  if (*first + *second + receive[0] + send[0] < 0)                                                                     \
    printf("negative\n");                                                                                              \
  free(send), free(receive), free(first), free(second);                                                                \
  return seconds;                                                                                                      \
  }

KERNEL_BEGIN(alltoall)
START(MPI_Alltoall, MPI_Ialltoall, send, count, MPI_DOUBLE, receive, count, MPI_DOUBLE, MPI_COMM_WORLD);
REST_OF_ITERATION();
KERNEL_END()

KERNEL_BEGIN(allreduce)
START(MPI_Allreduce, MPI_Iallreduce, send, receive, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
REST_OF_ITERATION();
KERNEL_END()

KERNEL_BEGIN(bcast)
// A broadcast has one buffer, here the one that is touched. The root changes, so that no rank runs ahead.
START(MPI_Bcast, MPI_Ibcast, send, count, MPI_DOUBLE, iteration % ranks, MPI_COMM_WORLD);
REST_OF_ITERATION();
KERNEL_END()

KERNEL_BEGIN(halo)
int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
#ifdef BY_HAND
MPI_Request requests[2];
MPI_Irecv(receive, count, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
MPI_Isend(send, count, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[1]);
compute(first, rounds);
compute(second, rounds);
MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
touch(send, count);
#else
MPI_Sendrecv(send, count, MPI_DOUBLE, right, 0, receive, count, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
REST_OF_ITERATION();
#endif
KERNEL_END()

KERNEL_BEGIN(dependent_allreduce)
START(MPI_Allreduce, MPI_Iallreduce, send, receive, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
FINISH();
for (int i = 0; i < count; ++i)
  send[i] = receive[i] * 0.5 + 1;
KERNEL_END()

KERNEL_BEGIN(dependent_alltoall)
START(MPI_Alltoall, MPI_Ialltoall, send, count, MPI_DOUBLE, receive, count, MPI_DOUBLE, MPI_COMM_WORLD);
FINISH();
for (int i = 0; i < count * ranks; ++i)
  send[i] = receive[i] * 0.5 + 1;
KERNEL_END()

struct Kernel {
  const char *name;
  double (*run)(int count, int ranks, int rank, long rounds, int iterations);
  int communications; // the number of iterations is multiplied by this, since each is that much shorter
};

static const struct Kernel kernels[] = {
    {"alltoall", alltoall, 1},
    {"allreduce", allreduce, 1},
    {"bcast", bcast, 1},
    {"sendrecv", halo, 1},
    {"dependent-allreduce", dependent_allreduce, 10},
    {"dependent-alltoall", dependent_alltoall, 10},
};

static void calibrate(double us) {
  const long rounds = 100000;
  double shortest = 1e30;
  for (int repetition = 0; repetition < 20; ++repetition) {
    double state = 0, before = MPI_Wtime();
    compute(&state, rounds);
    double seconds = MPI_Wtime() - before;
    if (state >= 0 && seconds < shortest)
      shortest = seconds;
  }
  printf("%ld\n", (long)((double)rounds * us * 1e-6 / shortest));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc == 3 && !strcmp(argv[1], "calibrate")) {
    if (rank == 0)
      calibrate(atof(argv[2]));
  } else if (argc > 4 && !strcmp(argv[1], "run")) {
    long rounds = atol(argv[2]);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; ++k)
      for (int i = 4; i < argc; ++i) {
        int count = (atoi(argv[i]) + (int)sizeof(double) - 1) / (int)sizeof(double);
        int iterations = atoi(argv[3]) * kernels[k].communications;
        kernels[k].run(count, ranks, rank, 1, 2); // connections are made at first use
        double seconds = kernels[k].run(count, ranks, rank, rounds, iterations), slowest = 0;
        MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0)
          printf("%s %s %.3f\n", kernels[k].name, argv[i], slowest * 1e6 / iterations);
      }
  } else if (rank == 0) {
    fprintf(stderr, "usage: kernels calibrate US | kernels run ROUNDS ITERATIONS BYTES ...\n");
  }
  MPI_Finalize();
  return 0;
}
