//===- LimitSizes.h - Sizes that memory can have ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_LIMITSIZES_H
#define COMM_LIB_TRANSFORMS_OVERLAP_LIMITSIZES_H

#include "Comm/Analysis/Footprints/Expr.h"

namespace comm {
struct NestSplit;

/// Takes sizes of 64 bits for numbers that memory can have, and asks whether they are: products of three are then small
/// enough to be computed. What is asked holds for no other sizes.
Predicate limitSizes(const Predicate &predicate);
/// The same for all numbers of a split. Counts and steps stay as they are.
void limitSizes(NestSplit &split);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_LIMITSIZES_H
