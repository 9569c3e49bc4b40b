//===- SimplifyLoads.h - Hoist and merge loads ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_SIMPLIFYLOADS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_SIMPLIFYLOADS_H

#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Analysis/Order/Dependence.h"
#include "Comm/Analysis/Order/ScopeTree.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace comm {

/// Returns true if the unit starts something or may complete something in flight.
bool hasWait(const Unit &unit);

/// Calls `fn` with each chain that has something in flight.
void forEachRelevant(mlir::Region &region, llvm::function_ref<void(Chain &)> fn);

/// Returns true if `raiseLoads` may find loads in the function.
bool mayRaiseLoads(mlir::LLVM::LLVMFuncOp function);

/// Moves loads of arms with messages to the beginning of their arms (raiseLoadsOfArm). Returns true if there were any.
bool raiseLoads(mlir::LLVM::LLVMFuncOp function, MemoryOracle &oracle, const DependenceOptions &options);

/// Hoists loads before the units that need them, and merges them. Returns true if the oracle's model no longer
/// matches the program. `isLast`: this is not run again, so loads hoisted out of guards may keep known types.
bool simplifyLoads(llvm::ArrayRef<mlir::LLVM::LLVMFuncOp> functions, MemoryOracle &oracle,
                   const DependenceOptions &options, bool isLast);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_SIMPLIFYLOADS_H
