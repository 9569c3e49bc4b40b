// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Messages between processes for a window. Messages from one rank arrive in order, and each is served before the
/// next: an answer to one means that all before it have been served, too.
#ifndef COMM_RANKS_WINDOWMESSAGE_H
#define COMM_RANKS_WINDOWMESSAGE_H

#include "window/Layout.h"

#include <cstdint>

namespace comm::ranks {

struct Request;
struct WindowReceipt;

struct WindowMessage {
  enum Kind : int32_t {
    Put,
    Get,           ///< answered by Data
    Accumulate,    ///<
    GetAccumulate, ///< answered by Data
    CompareSwap,   ///< data: comparison value, new value; answered by Data
    Lock,          ///< answered by Done when granted
    Unlock,        ///< answered by Done
    Flush,         ///< answered by Done
    Data,          ///< for a WindowReceipt
    Done,          ///< for a Request
  };
  uint64_t window = 0;
  int32_t kind = Put;
  int32_t from = 0;             ///< process
  int32_t origin = 0;           ///< rank in the window
  int32_t target = 0;           ///< rank in the window
  int64_t place = 0;            ///< bytes from the target's base; for a dynamic window, an address
  uint64_t answer = 0;          ///< the request or receipt, in the origin's process
  uint64_t first = 0;           ///< position in the receipt's data
  uint64_t runs = 0, bytes = 0; ///< size of the payload: runs, then packed data
  uint64_t element = 0, op = 0; ///< predefined handles
  int32_t exclusive = 0;
  int32_t padding = 0;
};

/// The destination of data from another process. Deleted after the last piece.
struct WindowReceipt {
  Request *request = nullptr; ///< completed at the end, or null
  void *to = nullptr;
  int64_t count = 0;
  Datatype *type = nullptr;
  char *packed = nullptr; ///< null: directly to `to`
  size_t bytes = 0, left = 0;
};

void sendWindowMessage(int process, const WindowMessage &message, const Run *runs, const void *data);
/// Makes this process serve messages for windows.
void serveWindows();

/// Computes target = origin op target for the elements of \p runs; \p data holds them contiguously, as in memory. The
/// caller holds the target's lock.
void applyAccumulate(char *base, const Run *runs, size_t count, const Datatype *element, const char *data, ABI_Op op);

} // namespace comm::ranks

#endif
