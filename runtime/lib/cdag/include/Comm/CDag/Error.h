// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors are values: the library throws no exceptions.
#ifndef COMM_CDAG_ERROR_H
#define COMM_CDAG_ERROR_H

#include "Comm/CDag/Types.h"

namespace comm::cdag {

enum class ErrorCode : uint8_t {
  None,
  /// A process number that is not in the graph.
  BadRank,
  /// A size or address of 2^63 or more, or a size that is not a multiple of the element's.
  BadSize,
  /// An argument that is not a valid operation, operator or pattern.
  BadArgument,
  /// A dependency between two processes, or of an operation on itself.
  BadDependency,
  /// A send or receive without a partner.
  Unmatched,
  /// A message longer than the buffer that receives it.
  Truncation,
  /// Operations that wait for each other in a cycle.
  Deadlock,
  /// Two unordered accesses to the same bytes, at least one of which writes.
  Race,
  /// More operations or bytes than this library supports.
  TooLarge,
};

/// What went wrong, and at which process, operation and buffer. `text` is a full sentence in lower case.
struct Error {
  ErrorCode code = ErrorCode::None;
  Rank rank = kNone;
  OpId op = kNone;
  char text[384] = {0};

  explicit operator bool() const { return code != ErrorCode::None; }
};

/// Builds an Error from a printf format.
Error makeError(ErrorCode code, Rank rank, OpId op, const char *format, ...) __attribute__((format(printf, 4, 5)));

const char *name(ErrorCode code);

} // namespace comm::cdag

#endif
