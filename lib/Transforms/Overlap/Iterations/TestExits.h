//===- TestExits.h - Loops that may leave by an error -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix class that checks its indices (`assert(i < rows)`, `std::vector::at`) gives each loop over its elements
// exits to code that does not come back. Such a loop may end at any iteration, so all of them keep their order. But the
// indices are counters of the loop, and the program can test them before it.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_TESTEXITS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_TESTEXITS_H

#include "Comm/Analysis/Memory/MemoryOracle.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace comm {

/// The branches that enter the program's own loops, which run if an iteration leaves, with the values from which the
/// tests for that are computed.
using OwnLoops = llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>>;

/// Gives loops after a wait that may leave abnormally a copy without these exits, which runs if no iteration takes one.
/// The functions are those of the module in which loops may be split. `unchanged` receives an oracle of them if the
/// search needed one and found no loop, so that the module is as it was.
OwnLoops testExits(mlir::ModuleOp module, llvm::ArrayRef<mlir::Operation *> functions,
                   std::unique_ptr<MemoryOracle> &unchanged);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_TESTEXITS_H
