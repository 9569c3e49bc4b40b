//===- Worksharing.h - Worksharing loops of a team --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A worksharing loop of a parallel region that was split becomes the body of one again
// (Comm/Plugin/OpenMP/WorksharingLoops.h). Until then, the branch at the end of its iterations is marked with a list of
// parallel accesses (llvm.loop.parallel_accesses) to which no access belongs. Code that copies the loop copies the
// mark.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_WORKSHARING_H
#define COMM_DIALECT_COMM_UTILS_WORKSHARING_H

namespace mlir {
class Operation;
} // namespace mlir

namespace comm {

/// Marks the loop that ends with the conditional branch `latch`, which has no other annotation.
void markWorksharing(mlir::Operation *latch);
/// Whether threads of a team share the iterations of the loop that ends with this operation.
bool isWorksharing(mlir::Operation *latch);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_WORKSHARING_H
