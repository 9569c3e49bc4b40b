//===- Worksharing.h - Loops that threads share -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that was the worksharing loop of a parallel region will be the body of one again
// (Comm/Plugin/OpenMP/WorksharingLoops.h). Until then the branch that ends its iterations says so by a list of parallel
// accesses (llvm.loop.parallel_accesses) to which no access belongs. Who copies a loop copies that.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_WORKSHARING_H
#define COMM_DIALECT_COMM_UTILS_WORKSHARING_H

namespace mlir {
class Operation;
} // namespace mlir

namespace comm {

/// Marks the loop that the conditional branch `latch` ends. It has no other annotation.
void markWorksharing(mlir::Operation *latch);
/// Whether threads of a team share the iterations of the loop that the operation ends.
bool isWorksharing(mlir::Operation *latch);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_WORKSHARING_H
