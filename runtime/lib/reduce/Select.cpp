// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creation of a comm_reduce: finds the transports that work, and the fastest one.
#include "Reduce.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unistd.h>

using namespace comm::reduce;

namespace {

constexpr const char *Names[] = {"automatic", "window", "messages", "shared memory", "sparse messages"};
constexpr const char *Options[] = {"auto", "window", "messages", "shared", "sparse"};

// From this number of processes on, all transports except two take too much memory and time: they have a slot or a
// message for each process.
constexpr int Many = 65;

size_t l1Bytes() {
  long bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE);
  return bytes > 0 ? static_cast<size_t>(bytes) : size_t(32) << 10;
}

bool isSet(const char *name) {
  const char *value = getenv(name);
  return value && *value && strcmp(value, "0") != 0;
}

std::unique_ptr<Transport> make(comm_reduce &reduce, int kind, size_t chunkBytes) {
  switch (kind) {
  case COMM_REDUCE_WINDOW:
    return makeWindow(reduce.processes, reduce.account, reduce.blockBytes, chunkBytes);
  case COMM_REDUCE_MESSAGES:
    return makeMessages(reduce.processes, reduce.account, reduce.blockBytes, chunkBytes);
  case COMM_REDUCE_SPARSE:
    return makeSparse(reduce.processes, reduce.account, reduce.blockBytes, chunkBytes);
  default:
    return makeShared(reduce.processes, reduce.account, reduce.blockBytes);
  }
}

// Returns the seconds of a round in which each process sends one block of a few records to every other one, plus those
// of a round with many. Each is the minimum over repetitions, because other programs may run, of the slowest process.
double measure(comm_reduce &reduce) {
  constexpr int repetitions = 25;
  double best[2] = {1e9, 1e9};
  for (int repetition = 0; repetition < repetitions; ++repetition)
    for (size_t isLarge : {0, 1}) {
      Lists lists(&reduce, 8);
      size_t blocks = isLarge ? 8 : 1, bytes = isLarge ? lists.usable : 64;
      for (size_t dest = 0; dest < lists.out.processes(); ++dest)
        for (size_t block = 0; block < blocks && static_cast<int>(dest) != reduce.processes.rank; ++block)
          if (lists.open(dest)) {
            memset(lists.cursors[dest].next, 0, bytes);
            lists.cursors[dest].next += bytes;
          }
      MPI_Barrier(reduce.processes.comm);
      double start = now();
      lists.deliver([](void *, int, const char *, size_t) {}, nullptr, nullptr);
      best[isLarge] = std::min(best[isLarge], now() - start);
    }
  double seconds = best[0] + best[1], slowest = 0;
  MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, reduce.processes.comm);
  return slowest;
}

void report(const comm_reduce &reduce) {
  if (reduce.processes.rank || !isSet("COMM_REDUCE_REPORT"))
    return;
  fprintf(stderr, "comm: reductions by %s among %d processes, blocks of %zu bytes\n", Names[reduce.kind],
          reduce.processes.size, reduce.blockBytes);
  for (int kind = COMM_REDUCE_WINDOW; kind < COMM_REDUCE_TRANSPORTS; ++kind)
    if (reduce.seconds[kind] > 0)
      fprintf(stderr, "comm:   %s: %.1f us for a small and a large round\n", Names[kind], 1e6 * reduce.seconds[kind]);
    else if (reduce.seconds[kind] < 0)
      fprintf(stderr, "comm:   %s: not available here\n", Names[kind]);
}

} // namespace

int comm::reduce::selectTransport(comm_reduce &reduce, int wanted, size_t chunkBytes) {
  if (wanted != COMM_REDUCE_AUTO) {
    reduce.transport = make(reduce, wanted, chunkBytes);
    reduce.seconds[wanted] = reduce.transport ? 0 : -1;
    reduce.kind = wanted;
    return reduce.transport ? COMM_REDUCE_SUCCESS : COMM_REDUCE_ERR_TRANSPORT;
  }
  std::unique_ptr<Transport> fastest;
  std::vector<int> kinds = {COMM_REDUCE_SHARED, COMM_REDUCE_MESSAGES, COMM_REDUCE_WINDOW};
  if (reduce.processes.size >= Many)
    kinds = {COMM_REDUCE_SHARED, COMM_REDUCE_SPARSE};
  for (int kind : kinds) {
    reduce.transport = make(reduce, kind, chunkBytes);
    if (!reduce.transport) {
      reduce.seconds[kind] = -1;
      continue;
    }
    // A measurement would make each process send to every other one.
    if (kind == COMM_REDUCE_SPARSE && !fastest) {
      fastest = std::move(reduce.transport);
      reduce.kind = kind;
      break;
    }
    reduce.seconds[kind] = measure(reduce);
    // Kinds are in the usual order of speed. A later one must win clearly, so that noise does not decide.
    if (!fastest || reduce.seconds[kind] < 0.75 * reduce.seconds[reduce.kind]) {
      fastest = std::move(reduce.transport);
      reduce.kind = kind;
    }
    reduce.transport.reset();
  }
  reduce.transport = std::move(fastest);
  // The counts are for the program only.
  Account &account = reduce.account;
  account.messages = account.bytes = account.rounds = account.synchronizations = 0;
  account.peak = account.memory;
  reduce.pulses = 0;
  reduce.waited = 0;
  return COMM_REDUCE_SUCCESS;
}

int comm_reduce_create(MPI_Comm comm, const comm_reduce_options *options, comm_reduce **reduce) {
  if (!reduce || comm == MPI_COMM_NULL)
    return COMM_REDUCE_ERR_ARG;
  *reduce = nullptr;
  std::unique_ptr<comm_reduce> made(new (std::nothrow) comm_reduce);
  if (!made)
    return COMM_REDUCE_ERR_MEMORY;
  Processes &processes = made->processes;
  MPI_Comm_dup(comm, &processes.comm);
  MPI_Comm_set_errhandler(processes.comm, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_rank(processes.comm, &processes.rank);
  MPI_Comm_size(processes.comm, &processes.size);
  for (int rank = 0; rank < processes.size; ++rank)
    if (rank != processes.rank)
      processes.peers.push_back(rank);

  comm_reduce_options chosen = options ? *options : comm_reduce_options{};
  int64_t error = COMM_REDUCE_SUCCESS;
  if (const char *name = getenv("COMM_REDUCE_TRANSPORT"); name && *name && !chosen.transport) {
    auto found =
        std::find_if(std::begin(Options), std::end(Options), [&](auto *option) { return !strcmp(option, name); });
    if (found == std::end(Options)) {
      if (!processes.rank)
        fprintf(stderr, "comm: error: COMM_REDUCE_TRANSPORT is '%s': set it to auto, window, messages or shared\n",
                name);
      error = COMM_REDUCE_ERR_ARG;
    } else {
      chosen.transport = static_cast<int>(found - std::begin(Options));
    }
  }
  if (const char *bytes = getenv("COMM_REDUCE_MEMORY"); bytes && *bytes && !chosen.memory_bytes)
    chosen.memory_bytes = strtoull(bytes, nullptr, 10);
  auto size = static_cast<size_t>(processes.size);
  if (!chosen.block_bytes)
    chosen.block_bytes = (l1Bytes() - l1Bytes() / 16) / size / 64 * 64;
  chosen.block_bytes = std::max<size_t>(padded(chosen.block_bytes), 1024);
  bool isSparse =
      chosen.transport == COMM_REDUCE_SPARSE || (chosen.transport == COMM_REDUCE_AUTO && processes.size >= Many);
  if (!chosen.chunk_bytes)
    chosen.chunk_bytes = (size_t(16) << 20) / (isSparse ? std::min<size_t>(size, 64) : size);
  chosen.chunk_bytes = std::min<size_t>(std::max(chosen.chunk_bytes, chosen.block_bytes), size_t(1) << 20);
  if (chosen.transport < COMM_REDUCE_AUTO || chosen.transport >= COMM_REDUCE_TRANSPORTS ||
      chosen.block_bytes > (size_t(1) << 20))
    error = COMM_REDUCE_ERR_ARG;
  // Processes with different options or environments would wait for each other forever.
  int64_t bounds[] = {error,
                      chosen.transport,
                      -chosen.transport,
                      static_cast<int64_t>(chosen.block_bytes),
                      -static_cast<int64_t>(chosen.block_bytes),
                      static_cast<int64_t>(chosen.chunk_bytes),
                      -static_cast<int64_t>(chosen.chunk_bytes)};
  MPI_Allreduce(MPI_IN_PLACE, bounds, 7, MPI_INT64_T, MPI_MAX, processes.comm);
  if (bounds[0] || bounds[1] != -bounds[2] || bounds[3] != -bounds[4] || bounds[5] != -bounds[6]) {
    MPI_Comm_free(&processes.comm);
    return bounds[0] ? static_cast<int>(bounds[0]) : COMM_REDUCE_ERR_ARG;
  }
  if (chosen.memory_bytes)
    made->account.limit = chosen.memory_bytes;
  made->blockBytes = chosen.block_bytes;
  int code = selectTransport(*made, chosen.transport, chosen.chunk_bytes);
  if (code) {
    MPI_Comm_free(&processes.comm);
    return code;
  }
  if (made->kind == COMM_REDUCE_SPARSE)
    std::vector<int>().swap(processes.peers);
  report(*made);
  *reduce = made.release();
  return COMM_REDUCE_SUCCESS;
}

int comm_reduce_free(comm_reduce **reduce) {
  if (!reduce)
    return COMM_REDUCE_ERR_ARG;
  if (!*reduce)
    return COMM_REDUCE_SUCCESS;
  (*reduce)->transport.reset();
  MPI_Comm_free(&(*reduce)->processes.comm);
  delete *reduce;
  *reduce = nullptr;
  return COMM_REDUCE_SUCCESS;
}

int comm_reduce_set_peers(comm_reduce *reduce, const int *ranks, int count) {
  if (!reduce)
    return COMM_REDUCE_ERR_ARG;
  Processes &processes = reduce->processes;
  auto size = static_cast<size_t>(processes.size);
  std::vector<char> mine(size), theirs(size);
  int error = count < 0 || (count && !ranks);
  for (int i = 0; i < count && !error; ++i) {
    error = ranks[i] < 0 || ranks[i] >= processes.size;
    if (!error)
      mine[static_cast<size_t>(ranks[i])] = 1;
  }
  mine[static_cast<size_t>(processes.rank)] = 1;
  MPI_Alltoall(mine.data(), 1, MPI_CHAR, theirs.data(), 1, MPI_CHAR, processes.comm);
  int isComplete = std::count(mine.begin(), mine.end(), 0) == 0;
  int flags[2] = {error || mine != theirs, !isComplete};
  MPI_Allreduce(MPI_IN_PLACE, flags, 2, MPI_INT, MPI_MAX, processes.comm);
  if (flags[0])
    return COMM_REDUCE_ERR_ARG;
  processes.peers.clear();
  for (int rank = 0; rank < processes.size; ++rank)
    if (rank != processes.rank && mine[static_cast<size_t>(rank)])
      processes.peers.push_back(rank);
  processes.isComplete = !flags[1];
  return COMM_REDUCE_SUCCESS;
}

int comm_reduce_get_comm(const comm_reduce *reduce, MPI_Comm *comm) {
  if (!reduce || !comm)
    return COMM_REDUCE_ERR_ARG;
  *comm = reduce->processes.comm;
  return COMM_REDUCE_SUCCESS;
}

int comm_reduce_get_info(const comm_reduce *reduce, comm_reduce_info *info) {
  if (!reduce || !info)
    return COMM_REDUCE_ERR_ARG;
  *info = {};
  info->transport = reduce->kind;
  info->processes = reduce->processes.size;
  info->peers =
      reduce->processes.isComplete ? reduce->processes.size - 1 : static_cast<int>(reduce->processes.peers.size());
  std::copy_n(reduce->seconds, COMM_REDUCE_TRANSPORTS, info->seconds);
  const Account &account = reduce->account;
  info->pulses = reduce->pulses;
  info->rounds = account.rounds;
  info->messages = account.messages;
  info->bytes = account.bytes;
  info->synchronizations = account.synchronizations;
  info->wait_seconds = reduce->waited;
  info->memory = account.memory;
  info->memory_peak = account.peak;
  return COMM_REDUCE_SUCCESS;
}

const char *comm_reduce_transport_name(int transport) {
  return transport >= COMM_REDUCE_AUTO && transport < COMM_REDUCE_TRANSPORTS ? Names[transport] : "unknown";
}
