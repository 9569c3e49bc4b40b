//===- Observers.h - Observers of message starts ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_ORDER_OBSERVERS_H
#define COMM_ANALYSIS_ORDER_OBSERVERS_H

namespace comm {

/// Where a program can observe when another process started a message, other than by waiting for that message: receives
/// from any source, MPI_Test, MPI_Waitany, synchronous sends (mpi::Function::observesStarts). If an observer may be
/// matched with a start, that start must not move before a completion that precedes it. This is therefore a property of
/// all files.
enum class Observers {
  /// Inferred from the operations of the module: `Here` or `Elsewhere`.
  Infer,
  /// Nowhere; the user guarantees it.
  Never,
  /// Not in this file. A marker tells at run time about the others (mpi::kObserversMarker).
  Elsewhere,
  /// In this file.
  Here
};

/// How processes may learn from each other other than by messages and collectives.
enum class SideChannels {
  /// Through files, shared memory, or output that somebody reads.
  Possible,
  /// Not at all, as far as processes run this program.
  None,
  /// No one observes which of a start and a completion of one process came first; the user guarantees it.
  Ignored
};

} // namespace comm

#endif // COMM_ANALYSIS_ORDER_OBSERVERS_H
