// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transport that sends messages only to processes that get data, for programs of many processes with few partners each.
// A round is one message, up to a chunk, to each of those. Receivers do not know the senders: each process receives
// whatever arrives until all processes report that their messages were received (synchronous sends, then a nonblocking
// reduction, which also carries the ballots). Nothing here has an entry per process, except for one case: a sum of real
// numbers in the order of ranks.
#include "Transport.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <sched.h>

namespace comm::reduce {
namespace {

constexpr int EvenTag = 1;
constexpr size_t SpinsBeforeYield = 64;

// The result that a round agrees on, as one MPI value.
struct Agreement {
  Ballot ballot;
  int64_t hasReal; // some process has a real number to add
};

void combine(void *from, void *into, int *count, MPI_Datatype *) {
  for (int i = 0; i < *count; ++i) {
    Agreement one, other;
    memcpy(&one, static_cast<char *>(into) + static_cast<size_t>(i) * sizeof one, sizeof one);
    memcpy(&other, static_cast<char *>(from) + static_cast<size_t>(i) * sizeof other, sizeof other);
    one.ballot.add(other.ballot);
    one.hasReal |= other.hasReal;
    memcpy(static_cast<char *>(into) + static_cast<size_t>(i) * sizeof one, &one, sizeof one);
  }
}

class Sparse : public Transport {
public:
  Sparse(Processes &processes, Account &account, size_t blockBytes, size_t chunkBytes)
      : Transport(processes, account, blockBytes), chunkBytes_(std::max(chunkBytes, blockBytes)) {
    // This transport receives any message, so it needs a communicator of its own.
    MPI_Comm_dup(processes.comm, &comm_);
    MPI_Type_contiguous(static_cast<int>(sizeof(Agreement)), MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
    MPI_Op_create(combine, 1, &operation_);
  }
  ~Sparse() override {
    MPI_Op_free(&operation_);
    MPI_Type_free(&type_);
    MPI_Comm_free(&comm_);
  }
  int exchange(Outbox &out, Ballot &ballot, Receiver *receive, void *context) override;

private:
  struct Message {
    int rank;
    char *data;
    size_t bytes;
  };
  void send(Outbox &out, Ballot &ballot);
  void receiveOne(const MPI_Status &status);
  void agree(Agreement &agreement, const Ballot &own);
  void give(std::vector<Message> &messages);

  const size_t chunkBytes_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op operation_ = MPI_OP_NULL;
  int tag_ = EvenTag;
  std::vector<Message> sent_, arrived_;
  std::vector<MPI_Request> requests_; // as sent_
};

void Sparse::give(std::vector<Message> &messages) {
  for (Message &message : messages)
    giveMemory(account, message.data, message.bytes);
  messages.clear();
}

void Sparse::send(Outbox &out, Ballot &ballot) {
  ballot.isMore = 0;
  for (int dest : out.ranks()) {
    Outgoing &list = out[static_cast<size_t>(dest)];
    if (dest == processes.rank || list.isEmpty())
      continue;
    size_t bytes = 0;
    for (size_t b = list.first; b < list.blocks.size(); ++b) {
      size_t length = lengthOf(*list.blocks[b].head);
      if (bytes + length > chunkBytes_ && bytes)
        break;
      bytes += length;
    }
    char *data = static_cast<char *>(takeMemory(account, bytes));
    if (!data) {
      ballot.error = COMM_REDUCE_ERR_MEMORY;
      break;
    }
    pack(list, data, bytes);
    ballot.isMore |= !list.isEmpty();
    sent_.push_back({dest, data, bytes});
    requests_.push_back(MPI_REQUEST_NULL);
    MPI_Issend(data, static_cast<int>(bytes), MPI_BYTE, dest, tag_, comm_, &requests_.back());
    ++account.messages;
    account.bytes += static_cast<int64_t>(bytes);
  }
}

void Sparse::receiveOne(const MPI_Status &status) {
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  char *data = static_cast<char *>(takeMemory(account, static_cast<size_t>(bytes)));
  // The message was sent, and without memory for it the processes cannot continue consistently.
  if (!data) {
    fprintf(stderr, "comm: error: process %d has no memory for %d bytes from process %d\n", processes.rank, bytes,
            status.MPI_SOURCE);
    MPI_Abort(comm_, 1);
  }
  MPI_Recv(data, bytes, MPI_BYTE, status.MPI_SOURCE, tag_, comm_, MPI_STATUS_IGNORE);
  arrived_.push_back({status.MPI_SOURCE, data, static_cast<size_t>(bytes)});
}

// Adds in the order of ranks, as the other transports do.
void Sparse::agree(Agreement &agreement, const Ballot &own) {
  agreement.ballot.votes.real_sum[0] = 0;
  if (!agreement.hasReal)
    return;
  std::vector<double> terms(static_cast<size_t>(processes.size));
  MPI_Allgather(own.votes.real_sum, 1, MPI_DOUBLE, terms.data(), 1, MPI_DOUBLE, comm_);
  for (double term : terms)
    agreement.ballot.votes.real_sum[0] += term;
}

int Sparse::exchange(Outbox &out, Ballot &ballot, Receiver *receive, void *context) {
  double start = now();
  // A process may be one round ahead of others, but not two, so two tags distinguish the messages of different rounds.
  tag_ = tag_ == EvenTag ? EvenTag + 1 : EvenTag;
  send(out, ballot);
  Agreement mine, all;
  memset(&mine, 0, sizeof mine);
  memset(&all, 0, sizeof all);
  mine.ballot = ballot;
  // True for NaN as well.
  mine.hasReal = ballot.votes.real_sum[0] != 0;
  MPI_Request agreed = MPI_REQUEST_NULL;
  ++account.synchronizations;
  size_t idle = 0;
  for (bool isAsked = false;;) {
    int isThere = 0, isDone = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag_, comm_, &isThere, &status);
    if (isThere) {
      receiveOne(status);
      continue;
    }
    if (isAsked) {
      MPI_Test(&agreed, &isDone, MPI_STATUS_IGNORE);
      if (isDone)
        break;
    } else {
      MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &isDone, MPI_STATUSES_IGNORE);
      if (isDone) {
        MPI_Iallreduce(&mine, &all, 1, type_, operation_, comm_, &agreed);
        isAsked = true;
        continue;
      }
    }
    // If processes share cores, MPI may spin instead of letting the others run.
    if (++idle % SpinsBeforeYield == 0)
      sched_yield();
  }
  requests_.clear();
  give(sent_);
  agree(all, ballot);
  waited = now() - start;
  ballot = all.ballot;
  if (ballot.error) { // nothing of this pulse is received
    give(arrived_);
    return COMM_REDUCE_SUCCESS;
  }

  // Receive in the order of ranks, including this process.
  std::sort(arrived_.begin(), arrived_.end(), [](const Message &a, const Message &b) { return a.rank < b.rank; });
  std::vector<Block> own;
  if (Outgoing *self = out.find(static_cast<size_t>(processes.rank))) {
    own.assign(self->blocks.begin() + static_cast<ptrdiff_t>(self->first), self->blocks.end());
    self->blocks.clear();
    self->first = 0;
  }
  auto receiveOwn = [&] {
    for (const Block &block : own) {
      receive(context, processes.rank, block.data(), block.head->bytes);
      giveBlock(block);
    }
    own.clear();
  };
  for (const Message &message : arrived_) {
    if (message.rank > processes.rank)
      receiveOwn();
    unpack(message.data, message.bytes, message.rank, receive, context);
  }
  receiveOwn();
  give(arrived_);
  return COMM_REDUCE_SUCCESS;
}

} // namespace

std::unique_ptr<Transport> makeSparse(Processes &processes, Account &account, size_t blockBytes, size_t chunkBytes) {
  return std::make_unique<Sparse>(processes, account, blockBytes, chunkBytes);
}

} // namespace comm::reduce
