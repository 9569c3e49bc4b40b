// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of blocks, one per destination (StarDist, algorithm 1), and their delivery in rounds (algorithm 2).
#include "Reduce.h"

#include <algorithm>
#include <new>

using namespace comm::reduce;

Lists::Lists(comm_reduce *reduce, size_t recordBytes)
    : head{nullptr, recordBytes}, reduce(reduce), cursors(static_cast<size_t>(reduce->processes.size)),
      out(static_cast<size_t>(reduce->processes.size)) {
  usable = (reduce->blockBytes - sizeof(BlockHead)) / recordBytes * recordBytes;
  head.cursors = cursors.data();
}

Lists::~Lists() { drop(); }

void Lists::close(size_t dest) {
  comm_reduce_cursor &cursor = cursors[dest];
  if (!cursor.next)
    return;
  Block &block = out[dest].blocks.back();
  block.head->bytes = static_cast<uint32_t>(cursor.next - block.data());
  if (!block.head->bytes) {
    reduce->transport->giveBlock(block);
    out[dest].blocks.pop_back();
  }
  cursor = {};
}

bool Lists::open(size_t dest) {
  close(dest);
  Block block = reduce->transport->takeBlock();
  if (!block.head) {
    error = COMM_REDUCE_ERR_MEMORY;
    return false;
  }
  out[dest].blocks.push_back(block);
  cursors[dest] = {block.data(), block.data() + usable};
  return true;
}

void Lists::drop() {
  for (int rank : out.ranks()) {
    auto dest = static_cast<size_t>(rank);
    close(dest);
    Outgoing &list = out[dest];
    for (; !list.isEmpty(); ++list.first)
      reduce->transport->giveBlock(list.blocks[list.first]);
    list.blocks.clear();
    list.first = 0;
  }
}

int Lists::deliver(Receiver *receive, void *context, comm_reduce_votes *votes) {
  const Processes &processes = reduce->processes;
  for (int dest : out.ranks()) {
    close(static_cast<size_t>(dest));
    bool isPeer = processes.isComplete || dest == processes.rank ||
                  std::binary_search(processes.peers.begin(), processes.peers.end(), dest);
    if (!isPeer && !out.find(static_cast<size_t>(dest))->isEmpty())
      error = COMM_REDUCE_ERR_PEER;
  }
  Ballot ballot, result;
  ballot.clear();
  if (votes)
    ballot.votes = *votes;
  // The error is known before anything is sent, so all processes learn of it in the first round.
  ballot.error = error;
  error = COMM_REDUCE_SUCCESS;
  ++reduce->pulses;
  bool isFirst = true;
  do {
    if (ballot.error)
      drop();
    int code = reduce->transport->exchange(out, ballot, receive, context);
    reduce->waited += reduce->transport->waited;
    ++reduce->account.rounds;
    if (code)
      return code;
    if (isFirst)
      result = ballot;
    isFirst = false;
    if (ballot.error) {
      drop();
      return ballot.error;
    }
    bool isMore = ballot.isMore;
    ballot.clear();
    ballot.isMore = isMore;
  } while (ballot.isMore);
  if (votes)
    *votes = result.votes;
  return COMM_REDUCE_SUCCESS;
}

int comm_reduce_lists_create(comm_reduce *reduce, size_t record_bytes, comm_reduce_lists **lists) {
  if (!reduce || !lists || !record_bytes || record_bytes > 1000)
    return COMM_REDUCE_ERR_ARG;
  auto *made = new (std::nothrow) Lists(reduce, record_bytes);
  *lists = made ? &made->head : nullptr;
  return made ? COMM_REDUCE_SUCCESS : COMM_REDUCE_ERR_MEMORY;
}

int comm_reduce_lists_free(comm_reduce_lists **lists) {
  if (!lists)
    return COMM_REDUCE_ERR_ARG;
  delete reinterpret_cast<Lists *>(*lists);
  *lists = nullptr;
  return COMM_REDUCE_SUCCESS;
}

void *comm_reduce_grow(comm_reduce_lists *lists, int dest) {
  auto &all = *reinterpret_cast<Lists *>(lists);
  if (dest < 0 || static_cast<size_t>(dest) >= all.out.processes()) {
    all.error = COMM_REDUCE_ERR_ARG;
    return all.sink;
  }
  if (!all.open(static_cast<size_t>(dest)))
    return all.sink;
  comm_reduce_cursor &cursor = all.cursors[static_cast<size_t>(dest)];
  char *space = cursor.next;
  cursor.next += lists->record_bytes;
  return space;
}

namespace {
struct Records {
  comm_reduce_receiver *receive;
  void *context;
  size_t recordBytes;
};
} // namespace

int comm_reduce_deliver(comm_reduce_lists *lists, comm_reduce_receiver *receive, void *context,
                        comm_reduce_votes *votes) {
  if (!lists || !receive)
    return COMM_REDUCE_ERR_ARG;
  Records records{receive, context, lists->record_bytes};
  auto pass = [](void *opaque, int source, const char *data, size_t bytes) {
    auto &records = *static_cast<Records *>(opaque);
    records.receive(records.context, source, data, bytes / records.recordBytes);
  };
  return reinterpret_cast<Lists *>(lists)->deliver(pass, &records, votes);
}

int comm_reduce_vote(comm_reduce *reduce, comm_reduce_votes *votes) {
  if (!reduce || !votes)
    return COMM_REDUCE_ERR_ARG;
  Lists none(reduce, 8);
  return none.deliver([](void *, int, const char *, size_t) {}, nullptr, votes);
}
