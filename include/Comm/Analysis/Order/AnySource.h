//===- AnySource.h - Where a program receives from any source ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_ORDER_ANYSOURCE_H
#define COMM_ANALYSIS_ORDER_ANYSOURCE_H

namespace comm {

/// Where a program has receives or probes that may take a message from any source. What such a receive takes depends on
/// what other processes were told before, so that it matters for all files of the program.
enum class AnySource {
  /// What the operations of the module show: `Here` or `Elsewhere`.
  Infer,
  /// Nowhere: a promise.
  Never,
  /// Not in this file; of the others, a marker tells at run time (mpi::kAnySourceMarker).
  Elsewhere,
  /// In this file.
  Here
};

} // namespace comm

#endif // COMM_ANALYSIS_ORDER_ANYSOURCE_H
