// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many small messages to other processes, which are combined: their order, also with large ones, for each pair of ranks
// and for wildcards; probes, synchronous sends, the program's own operators, one-sided communication; and a rank that
// computes after its sends. No globals: the test builds without the compiler side.
//
//   combining FILE     FILE: is made and removed
#include "expect.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { messages = 60, longest = 5000 };

// The length of the message with that number, in ints: mostly small, some eager and large, some in two parts.
static int length(int number) { return number % 17 == 16 ? longest : number % 11 == 10 ? 3000 : number % 5; }

// To every rank, itself included, at the same time; received in order from each.
static void order(int rank, int size) {
  MPI_Request *requests = malloc((size_t)size * messages * sizeof(MPI_Request));
  int *data = malloc(longest * sizeof(int)), *in = malloc(longest * sizeof(int));
  for (int i = 0; i < longest; ++i)
    data[i] = rank * longest + i;
  int pending = 0;
  for (int number = 0; number < messages; ++number)
    for (int to = 0; to < size; ++to)
      MPI_Isend(data + number, length(number) ? length(number) - (length(number) == longest ? number : 0) : 0, MPI_INT,
                (rank + to) % size, number % 3, MPI_COMM_WORLD, &requests[pending++]);
  // By tag first, so that most of them are unexpected; within each tag, in the order of the sends.
  for (int from = 0; from < size; ++from)
    for (int tag = 2; tag >= 0; --tag)
      for (int number = tag; number < messages; number += 3) {
        MPI_Status status;
        int count, expected = length(number) == longest ? longest - number : length(number);
        if (number % 2)
          MPI_Probe(from, tag, MPI_COMM_WORLD, &status);
        MPI_Recv(in, longest, MPI_INT, from, tag, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        EXPECT(count == expected);
        for (int i = 0; i < count; ++i)
          EXPECT(in[i] == from * longest + number + i);
      }
  MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
  free(requests);
  free(data);
  free(in);
}

// One receiver, any source, any tag: the messages of a rank arrive in order, small and large, in all modes.
static void wildcards(int rank, int size) {
  int value[longest] = {0};
  if (rank) {
    MPI_Request requests[messages];
    int numbers[messages][8];
    for (int number = 0; number < messages; ++number) {
      numbers[number][0] = number;
      int count = number % 9 == 8 ? longest : 1 + number % 7;
      void *from = numbers[number];
      if (count == longest) {
        value[0] = number;
        MPI_Send(value, count, MPI_INT, 0, 10 + number % 4, MPI_COMM_WORLD);
        requests[number] = MPI_REQUEST_NULL;
      } else if (number % 5 == 4) {
        MPI_Issend(from, count, MPI_INT, 0, 10 + number % 4, MPI_COMM_WORLD, &requests[number]);
      } else {
        MPI_Isend(from, count, MPI_INT, 0, 10 + number % 4, MPI_COMM_WORLD, &requests[number]);
      }
    }
    MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE);
    return;
  }
  int *next = calloc((size_t)size, sizeof(int));
  for (int i = 0; i < messages * (size - 1); ++i) {
    MPI_Status status;
    int count, found = 0;
    while (i % 4 == 3 && !found)
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &status);
    MPI_Recv(value, longest, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    int number = next[status.MPI_SOURCE]++;
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT(value[0] == number);
    EXPECT(status.MPI_TAG == 10 + number % 4);
    EXPECT(count == (number % 9 == 8 ? longest : 1 + number % 7));
  }
  free(next);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Rank 0 sends three messages to the last rank and computes, without MPI, until that rank reports in a file that it has
// received them.
static void computing(int rank, int size, const char *file) {
  int value = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Request requests[3];
    int values[3] = {7, 8, 9};
    for (int i = 0; i < 3; ++i)
      MPI_Isend(&values[i], 1, MPI_INT, size - 1, 20, MPI_COMM_WORLD, &requests[i]);
    double begin = now();
    while (access(file, F_OK) != 0)
      EXPECT(now() - begin < 20);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  }
  if (rank == size - 1) {
    for (int i = 0; i < 3; ++i) {
      MPI_Recv(&value, 1, MPI_INT, 0, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT(value == 7 + i);
    }
    FILE *made = fopen(file, "w");
    EXPECT(made);
    fclose(made);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    remove(file);
}

// The answer to a synchronous send, which a process gives while all its ranks wait: no rank wakes, and earlier messages
// to the same process may make the answer wait for more. Between processes other than the first one, if there are four:
// others notify that one when they are idle.
static void answers(int rank, int size) {
  int from = size / 4, to = size / 2, value = 0, go = 0;
  for (int turn = 0; turn < 300; ++turn) {
    MPI_Request request, sends[2];
    if (rank == from) {
      MPI_Issend(&turn, 1, MPI_INT, to, 31, MPI_COMM_WORLD, &request);
      for (int i = 0; i < 2; ++i)
        MPI_Recv(&value, 1, MPI_INT, to, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Send(&turn, 1, MPI_INT, to, 32, MPI_COMM_WORLD);
    } else if (rank == to) {
      MPI_Irecv(&value, 1, MPI_INT, from, 31, MPI_COMM_WORLD, &request);
      for (double begin = now(); now() - begin < 5e-5;)
        ; // the message is there before the process polls the network
      for (int i = 0; i < 2; ++i)
        MPI_Isend(&turn, 1, MPI_INT, from, 30, MPI_COMM_WORLD, &sends[i]);
      MPI_Recv(&go, 1, MPI_INT, from, 32, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
      EXPECT(value == turn && go == turn);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void larger(void *in, void *inout, int *count, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *count; ++i)
    if (((int *)in)[i] > ((int *)inout)[i])
      ((int *)inout)[i] = ((int *)in)[i];
}

// Messages, an operator of the program, puts and a fence, alternating: nothing is lost between them.
static void others(int rank, int size) {
  MPI_Op op;
  MPI_Win window;
  int *memory, *in = malloc((size_t)size * sizeof(int));
  MPI_Request *requests = malloc(2 * (size_t)size * sizeof(MPI_Request));
  MPI_Op_create(larger, 1, &op);
  MPI_Win_allocate(size * (int)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (int turn = 0; turn < 10; ++turn) {
    int mine = (rank * 7 + turn * 3) % size, most = -1;
    for (int peer = 0; peer < size; ++peer) {
      MPI_Irecv(&in[peer], 1, MPI_INT, peer, turn, MPI_COMM_WORLD, &requests[peer]);
      MPI_Isend(&mine, 1, MPI_INT, peer, turn, MPI_COMM_WORLD, &requests[size + peer]);
    }
    MPI_Allreduce(&mine, &most, 1, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Win_fence(0, window);
    for (int peer = 0; peer < size; ++peer)
      MPI_Put(&mine, 1, MPI_INT, peer, rank, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE);
    int expected = -1;
    for (int peer = 0; peer < size; ++peer) {
      int its = (peer * 7 + turn * 3) % size;
      expected = its > expected ? its : expected;
      EXPECT(in[peer] == its);
      EXPECT(memory[peer] == its);
    }
    EXPECT(most == expected);
  }
  MPI_Win_free(&window);
  MPI_Op_free(&op);
  free(requests);
  free(in);
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT(argc == 2);
  order(rank, size);
  wildcards(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i)
    computing(rank, size, argv[1]);
  answers(rank, size);
  others(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("combining: %d ranks: as expected\n", size);
  MPI_Finalize();
  return 0;
}
