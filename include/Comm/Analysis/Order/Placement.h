//===- Placement.h - What holds an operation at its place --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_ORDER_PLACEMENT_H
#define COMM_ANALYSIS_ORDER_PLACEMENT_H

#include "Comm/Dialect/Comm/IR/CommInterfaces.h"

namespace comm {

/// Why neither start nor completion of the operation can be anywhere but where it stands, whatever is around it: its
/// mode, or a buffer that cannot be named. "" if nothing of the kind holds it.
llvm::StringRef whyOnlyHere(MPIOpInterface op);

/// Whether it sends from and receives to the same memory (MPI_Sendrecv_replace).
bool hasOneBuffer(MPIOpInterface op);

} // namespace comm

#endif // COMM_ANALYSIS_ORDER_PLACEMENT_H
