//===- GraphExchange.h - How graph programs exchange values -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CONVERSION_GRAPHEXCHANGE_H
#define COMM_CONVERSION_GRAPHEXCHANGE_H

namespace comm {

/// The operations of the comm dialect by which overlapped loops exchange ghosts and updates.
enum class GraphExchange {
  /// All-to-all messages.
  Messages,
  /// Puts into a window under a shared lock that is never released (StarDist, section V).
  Window
};

} // namespace comm

#endif // COMM_CONVERSION_GRAPHEXCHANGE_H
