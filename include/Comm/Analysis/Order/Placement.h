//===- Placement.h - Immovable operations -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_ORDER_PLACEMENT_H
#define COMM_ANALYSIS_ORDER_PLACEMENT_H

#include "Comm/Dialect/Comm/IR/CommInterfaces.h"

namespace comm {

/// Returns why neither the start nor the completion of the operation can move at all: its mode, or a buffer that cannot
/// be named. "" if there is no such reason.
llvm::StringRef whyOnlyHere(MPIOpInterface op);

/// Whether it sends from and receives to the same memory (MPI_Sendrecv_replace).
bool hasOneBuffer(MPIOpInterface op);

} // namespace comm

#endif // COMM_ANALYSIS_ORDER_PLACEMENT_H
