// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the handles of comm/reduce.h are.
#ifndef COMM_RUNTIME_REDUCE_REDUCE_H
#define COMM_RUNTIME_REDUCE_REDUCE_H

#include "Transport.h"

struct comm_reduce {
  comm::reduce::Processes processes;
  comm::reduce::Account account;
  std::unique_ptr<comm::reduce::Transport> transport;
  size_t blockBytes = 0;
  int kind = COMM_REDUCE_AUTO;
  double seconds[COMM_REDUCE_TRANSPORTS] = {};
  int64_t pulses = 0;
  double waited = 0;
};

namespace comm::reduce {

/// Lists of comm_reduce_lists_create, or of blocks that are filled by other means.
struct Lists {
  comm_reduce_lists head; // first: what the caller sees
  comm_reduce *reduce;
  size_t usable; // bytes of a block that records fill
  Zeros<comm_reduce_cursor> cursors;
  Outbox out;
  int error = COMM_REDUCE_SUCCESS;
  alignas(8) char sink[1024]; // where records go for which there is no block

  Lists(comm_reduce *reduce, size_t recordBytes);
  ~Lists();
  /// Ends the block that is being filled for `dest`.
  void close(size_t dest);
  /// A new block for `dest`, open; false if there is none.
  bool open(size_t dest);
  /// Delivers; `receive` gets the contents of blocks.
  int deliver(Receiver *receive, void *context, comm_reduce_votes *votes);
  void drop();
};

/// Chooses and makes the transport, by what works and what is faster. Collective.
int selectTransport(comm_reduce &reduce, int wanted, size_t chunkBytes);

} // namespace comm::reduce

#endif
