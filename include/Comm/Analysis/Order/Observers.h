//===- Observers.h - Where a program sees the order of starts -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_ORDER_OBSERVERS_H
#define COMM_ANALYSIS_ORDER_OBSERVERS_H

namespace comm {

/// Where a program can see when another process started a message, other than by waiting for that message: receives
/// from any source, MPI_Test, MPI_Waitany, synchronous sends (mpi::Function::observesStarts). Where one may be matched
/// with a start, that start must not come before a completion that it came after. So it matters for all files.
enum class Observers {
  /// What the operations of the module show: `Here` or `Elsewhere`.
  Infer,
  /// Nowhere: a promise.
  Never,
  /// Not in this file; of the others, a marker tells at run time (mpi::kObserversMarker).
  Elsewhere,
  /// In this file.
  Here
};

/// How processes may hear of each other otherwise than by messages and collectives.
enum class SideChannels {
  /// By files, memory that they share, output that somebody looks at.
  Possible,
  /// Not at all, as far as processes run this program.
  None,
  /// Nobody looks at which of a start and a completion of one process came first: a promise.
  Ignored
};

} // namespace comm

#endif // COMM_ANALYSIS_ORDER_OBSERVERS_H
