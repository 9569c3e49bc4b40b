//===- SimplifyLoads.h - Loads before what needs them, and once -*- C++ -*-===//
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

/// Whether something in flight may be completed in the unit, or is started by it.
bool hasWait(const Unit &unit);

/// Calls `fn` with each chain that has something in flight.
void forEachRelevant(mlir::Region &region, llvm::function_ref<void(Chain &)> fn);

/// Whether `raiseLoads` has anything to look at.
bool mayRaiseLoads(mlir::LLVM::LLVMFuncOp function);

/// Puts loads of arms with messages at the beginning of their arms (raiseLoadsOfArm). Whether there was one.
bool raiseLoads(mlir::LLVM::LLVMFuncOp function, MemoryOracle &oracle, const DependenceOptions &options);

/// What units are computed from is loaded before them, and once. Whether the oracle's model is no longer the program.
/// `isLast`: it is not done again, so that loads which came out of guards may keep types that are known.
bool simplifyLoads(llvm::ArrayRef<mlir::LLVM::LLVMFuncOp> functions, MemoryOracle &oracle,
                   const DependenceOptions &options, bool isLast);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_SIMPLIFYLOADS_H
