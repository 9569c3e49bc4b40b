// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One-sided communication: a window in which each source has two slots at each process, under a shared lock of all
// processes that is never released (MPI_Win_lock_all with MPI_MODE_NOCHECK; MPI-4, 12.5.3). A round is one put to each
// destination that has data, a flush, and an agreement on the ballot, after which all puts have arrived. The two slots
// alternate: before a process puts into a slot again it has passed the agreement of the next round, which the slot's
// reader joins only after reading the slot.
#include "Transport.h"

#include <algorithm>
#include <cstring>

namespace comm::reduce {
namespace {

struct SlotHead {
  uint64_t round, bytes;
};

class Window : public Transport {
public:
  Window(Processes &processes, Account &account, size_t blockBytes, size_t chunkBytes)
      : Transport(processes, account, blockBytes),
        slotBytes_(padded(std::max(chunkBytes, blockBytes)) + sizeof(SlotHead)) {}
  ~Window() override;
  /// Returns false if this process failed. Collective; the caller agrees on the result.
  bool open();
  int exchange(Outbox &out, Ballot &ballot, Receiver *receive, void *context) override;

private:
  size_t windowBytes() const { return 2 * slotBytes_ * static_cast<size_t>(processes.size); }
  size_t slotAt(int source, uint64_t round) const {
    return (2 * static_cast<size_t>(source) + (round & 1)) * slotBytes_;
  }

  const size_t slotBytes_;
  MPI_Win window_ = MPI_WIN_NULL;
  char *slots_ = nullptr, *buffer_ = nullptr;
  size_t bufferBytes_ = 0;
  uint64_t round_ = 0;
};

Window::~Window() {
  if (window_ != MPI_WIN_NULL) {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
    account.give(windowBytes());
  }
  giveMemory(account, buffer_, bufferBytes_);
}

bool Window::open() {
  // Open MPI 4.1 does not support windows over TCP: it returns MPI_ERR_WIN on all processes.
  MPI_Comm_set_errhandler(processes.comm, MPI_ERRORS_RETURN);
  int code =
      MPI_Win_allocate(static_cast<MPI_Aint>(windowBytes()), 1, MPI_INFO_NULL, processes.comm, &slots_, &window_);
  MPI_Comm_set_errhandler(processes.comm, MPI_ERRORS_ARE_FATAL);
  int isOpen = code == MPI_SUCCESS, isOpenOnAll = 0;
  MPI_Allreduce(&isOpen, &isOpenOnAll, 1, MPI_INT, MPI_MIN, processes.comm);
  if (!isOpenOnAll) {
    if (isOpen)
      MPI_Win_free(&window_);
    window_ = MPI_WIN_NULL;
    return false;
  }
  account.take(windowBytes()) || (account.memory += windowBytes());
  for (int source = 0; source < processes.size; ++source)
    for (uint64_t parity : {0, 1})
      memset(slots_ + slotAt(source, parity), 0, sizeof(SlotHead));
  MPI_Barrier(processes.comm);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  MPI_Win_sync(window_);
  MPI_Barrier(processes.comm);
  return true;
}

int Window::exchange(Outbox &out, Ballot &ballot, Receiver *receive, void *context) {
  double start = now();
  ++round_;
  size_t total = 0;
  for (int peer : processes.peers) {
    size_t length = 0;
    const Outgoing &list = out[static_cast<size_t>(peer)];
    for (size_t b = list.first; b < list.blocks.size() && length < slotBytes_; ++b)
      length += lengthOf(*list.blocks[b].head);
    if (length)
      total += sizeof(SlotHead) + std::min(length, slotBytes_ - sizeof(SlotHead));
  }
  if (total > bufferBytes_) {
    giveMemory(account, buffer_, bufferBytes_);
    bufferBytes_ = 0;
    buffer_ = static_cast<char *>(takeMemory(account, total));
    if (buffer_)
      bufferBytes_ = total;
    else
      ballot.error = COMM_REDUCE_ERR_MEMORY;
  }
  ballot.isMore = 0;
  size_t used = 0;
  for (int peer : processes.peers) {
    Outgoing &list = out[static_cast<size_t>(peer)];
    if (list.isEmpty() || ballot.error)
      continue;
    size_t space = std::min(slotBytes_ - sizeof(SlotHead), bufferBytes_ - used - sizeof(SlotHead));
    SlotHead head{round_, pack(list, buffer_ + used + sizeof(SlotHead), space)};
    memcpy(buffer_ + used, &head, sizeof head);
    int length = static_cast<int>(sizeof head + head.bytes);
    MPI_Put(buffer_ + used, length, MPI_BYTE, peer, static_cast<MPI_Aint>(slotAt(processes.rank, round_)), length,
            MPI_BYTE, window_);
    used += static_cast<size_t>(length);
    ++account.messages;
    account.bytes += static_cast<int64_t>(head.bytes);
    ballot.isMore |= !list.isEmpty();
  }
  MPI_Win_flush_all(window_);
  // Use an allgather rather than reductions: it adds in the order of ranks and synchronizes once.
  std::vector<Ballot> ballots(static_cast<size_t>(processes.size));
  ++account.synchronizations;
  MPI_Allgather(&ballot, sizeof ballot, MPI_BYTE, ballots.data(), sizeof ballot, MPI_BYTE, processes.comm);
  MPI_Win_sync(window_);
  waited = now() - start;
  ballot.clear();
  for (const Ballot &other : ballots)
    ballot.add(other);
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
    const char *slot = slots_ + slotAt(source, round_);
    SlotHead head;
    memcpy(&head, slot, sizeof head);
    if (head.round == round_)
      unpack(slot + sizeof head, head.bytes, source, receive, context);
  }
  return COMM_REDUCE_SUCCESS;
}

} // namespace

std::unique_ptr<Transport> makeWindow(Processes &processes, Account &account, size_t blockBytes, size_t chunkBytes) {
  auto window = std::make_unique<Window>(processes, account, blockBytes, chunkBytes);
  if (!window->open())
    return nullptr;
  return window;
}

} // namespace comm::reduce
