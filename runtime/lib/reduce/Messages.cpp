// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nonblocking messages between peers. In each round a process sends each peer one message with the ballot, the size of
// the data and, if they are small, the data, and a second one with the rest, up to a chunk. All receives are posted
// before any wait, so no order of the processes can deadlock.
#include "Transport.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>

namespace comm::reduce {
namespace {

constexpr size_t InlineBytes = 3072; // below the eager limits of TCP and shared memory
struct First {
  Ballot ballot;
  uint64_t inlineBytes, restBytes;
  char data[InlineBytes];
};
constexpr size_t FirstBytes = offsetof(First, data);
constexpr int FirstTag = 1, RestTag = 2;

class Messages : public Transport {
public:
  Messages(Processes &processes, Account &account, size_t blockBytes, size_t chunkBytes)
      : Transport(processes, account, blockBytes), chunkBytes_(std::max(chunkBytes, blockBytes)) {}
  ~Messages() override {
    for (Buffer &buffer : buffers_)
      for (char *part : {buffer.rest, buffer.incoming})
        giveMemory(account, part, part == buffer.rest ? buffer.restSpace : buffer.incomingSpace);
  }
  int exchange(Outbox &out, Ballot &ballot, Receiver *receive, void *context) override;

private:
  struct Buffer {
    First outgoingFirst, incomingFirst;
    char *rest = nullptr, *incoming = nullptr;
    size_t restSpace = 0, incomingSpace = 0;
  };
  bool reserve(char *&memory, size_t &space, size_t bytes);
  void agree(Ballot &ballot);

  const size_t chunkBytes_;
  std::vector<Buffer> buffers_;       // one per peer
  std::vector<MPI_Request> requests_; // first sends, rest sends, first receives, rest receives; one per peer each
};

bool Messages::reserve(char *&memory, size_t &space, size_t bytes) {
  if (bytes <= space)
    return true;
  giveMemory(account, memory, space);
  space = std::min(chunkBytes_, std::max(bytes, 2 * space));
  memory = static_cast<char *>(takeMemory(account, space));
  if (!memory)
    space = 0;
  return memory;
}

// All processes vote, including those that are not peers.
void Messages::agree(Ballot &ballot) {
  ++account.synchronizations;
  MPI_Comm comm = processes.comm;
  comm_reduce_votes &votes = ballot.votes;
  int64_t maxima[5] = {ballot.error, ballot.isMore, votes.max[0], 0, 0};
  // ~x, which is -x - 1, turns minima into maxima without overflow.
  maxima[3] = ~votes.min[0];
  MPI_Allreduce(MPI_IN_PLACE, maxima, 4, MPI_INT64_T, MPI_MAX, comm);
  MPI_Allreduce(MPI_IN_PLACE, votes.sum, 3, MPI_INT64_T, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, votes.real_max, 1, MPI_DOUBLE, MPI_MAX, comm);
  // Add in the order of ranks, as the other transports do.
  std::vector<double> terms(static_cast<size_t>(processes.size));
  MPI_Allgather(votes.real_sum, 1, MPI_DOUBLE, terms.data(), 1, MPI_DOUBLE, comm);
  votes.real_sum[0] = 0;
  for (double term : terms)
    votes.real_sum[0] += term;
  ballot.error = static_cast<int32_t>(maxima[0]);
  ballot.isMore = static_cast<int32_t>(maxima[1]);
  votes.max[0] = maxima[2];
  votes.min[0] = ~maxima[3];
}

int Messages::exchange(Outbox &out, Ballot &ballot, Receiver *receive, void *context) {
  double start = now();
  const size_t count = processes.peers.size();
  if (buffers_.size() != count) {
    for (Buffer &buffer : buffers_) {
      giveMemory(account, buffer.rest, buffer.restSpace);
      giveMemory(account, buffer.incoming, buffer.incomingSpace);
    }
    buffers_.clear();
    buffers_.resize(count);
    requests_.assign(4 * count, MPI_REQUEST_NULL);
  }
  MPI_Comm comm = processes.comm;
  MPI_Request *sends = requests_.data(), *rests = sends + count, *firsts = rests + count, *arrivals = firsts + count;

  for (size_t i = 0; i < count; ++i) {
    ++account.messages;
    MPI_Irecv(&buffers_[i].incomingFirst, sizeof(First), MPI_BYTE, processes.peers[i], FirstTag, comm, &firsts[i]);
  }
  ballot.isMore = 0;
  for (size_t i = 0; i < count; ++i) {
    Buffer &buffer = buffers_[i];
    Outgoing &list = out[static_cast<size_t>(processes.peers[i])];
    First &first = buffer.outgoingFirst;
    first.inlineBytes = pack(list, first.data, InlineBytes);
    first.restBytes = 0;
    size_t left = 0;
    for (size_t b = list.first; b < list.blocks.size() && left < chunkBytes_; ++b)
      left += lengthOf(*list.blocks[b].head);
    left = std::min(left, chunkBytes_);
    if (left && reserve(buffer.rest, buffer.restSpace, left))
      first.restBytes = pack(list, buffer.rest, left);
    else if (left)
      ballot.error = COMM_REDUCE_ERR_MEMORY;
    ballot.isMore |= !list.isEmpty();
  }
  Outgoing &self = out[static_cast<size_t>(processes.rank)];
  for (size_t i = 0; i < count; ++i) {
    First &first = buffers_[i].outgoingFirst;
    first.ballot = ballot;
    MPI_Isend(&first, static_cast<int>(FirstBytes + first.inlineBytes), MPI_BYTE, processes.peers[i], FirstTag, comm,
              &sends[i]);
    account.bytes += static_cast<int64_t>(first.inlineBytes + first.restBytes);
    if (!first.restBytes)
      continue;
    ++account.messages;
    MPI_Isend(buffers_[i].rest, static_cast<int>(first.restBytes), MPI_BYTE, processes.peers[i], RestTag, comm,
              &rests[i]);
  }
  if (!processes.isComplete)
    agree(ballot);

  for (size_t done = 0; done < count; ++done) {
    int index = MPI_UNDEFINED;
    MPI_Waitany(static_cast<int>(count), firsts, &index, MPI_STATUS_IGNORE);
    Buffer &buffer = buffers_[static_cast<size_t>(index)];
    size_t bytes = buffer.incomingFirst.restBytes;
    if (!bytes)
      continue;
    // The message was sent, and without memory for it the processes cannot continue consistently.
    if (!reserve(buffer.incoming, buffer.incomingSpace, bytes)) {
      fprintf(stderr, "comm: error: process %d has no memory for %zu bytes from process %d\n", processes.rank, bytes,
              processes.peers[static_cast<size_t>(index)]);
      MPI_Abort(comm, 1);
    }
    MPI_Irecv(buffer.incoming, static_cast<int>(bytes), MPI_BYTE, processes.peers[static_cast<size_t>(index)], RestTag,
              comm, &arrivals[index]);
  }
  MPI_Waitall(static_cast<int>(4 * count), requests_.data(), MPI_STATUSES_IGNORE);
  waited = now() - start;

  // Receive in the order of ranks, including this process.
  Ballot sum;
  sum.clear();
  std::vector<Block> own(self.blocks.begin() + static_cast<ptrdiff_t>(self.first), self.blocks.end());
  self.blocks.clear();
  self.first = 0;
  auto receiveOwn = [&] {
    sum.add(ballot);
    for (const Block &block : own) {
      receive(context, processes.rank, block.data(), block.head->bytes);
      giveBlock(block);
    }
  };
  bool isOwnReceived = false;
  for (size_t i = 0; i < count; ++i) {
    int source = processes.peers[i];
    if (source > processes.rank && !isOwnReceived) {
      receiveOwn();
      isOwnReceived = true;
    }
    const Buffer &buffer = buffers_[i];
    sum.add(buffer.incomingFirst.ballot);
    unpack(buffer.incomingFirst.data, buffer.incomingFirst.inlineBytes, source, receive, context);
    unpack(buffer.incoming, buffer.incomingFirst.restBytes, source, receive, context);
  }
  if (!isOwnReceived)
    receiveOwn();
  if (processes.isComplete)
    ballot = sum;
  return COMM_REDUCE_SUCCESS;
}

} // namespace

std::unique_ptr<Transport> makeMessages(Processes &processes, Account &account, size_t blockBytes, size_t chunkBytes) {
  return std::make_unique<Messages>(processes, account, blockBytes, chunkBytes);
}

} // namespace comm::reduce
