// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs in single-transfer form (Hoefler and Schneider, section 3), and graphs that are made, run and freed in one
// call, as compiled programs use them.

#include "GraphHandle.h"

#include <cstdio>
#include <cstdlib>

using namespace comm::cdag;
using namespace comm::cdag::run;

namespace {

constexpr int64_t kMostAtOnce = int64_t(1) << 30; ///< bytes of one message

/// The role of this process in a transfer.
struct LocalTransfer {
  const char *from;
  char *to;
  int64_t bytes;
  int source, target, number;
  bool reads, writes;
  int staged; ///< the copy that saves the source, or -1
};

bool overlap(const void *a, const void *b, int64_t aBytes, int64_t bBytes) {
  auto x = uintptr_t(a), y = uintptr_t(b);
  return x < y + uint64_t(bBytes) && y < x + uint64_t(aBytes);
}

/// Transfers read the initial contents, so sources that another transfer overwrites are copied first.
int stage(comm_cdag *graph, Vec<LocalTransfer> &transfers) {
  for (LocalTransfer &transfer : transfers) {
    bool overwritten = false;
    for (const LocalTransfer &other : transfers)
      overwritten |= transfer.reads && other.writes && overlap(transfer.from, other.to, transfer.bytes, other.bytes);
    if (!overwritten)
      continue;
    char *memory = static_cast<char *>(std::malloc(size_t(transfer.bytes)));
    if (!memory)
      return COMM_CDAG_ERR_MEMORY;
    graph->owned.push_back(memory);
    comm_cdag_add_temporary(graph, memory, size_t(transfer.bytes));
    if (int error = comm_cdag_add_copy(graph, transfer.from, memory, int(transfer.bytes), MPI_BYTE, &transfer.staged))
      return error;
  }
  return COMM_CDAG_SUCCESS;
}

/// Adds this process's share of a transfer. `from` is where its bytes are now.
int addOne(comm_cdag *graph, const LocalTransfer &transfer, const char *from, const Vec<LocalTransfer> &all) {
  int op = 0, bytes = int(transfer.bytes);
  if (transfer.reads) {
    int error = transfer.writes
                    ? comm_cdag_add_copy(graph, from, transfer.to, bytes, MPI_BYTE, &op)
                    : comm_cdag_add_send(graph, from, bytes, MPI_BYTE, transfer.target, transfer.number, &op);
    if (error == COMM_CDAG_SUCCESS && transfer.staged >= 0)
      error = comm_cdag_add_dependency(graph, op, transfer.staged);
    if (error || !transfer.writes)
      return error;
  } else if (int error =
                 comm_cdag_add_recv(graph, transfer.to, bytes, MPI_BYTE, transfer.source, transfer.number, &op)) {
    return error;
  }
  for (const LocalTransfer &other : all)
    if (other.staged >= 0 && overlap(transfer.to, other.from, transfer.bytes, other.bytes))
      if (int error = comm_cdag_add_dependency(graph, op, other.staged))
        return error;
  return COMM_CDAG_SUCCESS;
}

} // namespace

int comm_cdag_add_transfers(comm_cdag *graph, void *const *buffers, const comm_cdag_transfer *transfers, int count) {
  if (!graph || count < 0 || (count > 0 && (!buffers || !transfers)))
    return COMM_CDAG_ERR_ARG;
  int rank = graph->context->rank, size = graph->context->size, number = 0;
  Vec<LocalTransfer> mine;
  for (int i = 0; i < count; ++i) {
    const comm_cdag_transfer &each = transfers[i];
    if (each.bytes < 0 || each.source_rank < 0 || each.source_rank >= size || each.target_rank < 0 ||
        each.target_rank >= size)
      return comm_cdag_fail_transfer(graph, i, each);
    // Split transfers that are too long for the int of a message.
    for (int64_t done = 0; done < each.bytes; done += kMostAtOnce, ++number) {
      int64_t bytes = each.bytes - done < kMostAtOnce ? each.bytes - done : kMostAtOnce;
      bool reads = each.source_rank == rank, writes = each.target_rank == rank;
      const char *from = static_cast<const char *>(buffers[each.source_buffer]) + each.source_offset + done;
      char *to = static_cast<char *>(buffers[each.target_buffer]) + each.target_offset + done;
      if ((reads || writes) && !(reads && writes && from == to))
        mine.push_back({from, to, bytes, int(each.source_rank), int(each.target_rank), number, reads, writes, -1});
    }
  }
  size_t first = graph->owned.size();
  if (int error = stage(graph, mine))
    return error;
  for (const LocalTransfer &transfer : mine) {
    const char *from = transfer.staged < 0 ? transfer.from : static_cast<const char *>(graph->owned[first++]);
    if (int error = addOne(graph, transfer, from, mine))
      return error;
  }
  return COMM_CDAG_SUCCESS;
}

void comm_cdag_execute(comm_cdag **graph, const char *site) {
  comm_cdag_schedule *schedule = nullptr;
  int error = graph && *graph ? comm_cdag_compile(*graph, &schedule) : int(COMM_CDAG_ERR_MPI);
  bool compiled = error == COMM_CDAG_SUCCESS;
  if (compiled)
    error = comm_cdag_run(schedule);
  if (error) {
    const char *message = compiled          ? "an MPI function failed"
                          : graph && *graph ? comm_cdag_message(*graph)
                                            : "its communicator has no graphs: it must be an intra-communicator";
    std::fprintf(stderr, "comm: error: the communication graph at %s: %s\n", site ? site : "an unknown place", message);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  comm_cdag_schedule_free(&schedule);
  comm_cdag_free(graph);
}
