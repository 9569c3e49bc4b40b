// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sparse messages are sent only to processes that get data, pulses do not mix although some
// processes are a pulse ahead, all processes vote, and lists and copies only cover the partners of a
// process.
//
// clang-format off
// RUN: %mpicxx -std=c++17 -O1 -Wall -I%comm_runtime_include %s -o %t %comm_lib_dir/libCommReduce.a
// RUN: %mpirun -n 1 %t | FileCheck %s
// RUN: %mpirun -n 4 %t | FileCheck %s
// clang-format on
// CHECK-NOT: wrong
// CHECK: sparse right
#include "comm/reduce.h"

#include <cstdio>
#include <ctime>
#include <vector>

static int rank, size, wrong;
#define EXPECT(condition)                                                      \
  do {                                                                         \
    if (!(condition)) {                                                        \
      printf("wrong: line %d on process %d: %s\n", __LINE__, rank,             \
             #condition);                                                      \
      wrong = 1;                                                               \
    }                                                                          \
  } while (0)

struct Received {
  int pulse, records, lastSource;
};

static void hear(void *context, int source, const void *records, size_t count) {
  auto &received = *static_cast<Received *>(context);
  EXPECT(source >= received.lastSource);
  received.lastSource = source;
  for (size_t i = 0; i < count; ++i)
    EXPECT(static_cast<const int *>(records)[i] == received.pulse);
  received.records += static_cast<int>(count);
}

/* Each process in turn sends to the next one, and all others send nothing. */
static void testRing(comm_reduce *reduce) {
  comm_reduce_lists *lists;
  comm_reduce_lists_create(reduce, sizeof(int), &lists);
  comm_reduce_info before, after;
  comm_reduce_get_info(reduce, &before);
  const int pulses = 40 * size;
  for (int pulse = 0; pulse < pulses; ++pulse) {
    int sender = pulse % size, to = (sender + 1) % size;
    if (sender == rank)
      for (int i = 0; i <= pulse; ++i)
        *static_cast<int *>(comm_reduce_append(lists, to)) = pulse;
    // Some are late.
    if (pulse % 7 == rank) {
      timespec time = {0, 200000};
      nanosleep(&time, nullptr);
    }
    // Other messages on the same communicator are not records.
    MPI_Comm comm;
    EXPECT(!comm_reduce_get_comm(reduce, &comm));
    MPI_Request request;
    int early = -5, before = (rank + size - 1) % size;
    MPI_Isend(&early, 1, MPI_INT, (rank + 1) % size, 1 + pulse % 4, comm,
              &request);
    Received received = {pulse, 0, -1};
    comm_reduce_votes votes = {};
    votes.sum[0] = rank + 1;
    votes.min[0] = -rank;
    votes.max[0] = pulse + rank;
    votes.real_max[0] = -1.5 - rank;
    // Rounded: the order of the terms can be seen.
    votes.real_sum[0] = pulse % 2 ? 0.1 * (rank + 1) + 1e15 * (rank == 1) : 0;
    EXPECT(!comm_reduce_deliver(lists, hear, &received, &votes));
    MPI_Recv(&early, 1, MPI_INT, before, 1 + pulse % 4, comm,
             MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(received.records == (to == rank ? pulse + 1 : 0));
    EXPECT(votes.sum[0] == size * (size + 1) / 2);
    EXPECT(votes.min[0] == 1 - size);
    EXPECT(votes.max[0] == pulse + size - 1);
    EXPECT(votes.real_max[0] == -1.5);
    double sum = 0;
    for (int p = 0; p < size; ++p)
      sum += pulse % 2 ? 0.1 * (p + 1) + 1e15 * (p == 1) : 0;
    EXPECT(votes.real_sum[0] == sum);
  }
  comm_reduce_get_info(reduce, &after);
  EXPECT(after.messages - before.messages == (size > 1 ? 40 : 0));
  EXPECT(after.rounds - before.rounds == pulses);
  comm_reduce_lists_free(&lists);
}

/* A chain in which each process has a copy of one value of the next. */
static void testChain(comm_reduce *reduce) {
  bool hasNext = rank + 1 < size;
  int next = rank + 1;
  int64_t one = 1;
  uint32_t index = 2;
  comm_copies *copies = nullptr;
  EXPECT(!comm_copies_create(reduce, 3, hasNext, &next, &one, &index, &copies));
  for (int p = 0; p < size; ++p) {
    const uint32_t *places = nullptr;
    int64_t count = -1;
    EXPECT(!comm_copies_lent(copies, p, &places, &count));
    EXPECT(count == (p + 1 == rank));
    EXPECT(!count || places[0] == 2);
  }
  const uint32_t *places = nullptr;
  int64_t count = 0;
  EXPECT(comm_copies_next_borrower(copies, -1, &places, &count) == rank - 1);
  EXPECT(!rank || (count == 1 && places[0] == 2));
  EXPECT(comm_copies_next_borrower(copies, rank - 1, &places, &count) == -1);
  comm_reduce_info before, after;
  comm_reduce_get_info(reduce, &before);
  int values[4] = {rank, 10 * rank, 100 * rank, -1};
  EXPECT(!comm_copies_refresh(copies, values, sizeof(int), nullptr));
  EXPECT(values[3] == (hasNext ? 100 * (rank + 1) : -1));
  values[3] = 7;
  EXPECT(!comm_copies_reduce(copies, values, COMM_REDUCE_INT32, COMM_REDUCE_SUM,
                             nullptr, nullptr, nullptr));
  EXPECT(values[2] == 100 * rank + (rank ? 7 : 0));
  comm_reduce_get_info(reduce, &after);
  EXPECT(after.messages - before.messages == (rank > 0) + hasNext);
  comm_copies_free(&copies);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  comm_reduce_options options = {};
  options.transport = COMM_REDUCE_SPARSE;
  comm_reduce *reduce = nullptr;
  EXPECT(!comm_reduce_create(MPI_COMM_WORLD, &options, &reduce));
  comm_reduce_info info;
  comm_reduce_get_info(reduce, &info);
  EXPECT(info.peers == size - 1 && info.transport == COMM_REDUCE_SPARSE);
  testRing(reduce);
  testChain(reduce);
  comm_reduce_get_info(reduce, &info);
  comm_reduce_free(&reduce);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (!rank)
    printf("sparse %s\n", wrong ? "failed" : "right");
  MPI_Finalize();
  return wrong;
}
