// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common parts of the transports: blocks, and their exchange.
#ifndef COMM_RUNTIME_REDUCE_TRANSPORT_H
#define COMM_RUNTIME_REDUCE_TRANSPORT_H

#include "comm/reduce.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace comm::reduce {

/// The head of each block, in memory and in messages. The contents follow.
struct BlockHead {
  uint32_t bytes; ///< of the contents, without this head and the padding
  uint32_t next;  ///< shared memory: the next block of the list; otherwise unused
};
constexpr uint32_t NoBlock = UINT32_MAX;
constexpr size_t BlockAlign = 8;

inline size_t padded(size_t bytes) { return (bytes + BlockAlign - 1) & ~(BlockAlign - 1); }
inline size_t lengthOf(const BlockHead &head) { return sizeof(BlockHead) + padded(head.bytes); }

/// The values that each round agrees on in addition to the user's votes.
struct Ballot {
  comm_reduce_votes votes;
  int32_t error;  ///< maximum of enum comm_reduce_result
  int32_t isMore; ///< 1: some process has blocks left for another round

  void clear();
  void add(const Ballot &other);
};

/// Counts and limits of one comm_reduce.
struct Account {
  size_t limit = SIZE_MAX, memory = 0, peak = 0;
  int64_t messages = 0, bytes = 0, rounds = 0, synchronizations = 0;

  bool take(size_t count);
  void give(size_t count) { memory -= count; }
};

/// Like malloc, charged to an account. Returns null without memory or beyond the limit.
void *takeMemory(Account &account, size_t bytes);
void giveMemory(Account &account, void *memory, size_t bytes);

struct Block {
  BlockHead *head = nullptr;
  uint32_t number = NoBlock; ///< shared memory: the index in the pool
  char *data() const { return reinterpret_cast<char *>(head + 1); }
};

/// Blocks for one process, in the order of sending; `first` is the first unsent one.
struct Outgoing {
  std::vector<Block> blocks;
  size_t first = 0;
  bool isEmpty() const { return first == blocks.size(); }
};

/// Returns zeroed memory, whose pages are allocated on the first write. Never null.
void *takeZeros(size_t bytes);
void giveZeros(void *memory, size_t bytes);

/// A zeroed array with one element per process. Only pages that are written to take memory.
template <typename T> class Zeros {
public:
  explicit Zeros(size_t count) : bytes_(count * sizeof(T)), data_(static_cast<T *>(takeZeros(bytes_))) {}
  ~Zeros() { giveZeros(data_, bytes_); }
  Zeros(const Zeros &) = delete;
  Zeros &operator=(const Zeros &) = delete;
  T *data() { return data_; }
  T &operator[](size_t at) { return data_[at]; }
  const T &operator[](size_t at) const { return data_[at]; }

private:
  size_t bytes_;
  T *data_;
};

/// The waiting data of each process. A process gets a list when there is data for it.
class Outbox {
public:
  explicit Outbox(size_t processes) : processes_(processes), slots_(processes) {}
  size_t processes() const { return processes_; }
  /// Returns the processes that have a list, in ascending order.
  const std::vector<int> &ranks();
  Outgoing *find(size_t dest) { return slots_[dest] ? &lists_[slots_[dest] - 1] : nullptr; }
  /// Returns the list, creating it if necessary. That invalidates references to other lists.
  Outgoing &operator[](size_t dest);

private:
  size_t processes_;
  Zeros<uint32_t> slots_; // number of the list, from 1
  std::vector<Outgoing> lists_;
  std::vector<int> ranks_;
  bool isSorted_ = true;
};

using Receiver = void(void *context, int source, const char *data, size_t bytes);

struct Processes {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, size = 1;
  std::vector<int> peers; ///< without this process, ascending
  bool isComplete = true; ///< whether all other processes are peers
};

class Transport {
public:
  Transport(Processes &processes, Account &account, size_t blockBytes)
      : processes(processes), account(account), blockBytes(blockBytes) {}
  virtual ~Transport() = default;
  Transport(const Transport &) = delete;
  Transport &operator=(const Transport &) = delete;

  /// Returns a block of blockBytes, including its head; `head` is null without memory.
  virtual Block takeBlock();
  virtual void giveBlock(const Block &block);

  /// Performs one round: hands over as many blocks as a chunk holds, agrees on the ballot, and passes on the blocks
  /// that arrived, in the order of ranks. Sets ballot.isMore. Releases the blocks that were sent.
  virtual int exchange(Outbox &out, Ballot &ballot, Receiver *receive, void *context) = 0;

  /// Seconds of the last exchange before the receivers ran.
  double waited = 0;

protected:
  /// Copies blocks into a buffer of `space` bytes, releases them, and returns the number of bytes.
  size_t pack(Outgoing &out, char *buffer, size_t space);
  static void unpack(const char *buffer, size_t bytes, int source, Receiver *receive, void *context);

  Processes &processes;
  Account &account;
  const size_t blockBytes;

private:
  std::vector<BlockHead *> free_;
};

/// Each returns null on all processes if the transport is not available. Collective.
std::unique_ptr<Transport> makeMessages(Processes &, Account &, size_t blockBytes, size_t chunkBytes);
std::unique_ptr<Transport> makeWindow(Processes &, Account &, size_t blockBytes, size_t chunkBytes);
std::unique_ptr<Transport> makeShared(Processes &, Account &, size_t blockBytes);
std::unique_ptr<Transport> makeSparse(Processes &, Account &, size_t blockBytes, size_t chunkBytes);

/// Returns the time of a monotonic clock, in seconds.
double now();

} // namespace comm::reduce

#endif
