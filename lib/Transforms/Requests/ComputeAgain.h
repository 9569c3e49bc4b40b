//===- ComputeAgain.h - A value once more, at another place ------*- C++ -*-===//
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

/// The loops of a function, which may have one block.
class FunctionLoops {
public:
  FunctionLoops(mlir::Region &body, mlir::DominanceInfo &dominance) : body(body), dominance(dominance) {
    if (!body.hasOneBlock())
      info.emplace(dominance.getDomTree(&body));
  }
  mlir::CFGLoop *getLoop(mlir::Block *block) { return info ? info->getLoopFor(block) : nullptr; }
  /// Whether each cycle is a loop of one entry.
  bool areAll();

private:
  mlir::Region &body;
  mlir::DominanceInfo &dominance;
  std::optional<mlir::CFGLoopInfo> info;
};

/// Computes values in front of an operation, by the same arithmetic and by loads of the same addresses, which are sure
/// to be those of memory that is there. What was loaded before is loaded once more: as what follows the operation loads
/// it. Of what control has chosen, one value is taken. Who has to be sure compares.
class ComputeAgain {
public:
  ComputeAgain(mlir::Operation *at, mlir::DominanceInfo &dominance, FunctionLoops &loops, MemoryOracle &oracle)
      : at(at), dominance(dominance), loops(loops), oracle(oracle), layout(mlir::DataLayout::closest(at)) {}

  bool canCompute(mlir::Value value) { return canCompute(value, 0, /*mayGuess=*/true); }
  /// Whether the value may be another one there: it depends on memory, on which iteration it is of, or on what
  /// control has chosen.
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
