//===- EqualValues.h - One value where there are two of it ------*- C++ -*-===//
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

#include "llvm/ADT/SetVector.h"

namespace comm {

/// Programs keep sizes and arrays in variables at file scope or in structures. LLVM loads them once more after each
/// call of MPI, which may change them for all it knows, and what is computed of two loads is two numbers for whoever
/// compares addresses. Users of a load get what an earlier load or store of the chain has left, where nothing between
/// the two has to come before the later one, and users of arithmetic what the same arithmetic has given before. Returns
/// the operations that nobody uses any more: to be erased when nobody asks the oracle about them.
void mergeEqualValues(const Chain &chain, MemoryOracle &oracle, const DependenceOptions &options,
                      const HoistedLoads &hoisted, llvm::SetVector<mlir::Operation *> &useless);

/// What all edges to a block hand over as one argument, poison aside, is what the argument is. Whether there was such
/// an argument.
bool replaceCommonArguments(mlir::Region &region);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_EQUALVALUES_H
