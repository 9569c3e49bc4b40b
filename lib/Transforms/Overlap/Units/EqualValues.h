//===- EqualValues.h - Merge equal values -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_EQUALVALUES_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_EQUALVALUES_H

#include "Units/HoistAddresses.h"

#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Analysis/Order/Dependence.h"
#include "Comm/Analysis/Order/ScopeTree.h"

#include "mlir/IR/Dominance.h"
#include "llvm/ADT/SetVector.h"

namespace comm {

/// Merges equal values in each of these chains of a function. Programs keep sizes and arrays in global variables or
/// structures. LLVM loads them again after each MPI call, which might change them, and two loads lead to two different
/// numbers in comparisons of addresses. Users of a load get what an earlier load or store of the chain has left there,
/// if nothing between the two must precede the later one. Users of arithmetic get an earlier result of the same
/// arithmetic. Adds the operations that are no longer used to `useless`, to be erased once the oracle is no longer
/// queried about them.
void mergeEqualValues(llvm::ArrayRef<Chain *> chains, MemoryOracle &oracle, const DependenceOptions &options,
                      mlir::DominanceInfo &dominance, const HoistedLoads &hoisted,
                      llvm::SetVector<mlir::Operation *> &useless);

/// Replaces an argument of a block to which all edges pass the same value, or poison, by that value. Returns true if
/// there was such an argument.
bool replaceCommonArguments(mlir::Region &region, mlir::DominanceInfo &dominance);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_EQUALVALUES_H
