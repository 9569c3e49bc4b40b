// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks, their memory, and counting of ballots.
#include "Transport.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/mman.h>
#include <unistd.h>

using namespace comm::reduce;

double comm::reduce::now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void Ballot::clear() {
  error = 0;
  isMore = 0;
  votes = {};
  votes.min[0] = INT64_MAX;
  votes.max[0] = INT64_MIN;
  votes.real_max[0] = -__builtin_inf();
}

void Ballot::add(const Ballot &other) {
  error = std::max(error, other.error);
  isMore |= other.isMore;
  for (size_t i = 0; i < std::size(votes.sum); ++i)
    // Like MPI_SUM, with two's complement: overflow is defined.
    votes.sum[i] =
        static_cast<int64_t>(static_cast<uint64_t>(votes.sum[i]) + static_cast<uint64_t>(other.votes.sum[i]));
  votes.min[0] = std::min(votes.min[0], other.votes.min[0]);
  votes.max[0] = std::max(votes.max[0], other.votes.max[0]);
  votes.real_sum[0] += other.votes.real_sum[0];
  votes.real_max[0] = std::max(votes.real_max[0], other.votes.real_max[0]);
}

bool Account::take(size_t count) {
  if (count > limit || memory > limit - count)
    return false;
  memory += count;
  peak = std::max(peak, memory);
  return true;
}

void *comm::reduce::takeMemory(Account &account, size_t bytes) {
  if (!account.take(bytes))
    return nullptr;
  void *memory = aligned_alloc(64, (bytes + 63) & ~size_t(63));
  if (!memory)
    account.give(bytes);
  return memory;
}

void comm::reduce::giveMemory(Account &account, void *memory, size_t bytes) {
  if (!memory)
    return;
  free(memory);
  account.give(bytes);
}

// Below this size, zeroing costs less than the system calls.
static constexpr size_t MappedFrom = size_t(64) << 10;

void *comm::reduce::takeZeros(size_t bytes) {
  void *memory = bytes < MappedFrom ? calloc(1, std::max<size_t>(bytes, 1))
                                    : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (!memory || memory == MAP_FAILED) {
    fprintf(stderr,
            "comm: error: not enough memory: there are no %zu bytes left: run on more nodes, or raise the limit\n",
            bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
    _exit(1);
  }
  return memory;
}

void comm::reduce::giveZeros(void *memory, size_t bytes) {
  if (bytes < MappedFrom)
    free(memory);
  else
    munmap(memory, bytes);
}

const std::vector<int> &Outbox::ranks() {
  if (!isSorted_)
    std::sort(ranks_.begin(), ranks_.end());
  isSorted_ = true;
  return ranks_;
}

Outgoing &Outbox::operator[](size_t dest) {
  uint32_t &slot = slots_[dest];
  if (!slot) {
    lists_.emplace_back();
    ranks_.push_back(static_cast<int>(dest));
    isSorted_ = false;
    slot = static_cast<uint32_t>(lists_.size());
  }
  return lists_[slot - 1];
}

Block Transport::takeBlock() {
  if (!free_.empty()) {
    Block block{free_.back(), NoBlock};
    free_.pop_back();
    return block;
  }
  return {static_cast<BlockHead *>(takeMemory(account, blockBytes)), NoBlock};
}

void Transport::giveBlock(const Block &block) {
  // Keep some blocks, which are warm in the next pulse; return the rest of a large pulse to the system.
  constexpr size_t keptBytes = size_t(4) << 20;
  if (free_.size() * blockBytes < keptBytes)
    free_.push_back(block.head);
  else
    giveMemory(account, block.head, blockBytes);
}

size_t Transport::pack(Outgoing &out, char *buffer, size_t space) {
  size_t used = 0;
  for (; !out.isEmpty(); ++out.first) {
    const Block &block = out.blocks[out.first];
    size_t length = lengthOf(*block.head);
    if (used + length > space)
      break;
    memcpy(buffer + used, block.head, length);
    used += length;
    giveBlock(block);
  }
  if (out.isEmpty()) {
    out.blocks.clear();
    out.first = 0;
  }
  return used;
}

void Transport::unpack(const char *buffer, size_t bytes, int source, Receiver *receive, void *context) {
  for (size_t at = 0; at < bytes;) {
    BlockHead head;
    memcpy(&head, buffer + at, sizeof head);
    receive(context, source, buffer + at + sizeof head, head.bytes);
    at += lengthOf(head);
  }
}
