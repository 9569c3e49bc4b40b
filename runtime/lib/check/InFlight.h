// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The buffers in flight.

#ifndef COMM_RUNTIME_CHECK_INFLIGHT_H
#define COMM_RUNTIME_CHECK_INFLIGHT_H

#include "check/Layout.h"

#include "comm/check.h"

namespace comm::runtime {

/// How MPI accesses a buffer, from the view of this rank.
enum class Access { Read, Write };

/// A buffer in flight. Its bytes are absolute addresses, sorted.
struct Buffer {
  const comm_check_site *site;
  const void *key;
  /// The buffer argument of the MPI call (0: MPI_BOTTOM).
  uintptr_t base;
  Access access;
  Array<Run> bytes;
  /// The sum of the lengths, and the bounds of `bytes`.
  size_t size;
  uintptr_t low, high;
  /// The bytes at the start of the operation, if MPI reads them.
  unsigned char *copy;
  bool poisoned;
  Buffer *next;
};

/// Creates a buffer without bytes, or returns null if memory runs out.
Buffer *createBuffer(const comm_check_site *site, const void *key, const void *base, Access access);

/// Takes ownership of the buffer and begins to watch it.
void launch(Buffer *buffer);

/// Ends the flight of the key's buffers, checks and frees them.
void land(const void *key);

/// Releases a buffer that was never launched.
void destroyBuffer(Buffer *buffer);

} // namespace comm::runtime

#endif // COMM_RUNTIME_CHECK_INFLIGHT_H
