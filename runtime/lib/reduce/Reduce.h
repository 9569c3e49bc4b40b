// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structures of the handles of comm/reduce.h.
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

/// Lists of comm_reduce_lists_create, or of blocks that another module fills.
struct Lists {
  comm_reduce_lists head; // must be first: the caller's view
  comm_reduce *reduce;
  size_t usable; // bytes of a block that records fill
  Zeros<comm_reduce_cursor> cursors;
  Outbox out;
  int error = COMM_REDUCE_SUCCESS;
  alignas(8) char sink[1024]; // receives records if there is no block

  Lists(comm_reduce *reduce, size_t recordBytes);
  ~Lists();
  /// Closes the block that is being filled for `dest`.
  void close(size_t dest);
  /// Opens a new block for `dest`. Returns false if there is none.
  bool open(size_t dest);
  /// Delivers the lists and passes the contents of blocks to `receive`.
  int deliver(Receiver *receive, void *context, comm_reduce_votes *votes);
  void drop();
};

/// Chooses and makes the fastest transport that works. Collective.
int selectTransport(comm_reduce &reduce, int wanted, size_t chunkBytes);

} // namespace comm::reduce

#endif
