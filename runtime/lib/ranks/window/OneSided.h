// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Put, get and accumulate, below MPI's interface (MPI-4, 12.3).
#ifndef COMM_RANKS_ONESIDED_H
#define COMM_RANKS_ONESIDED_H

#include "window/Window.h"
#include "window/WindowMessage.h"

namespace comm::ranks {

/// Typed memory of the calling rank.
struct Side {
  void *at;
  int64_t count;
  ABI_Datatype datatype;
};

/// Typed memory of a target.
struct Place {
  int rank;
  ABI_Aint displacement;
  int64_t count;
  ABI_Datatype datatype;
};

/// Performs an operation. Get has no origin, Put and Accumulate no result. Completes \p q, unless null, when the rank
/// may use its buffers. Returns the result of the window's error handler.
int access(Window *window, WindowMessage::Kind kind, const Side &origin, const Side &result, const Place &target,
           ABI_Op op, Request *q);

/// Like MPI_Compare_and_swap.
int compareAndSwap(Window *window, const void *origin, const void *compare, void *result, const Place &target);

} // namespace comm::ranks

#endif
