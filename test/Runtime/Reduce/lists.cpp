// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records of random sizes and numbers arrive once, in order, with every transport, even if
// they exceed a chunk and the pool of blocks; sums of floating-point numbers are bitwise
// equal.
//
// clang-format off
// RUN: %mpicxx -std=c++17 -O1 -Wall -I%comm_runtime_include %s -o %t %comm_lib_dir/libCommReduce.a
// RUN: %mpirun -n 1 %t | FileCheck %s
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpirun -n 4 %t | FileCheck %s
// clang-format on
// CHECK-NOT: wrong
// CHECK: shared memory{{.*}} right
// CHECK: messages{{.*}} right
// CHECK: {{window.* right|no window here}}
// CHECK: sparse messages{{.*}} right
// CHECK: automatic{{.*}} right
#include "comm/reduce.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
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

/* The stream of a sender is known to all. */
static uint32_t draw(uint64_t &state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<uint32_t>(state >> 33);
}

struct Pulse {
  int number;
  size_t bytes, counts[16];
  std::vector<uint64_t> next; /* the generator of each sender */
  std::vector<size_t> seen;
  double sum;
};

/* Calls `use(dest, byte, length)` for each record of a sender in a pulse. */
template <typename Use> static void generate(int sender, int number, Use use) {
  uint64_t state =
      static_cast<uint64_t>(sender) * 1000 + static_cast<uint64_t>(number);
  size_t count = number == 0 ? 0 : draw(state) % (number == 3 ? 20000 : 300);
  for (size_t i = 0; i < count; ++i) {
    uint32_t value = draw(state);
    use(static_cast<int>(value % static_cast<unsigned>(size)), value);
  }
}

static double test(const comm_reduce_options &options, size_t bytes,
                   double &peak) {
  comm_reduce *reduce = nullptr;
  comm_reduce_lists *lists = nullptr;
  double total = 0;
  int code = comm_reduce_create(MPI_COMM_WORLD, &options, &reduce);
  EXPECT(code == COMM_REDUCE_SUCCESS);
  if (code)
    return 0;
  EXPECT(comm_reduce_lists_create(reduce, bytes, &lists) ==
         COMM_REDUCE_SUCCESS);
  for (int number = 0; number < 5; ++number) {
    generate(rank, number, [&](int dest, uint32_t value) {
      auto *record =
          static_cast<unsigned char *>(comm_reduce_append(lists, dest));
      memset(record, static_cast<int>(value & 255), bytes);
      if (bytes >= 4)
        memcpy(record, &value, 4);
    });
    std::vector<std::vector<uint32_t>> expected(static_cast<size_t>(size));
    for (int sender = 0; sender < size; ++sender)
      generate(sender, number, [&](int dest, uint32_t value) {
        if (dest == rank)
          expected[static_cast<size_t>(sender)].push_back(value);
      });
    struct Context {
      std::vector<std::vector<uint32_t>> *expected;
      std::vector<size_t> seen;
      size_t bytes;
      double sum;
    } context{&expected, std::vector<size_t>(static_cast<size_t>(size)), bytes,
              0};
    auto receive = [](void *opaque, int source, const void *records,
                      size_t count) {
      auto &context = *static_cast<Context *>(opaque);
      const auto *from = static_cast<const unsigned char *>(records);
      auto &list = (*context.expected)[static_cast<size_t>(source)];
      for (size_t i = 0; i < count; ++i, from += context.bytes) {
        size_t at = context.seen[static_cast<size_t>(source)]++;
        EXPECT(at < list.size());
        if (at >= list.size())
          return;
        uint32_t value = list[at], got = value;
        if (context.bytes >= 4)
          memcpy(&got, from, 4);
        EXPECT(got == value);
        EXPECT(from[context.bytes - 1] ==
               (context.bytes == 4 ? value >> 24 : value & 255));
        context.sum += 1.0 / (1 + value);
      }
    };
    comm_reduce_votes votes = {};
    votes.sum[0] = rank + 1;
    votes.sum[1] = number;
    votes.min[0] = -rank;
    votes.max[0] = rank - 5;
    votes.real_sum[0] = 1.0 / (3 + rank);
    votes.real_max[0] = rank * 0.5;
    EXPECT(comm_reduce_deliver(lists, receive, &context, &votes) ==
           COMM_REDUCE_SUCCESS);
    for (int sender = 0; sender < size; ++sender)
      EXPECT(context.seen[static_cast<size_t>(sender)] ==
             expected[static_cast<size_t>(sender)].size());
    EXPECT(votes.sum[0] == size * (size + 1) / 2 &&
           votes.sum[1] == static_cast<int64_t>(size) * number);
    EXPECT(votes.min[0] == -(size - 1) && votes.max[0] == size - 6 &&
           votes.real_max[0] == (size - 1) * 0.5);
    double sum = 0;
    for (int sender = 0; sender < size; ++sender)
      sum += 1.0 / (3 + sender);
    EXPECT(votes.real_sum[0] == sum);
    if (number !=
        3) /* one of several rounds, whose number depends on the transport */
      total += context.sum;
  }
  comm_reduce_info info;
  EXPECT(comm_reduce_get_info(reduce, &info) == COMM_REDUCE_SUCCESS);
  EXPECT(info.pulses == 5 && info.rounds >= info.pulses &&
         info.processes == size);
  /* At most two messages per pulse and peer, unless a chunk cannot hold everything. */
  EXPECT(info.messages <= 2 * info.rounds * (size - 1));
  EXPECT(info.memory_peak >= info.memory);
  peak = static_cast<double>(info.memory_peak);
  EXPECT(comm_reduce_lists_free(&lists) == COMM_REDUCE_SUCCESS && !lists);
  EXPECT(comm_reduce_free(&reduce) == COMM_REDUCE_SUCCESS && !reduce);
  return total;
}

/* Errors are the same on all processes, and nothing hangs. */
static void testErrors(int transport) {
  comm_reduce_options options = {};
  options.transport = transport;
  comm_reduce *reduce = nullptr;
  comm_reduce_lists *lists = nullptr;
  auto none = [](void *, int, const void *, size_t) {};
  EXPECT(comm_reduce_create(MPI_COMM_WORLD, &options, &reduce) ==
         COMM_REDUCE_SUCCESS);
  EXPECT(comm_reduce_lists_create(reduce, 0, &lists) == COMM_REDUCE_ERR_ARG);
  EXPECT(comm_reduce_lists_create(reduce, 1001, &lists) == COMM_REDUCE_ERR_ARG);
  EXPECT(comm_reduce_lists_create(reduce, 8, &lists) == COMM_REDUCE_SUCCESS);
  if (rank == size - 1)
    memset(comm_reduce_grow(lists, size), 1, 8); /* no such process */
  EXPECT(comm_reduce_deliver(lists, none, nullptr, nullptr) ==
         COMM_REDUCE_ERR_ARG);
  EXPECT(comm_reduce_deliver(lists, none, nullptr, nullptr) ==
         COMM_REDUCE_SUCCESS);
  if (size > 2) {
    int around[2] = {(rank + 1) % size, (rank + size - 1) % size};
    EXPECT(comm_reduce_set_peers(reduce, around, 1) ==
           COMM_REDUCE_ERR_ARG); /* one-sided */
    EXPECT(comm_reduce_set_peers(reduce, around, 2) == COMM_REDUCE_SUCCESS);
    comm_reduce_votes votes = {};
    votes.sum[0] = 1;
    votes.min[0] = INT64_MIN;
    votes.max[0] = rank;
    memset(comm_reduce_append(lists, around[0]), 1, 8);
    EXPECT(comm_reduce_deliver(lists, none, nullptr, &votes) ==
           COMM_REDUCE_SUCCESS);
    EXPECT(votes.sum[0] == size && votes.min[0] == INT64_MIN &&
           votes.max[0] == size - 1);
    if (rank == 0)
      memset(comm_reduce_append(lists, 2), 1, 8); /* no peer */
    EXPECT(comm_reduce_deliver(lists, none, nullptr, nullptr) ==
           COMM_REDUCE_ERR_PEER);
  }
  comm_reduce_lists_free(&lists);
  comm_reduce_free(&reduce);
  /* A limit of memory that one process exceeds. */
  options.memory_bytes = 8 << 20;
  EXPECT(comm_reduce_create(MPI_COMM_WORLD, &options, &reduce) ==
         COMM_REDUCE_SUCCESS);
  EXPECT(comm_reduce_lists_create(reduce, 8, &lists) == COMM_REDUCE_SUCCESS);
  for (int i = 0; i < 2000000 && rank == 0; ++i)
    memset(comm_reduce_append(lists, size - 1), 1, 8);
  EXPECT(comm_reduce_deliver(lists, none, nullptr, nullptr) ==
         COMM_REDUCE_ERR_MEMORY);
  comm_reduce_lists_free(&lists);
  comm_reduce_free(&reduce);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double first = 0;
  for (int transport :
       {COMM_REDUCE_SHARED, COMM_REDUCE_MESSAGES, COMM_REDUCE_WINDOW,
        COMM_REDUCE_SPARSE, COMM_REDUCE_AUTO}) {
    comm_reduce_options options = {};
    options.transport = transport;
    comm_reduce *probe = nullptr;
    if (comm_reduce_create(MPI_COMM_WORLD, &options, &probe) ==
        COMM_REDUCE_ERR_TRANSPORT) {
      EXPECT(transport == COMM_REDUCE_WINDOW);
      if (!rank)
        printf("no window here\n");
      continue;
    }
    comm_reduce_free(&probe);
    double sum = 0, peak = 0;
    for (size_t bytes : {1, 4, 8, 12, 1000})
      for (size_t block : {0, 1024}) {
        if (block && (bytes == 1000 || transport == COMM_REDUCE_AUTO))
          continue;
        options.block_bytes = block;
        options.chunk_bytes = block;
        double one = test(options, bytes, peak);
        EXPECT(block || sum == 0 || one == sum);
        sum = block ? sum : one;
      }
    EXPECT(first == 0 || first == sum);
    first = sum;
    testErrors(transport);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (!rank)
      printf("%s: %s\n", comm_reduce_transport_name(transport),
             wrong ? "failed" : "right");
  }
  MPI_Finalize();
  return wrong;
}
