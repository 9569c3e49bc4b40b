//===- RejoinGuards.h - Ways past a loop go through its guard --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   if (left) { if (n < 1) goto end; for (n) unpack; }
//   if (n < 1) goto end;
//   for (n) stencil;
// end:
//
// is what optimizers make of two loops with one guard, of which the first one is in a branch. That branch has no end
// before the stencil, and so both loops are one unit.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_REJOINGUARDS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_REJOINGUARDS_H

#include "mlir/IR/Region.h"

namespace comm {

/// Lets an edge lead to a later test which would lead to the same block with the same values: where what is asked at
/// the edge says how the test goes, and the test's block only computes. How many edges there were.
unsigned rejoinGuards(mlir::Region &region);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_REJOINGUARDS_H
