// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of a rank call MPI for it, while the rank itself waits for them outside of MPI.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, ROUNDS = 40 };

static int rank, size, provided;
static MPI_Comm comms[THREADS];
static MPI_Win window;
static long *counter;

#define EXPECT(condition)                                                                                              \
  do                                                                                                                   \
    if (!(condition)) {                                                                                                \
      printf("rank %d: line %d: not so: %s\n", rank, __LINE__, #condition);                                            \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                                                    \
    }                                                                                                                  \
  while (0)

static void talk(int thread) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size, got, level, isMain;
  MPI_Query_thread(&level);
  MPI_Is_thread_main(&isMain);
  EXPECT(level == provided);
  static int big[THREADS][40000], room[THREADS][40000];
  for (int round = 0; round < ROUNDS; ++round) {
    MPI_Request requests[2];
    MPI_Status status;
    int out = rank * 100000 + thread * 1000 + round, sum, product = rank + 1;
    // Between ranks, and between the threads of one rank.
    MPI_Irecv(&got, 1, MPI_INT, before, thread, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, next, thread, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT(got == before * 100000 + thread * 1000 + round);
    MPI_Send(&out, 1, MPI_INT, rank, 100 + (thread + 1) % THREADS, MPI_COMM_WORLD);
    MPI_Probe(rank, 100 + thread, MPI_COMM_WORLD, &status);
    MPI_Recv(&got, 1, MPI_INT, rank, 100 + thread, MPI_COMM_WORLD, &status);
    EXPECT(got == rank * 100000 + (thread + THREADS - 1) % THREADS * 1000 + round);
    // Collectives, each thread on a communicator of its own.
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comms[thread]);
    EXPECT(sum == size * (size - 1) / 2);
    if (round % 20 == 0) {
      MPI_Request later;
      MPI_Iallreduce(&product, &sum, 1, MPI_INT, MPI_SUM, comms[thread], &later);
      MPI_Wait(&later, MPI_STATUS_IGNORE);
      EXPECT(sum == size * (size + 1) / 2);
      big[thread][39999] = out;
      MPI_Sendrecv(big[thread], 40000, MPI_INT, next, 50 + thread, room[thread], 40000, MPI_INT, before, 50 + thread,
                   MPI_COMM_WORLD, &status);
      EXPECT(room[thread][39999] == before * 100000 + thread * 1000 + round);
    }
    long one = 1, old;
    MPI_Fetch_and_op(&one, &old, MPI_LONG, next, 0, MPI_SUM, window);
    MPI_Win_flush(next, window);
  }
}

static void *run(void *given) {
  int isMain;
  MPI_Is_thread_main(&isMain);
  EXPECT(!isMain);
  talk((int)(long)given);
  return NULL;
}

static void *sendLater(void *given) {
  int value = 42;
  MPI_Send(&value, 1, MPI_INT, rank, 7, MPI_COMM_WORLD);
  return given;
}

int main(int argc, char **argv) {
  int wanted = argc > 1 && !strcmp(argv[1], "funneled") ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE;
  MPI_Init_thread(&argc, &argv, wanted, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  pthread_t threads[THREADS];
  if (argc > 1) { // whatever was provided
    pthread_create(&threads[0], NULL, sendLater, NULL);
    pthread_join(threads[0], NULL);
  }
  if (provided < MPI_THREAD_MULTIPLE) {
    printf("threads: level %d\n", provided);
    MPI_Finalize();
    return 0;
  }
  for (int i = 0; i < THREADS; ++i)
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &window);
  MPI_Win_lock_all(0, window);
  // The rank waits for its threads outside of MPI.
  for (long i = 0; i < THREADS; ++i)
    pthread_create(&threads[i], NULL, run, (void *)i);
  for (int i = 0; i < THREADS; ++i)
    pthread_join(threads[i], NULL);
  // In a parallel region that includes the rank.
#pragma omp parallel for num_threads(THREADS) schedule(static, 1)
  for (int i = 0; i < THREADS; ++i)
    talk(i);
  // In MPI, for its own thread.
  int value = 0;
  pthread_create(&threads[0], NULL, sendLater, NULL);
  MPI_Recv(&value, 1, MPI_INT, rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT(value == 42);
  pthread_join(threads[0], NULL);
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT(*counter == 2 * THREADS * ROUNDS);
  MPI_Win_free(&window);
  for (int i = 0; i < THREADS; ++i)
    MPI_Comm_free(&comms[i]);
  if (rank == 0)
    printf("threads: %d ranks: as expected\n", size);
  MPI_Finalize();
  return 0;
}
