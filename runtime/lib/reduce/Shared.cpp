// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transport between processes of one node. Blocks are in shared memory, and a round hands over lists of them in place,
// without copies or MPI calls. A block that was handed over is free again when all processes have reached the next
// round, because they read it before.
#include "Transport.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <linux/futex.h>
#include <new>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace comm::reduce {
namespace {

// A waiting process spins for a while, since the others are usually about to arrive, and then sleeps. Other threads on
// its core can run, and the kernel wakes it soon. With more processes than cores, spinning would keep others from
// running.
constexpr unsigned Spins = 20000, SpinsIfCrowded = 100;
constexpr long LookSeconds = 1; // how often a sleeper checks that the process it waits for is alive

// Blocks of each pool per parity of rounds. If all others are filled, these still carry data from private memory.
constexpr uint32_t SpareBlocks = 2;

// Address space that MPI needs to share memory, in addition to that memory.
constexpr size_t MappingSlack = size_t(32) << 20;

struct alignas(64) Desk {
  std::atomic<uint32_t> round;    // wraps around: only compared for equality with the previous round
  std::atomic<uint32_t> sleepers; // 1: a process may sleep until the round changes
  int32_t process;                // its process id, to check whether it is alive
  alignas(64) Ballot ballots[2];
};
static_assert(std::atomic<uint32_t>::is_always_lock_free && sizeof(std::atomic<uint32_t>) == 4,
              "shared between processes, and what futex wants");

long futex(std::atomic<uint32_t> *word, int operation, uint32_t value, const timespec *limit) {
  return syscall(SYS_futex, word, operation, value, limit, nullptr, 0);
}

class Shared : public Transport {
public:
  Shared(Processes &processes, Account &account, size_t blockBytes)
      : Transport(processes, account, blockBytes), stride_((blockBytes + 63) & ~size_t(63)) {}
  ~Shared() override;
  bool open();
  Block takeBlock() override;
  void giveBlock(const Block &block) override;
  int exchange(Outbox &out, Ballot &ballot, Receiver *receive, void *context) override;

private:
  struct Segment {
    Desk *desk = nullptr;
    uint32_t *heads = nullptr; // heads of lists for each process, for two rounds
    char *pool = nullptr;
  };
  size_t headsBytes() const { return (2 * sizeof(uint32_t) * static_cast<size_t>(processes.size) + 63) & ~size_t(63); }
  BlockHead *blockOf(const Segment &segment, uint32_t number) const {
    return reinterpret_cast<BlockHead *>(segment.pool + number * stride_);
  }
  Block takePoolBlock();
  void waitFor(int rank);

  const size_t stride_;
  uint32_t poolBlocks_ = 0, used_ = SpareBlocks;
  std::vector<uint32_t> free_;
  std::vector<uint32_t> lent_[2]; // blocks that were handed over in a round of this parity
  std::vector<Segment> segments_;
  MPI_Win window_ = MPI_WIN_NULL;
  uint32_t round_ = 0;
  unsigned spins_ = Spins;
};

Shared::~Shared() {
  if (window_ == MPI_WIN_NULL)
    return;
  account.give((used_ - SpareBlocks) * stride_);
  MPI_Win_free(&window_);
}

bool Shared::open() {
  MPI_Comm comm = processes.comm, node;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, processes.rank, MPI_INFO_NULL, &node);
  int nodeSize = 0, isOneNode, onAll = 0;
  MPI_Comm_size(node, &nodeSize);
  isOneNode = nodeSize == processes.size;
  MPI_Allreduce(&isOneNode, &onAll, 1, MPI_INT, MPI_MIN, comm);
  MPI_Comm_free(&node);
  if (!onAll)
    return false;
  // Pages are allocated when blocks are first used. All pools together must fit into the file system that contains
  // them.
  constexpr size_t poolBytes = size_t(64) << 20;
  poolBlocks_ = static_cast<uint32_t>(
      std::max<size_t>(SpareBlocks + 2, poolBytes / static_cast<size_t>(processes.size) / stride_));
  size_t bytes = alignof(Desk) + sizeof(Desk) + headsBytes() + poolBlocks_ * stride_;
  // Each process maps the pools of all. If these do not fit into the address space of one process (ulimit -v), Open MPI
  // 4.1 returns an error to that process only, and the others wait for it.
  size_t mapped = bytes * static_cast<size_t>(processes.size) + MappingSlack;
  void *probe = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  int fits = probe != MAP_FAILED;
  if (fits)
    munmap(probe, mapped);
  MPI_Allreduce(&fits, &onAll, 1, MPI_INT, MPI_MIN, comm);
  if (!onAll)
    return false;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  void *memory = nullptr;
  int code = MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, comm, &memory, &window_);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
  int isOpen = code == MPI_SUCCESS;
  MPI_Allreduce(&isOpen, &onAll, 1, MPI_INT, MPI_MIN, comm);
  if (!onAll) {
    if (isOpen)
      MPI_Win_free(&window_);
    window_ = MPI_WIN_NULL;
    return false;
  }
  segments_.resize(static_cast<size_t>(processes.size));
  for (int rank = 0; rank < processes.size; ++rank) {
    MPI_Aint size;
    int unit;
    char *base = nullptr;
    MPI_Win_shared_query(window_, rank, &size, &unit, &base);
    // MPI does not guarantee alignment. Mappings differ by whole pages, so all processes round up alike.
    base += -reinterpret_cast<uintptr_t>(base) % alignof(Desk);
    segments_[static_cast<size_t>(rank)] = {reinterpret_cast<Desk *>(base),
                                            reinterpret_cast<uint32_t *>(base + sizeof(Desk)),
                                            base + sizeof(Desk) + headsBytes()};
  }
  Desk *desk = segments_[static_cast<size_t>(processes.rank)].desk;
  new (&desk->round) std::atomic<uint32_t>(0);
  new (&desk->sleepers) std::atomic<uint32_t>(0);
  desk->process = getpid();
  cpu_set_t cores;
  if (!sched_getaffinity(0, sizeof cores, &cores) && CPU_COUNT(&cores) < processes.size)
    spins_ = SpinsIfCrowded;
  MPI_Barrier(comm);
  return true;
}

Block Shared::takePoolBlock() {
  const Segment &own = segments_[static_cast<size_t>(processes.rank)];
  if (!free_.empty()) {
    uint32_t number = free_.back();
    free_.pop_back();
    return {blockOf(own, number), number};
  }
  if (used_ < poolBlocks_ && account.take(stride_)) {
    uint32_t number = used_++;
    return {blockOf(own, number), number};
  }
  return {};
}

Block Shared::takeBlock() {
  Block block = takePoolBlock();
  return block.head ? block : Transport::takeBlock();
}

void Shared::giveBlock(const Block &block) {
  if (block.number == NoBlock)
    Transport::giveBlock(block);
  else
    free_.push_back(block.number);
}

void Shared::waitFor(int rank) {
  Desk &desk = *segments_[static_cast<size_t>(rank)].desk;
  // No process is more than one round ahead of another.
  const uint32_t before = round_ - 1;
  for (unsigned spin = 0; spin < spins_; ++spin) {
    if (desk.round.load(std::memory_order_acquire) != before)
      return;
    __builtin_ia32_pause();
  }
  while (desk.round.load(std::memory_order_acquire) == before) {
    desk.sleepers.store(1);
    timespec limit = {LookSeconds, 0};
    // Returns immediately if the round has changed in the meantime.
    if (!futex(&desk.round, FUTEX_WAIT, before, &limit) || errno != ETIMEDOUT)
      continue;
    if (kill(desk.process, 0) && errno == ESRCH) {
      fprintf(stderr, "comm: error: process %d waits for process %d, which has ended\n", processes.rank, rank);
      MPI_Abort(processes.comm, 1);
    }
  }
}

int Shared::exchange(Outbox &out, Ballot &ballot, Receiver *receive, void *context) {
  double start = now();
  ++round_;
  const uint32_t parity = round_ & 1;
  const auto size = static_cast<size_t>(processes.size);
  const Segment &own = segments_[static_cast<size_t>(processes.rank)];
  std::vector<uint32_t> &lent = lent_[parity];
  ballot.isMore = 0;
  bool isSpareUsed = false;
  for (size_t dest = 0; dest < size; ++dest) {
    uint32_t *link = &own.heads[parity * size + dest];
    *link = NoBlock;
    if (dest == static_cast<size_t>(processes.rank))
      continue;
    Outgoing &list = out[dest];
    if (!list.isEmpty())
      ++account.messages;
    for (; !list.isEmpty(); ++list.first) {
      Block block = list.blocks[list.first];
      if (block.number == NoBlock) { // the pool was exhausted when this block was filled
        Block copy = takePoolBlock();
        bool isSpare = copy.number == NoBlock;
        if (isSpare && isSpareUsed)
          break;
        if (isSpare) {
          isSpareUsed = true;
          copy = {blockOf(own, static_cast<uint32_t>(parity)), static_cast<uint32_t>(parity)};
        }
        memcpy(copy.head, block.head, lengthOf(*block.head));
        Transport::giveBlock(block);
        block = copy;
      }
      block.head->next = NoBlock;
      *link = block.number;
      link = &block.head->next;
      account.bytes += block.head->bytes;
      if (block.number >= SpareBlocks)
        lent.push_back(block.number);
    }
    ballot.isMore |= !list.isEmpty();
    if (list.isEmpty()) {
      list.blocks.clear();
      list.first = 0;
    }
  }
  own.desk->ballots[parity] = ballot;
  own.desk->round.store(round_);
  if (own.desk->sleepers.load() && own.desk->sleepers.exchange(0))
    futex(&own.desk->round, FUTEX_WAKE, INT32_MAX, nullptr);
  ++account.synchronizations;
  for (int rank = 0; rank < processes.size; ++rank)
    waitFor(rank);
  waited = now() - start;

  // All processes have read the lists of the previous round.
  std::vector<uint32_t> &returned = lent_[!parity];
  free_.insert(free_.end(), returned.begin(), returned.end());
  returned.clear();
  ballot.clear();
  for (const Segment &segment : segments_)
    ballot.add(segment.desk->ballots[parity]);
  for (int source = 0; source < processes.size; ++source) {
    if (source == processes.rank) {
      Outgoing &self = out[static_cast<size_t>(source)];
      for (size_t b = self.first; b < self.blocks.size(); ++b) {
        receive(context, source, self.blocks[b].data(), self.blocks[b].head->bytes);
        giveBlock(self.blocks[b]);
      }
      self.blocks.clear();
      self.first = 0;
      continue;
    }
    const Segment &segment = segments_[static_cast<size_t>(source)];
    for (uint32_t number = segment.heads[parity * size + static_cast<size_t>(processes.rank)]; number != NoBlock;) {
      const BlockHead *head = blockOf(segment, number);
      uint32_t next = head->next;
      receive(context, source, reinterpret_cast<const char *>(head + 1), head->bytes);
      number = next;
    }
  }
  return COMM_REDUCE_SUCCESS;
}

} // namespace

std::unique_ptr<Transport> makeShared(Processes &processes, Account &account, size_t blockBytes) {
  auto shared = std::make_unique<Shared>(processes, account, blockBytes);
  if (!shared->open())
    return nullptr;
  return shared;
}

} // namespace comm::reduce
