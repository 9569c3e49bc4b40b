//===- ComputeAgain.h - Recompute a value at another place ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_REQUESTS_COMPUTEAGAIN_H
#define COMM_LIB_TRANSFORMS_REQUESTS_COMPUTEAGAIN_H

#include "Comm/Analysis/Memory/MemoryOracle.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

namespace comm {

/// The loops of a function, which may have a single block.
class FunctionLoops {
public:
  FunctionLoops(mlir::Region &body, mlir::DominanceInfo &dominance) : body(body), dominance(dominance) {
    if (!body.hasOneBlock())
      info.emplace(dominance.getDomTree(&body));
  }
  mlir::CFGLoop *getLoop(mlir::Block *block) { return info ? info->getLoopFor(block) : nullptr; }
  /// Returns true if every cycle is a loop with one entry.
  bool areAll();

private:
  mlir::Region &body;
  mlir::DominanceInfo &dominance;
  std::optional<mlir::CFGLoopInfo> info;
};

/// Computes values before an operation by the same arithmetic and by loads from the same addresses, provided that
/// these are certain to be valid memory. Values that were loaded earlier are loaded again, just as the code after the
/// operation loads them. A value that depends on control flow is guessed. Callers that need certainty compare the
/// result.
class ComputeAgain {
public:
  ComputeAgain(mlir::Operation *at, mlir::DominanceInfo &dominance, FunctionLoops &loops, MemoryOracle &oracle)
      : at(at), dominance(dominance), loops(loops), oracle(oracle), layout(mlir::DataLayout::closest(at)) {}

  bool canCompute(mlir::Value value) { return canCompute(value, 0, /*mayGuess=*/true); }
  /// Returns true if the value may be different there, because it depends on memory, on the iteration, or on control
  /// flow.
  bool mayDiffer(mlir::Value value);
  mlir::Value compute(mlir::Value value, mlir::OpBuilder &builder, mlir::IRMapping &known);

private:
  bool canCompute(mlir::Value value, unsigned depth, bool mayGuess);
  mlir::Value guess(mlir::BlockArgument argument, unsigned depth);
  bool isLoaded(mlir::Value value);
  bool isThere(mlir::Value value) { return dominance.properlyDominates(value, at); }
  bool canLoad(mlir::LLVM::LoadOp load);
  std::optional<uint64_t> getSize(mlir::Value object);
  bool mayBeGone(mlir::Value object);

  mlir::Operation *at;
  mlir::DominanceInfo &dominance;
  FunctionLoops &loops;
  MemoryOracle &oracle;
  mlir::DataLayout layout;
  llvm::DenseMap<mlir::Value, bool> loaded;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_REQUESTS_COMPUTEAGAIN_H
