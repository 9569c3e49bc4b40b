//===- SetFinder.h - Waits and the starts that fill their slots ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_REQUESTS_SETFINDER_H
#define COMM_LIB_TRANSFORMS_REQUESTS_SETFINDER_H

#include "FilledSlots.h"
#include "RequestLoop.h"

#include "Comm/Analysis/Requests/RequestFlow.h"
#include "Comm/MPI/ABI.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <vector>

namespace comm {

/// Two loads from one address; their values are equal if nothing writes there in between.
using LoadPair = std::pair<mlir::LLVM::LoadOp, mlir::LLVM::LoadOp>;

struct RequestSet {
  llvm::SmallVector<mlir::Operation *, 4> starts;
  mlir::Operation *wait;
  /// Stores of null handles, and waits and starts that use other slots.
  llvm::SmallPtrSet<mlir::Operation *, 4> harmless;
  /// The operations from the first start to the last wait.
  llvm::SmallVector<mlir::Operation *, 0> between;
  llvm::SmallVector<LoadPair> loads;
};

/// Finds the sets of one function.
class SetFinder {
public:
  SetFinder(mlir::Region &region, const mpi::ABI &abi, uint64_t handleSize)
      : region(region), abi(abi), handleSize(handleSize), layout(mlir::DataLayout::closest(region.getParentOp())),
        dominance(region.getParentOp()), loops(dominance.getDomTree(&region)) {}

  /// Finds sets by control flow and numbers. Operations in between may still touch the requests.
  std::vector<RequestSet> find(mlir::FunctionOpInterface function, const RequestFlow &flow);

private:
  std::optional<RequestLoop> matchLoop(mlir::Operation *op);
  std::optional<RequestSet> matchSet(const RequestLoop &starts, const RequestLoop &waits);
  mlir::Block *findGate(const RequestLoop &starts, const RequestLoop &waits);
  std::optional<SlotRange> getSlots(mlir::Operation *op);
  bool isNullHandle(mlir::Value value);
  SlotUses findUses(mlir::Value base, llvm::ArrayRef<mlir::Operation *> starts, llvm::ArrayRef<mlir::Operation *> waits,
                    llvm::DenseMap<mlir::Operation *, llvm::SmallVector<LoadPair>> &loads);
  std::optional<RequestSet> findFilled(mlir::Operation *wait, llvm::ArrayRef<mlir::Operation *> starts,
                                       llvm::ArrayRef<mlir::Operation *> waits);
  bool addBetween(RequestSet &set, llvm::ArrayRef<mlir::Operation *> writers, mlir::CFGLoop *around);
  bool areSame(mlir::Value a, mlir::Value b, llvm::SmallVectorImpl<LoadPair> &loads, unsigned depth = 0);

  mlir::Region &region;
  const mpi::ABI &abi;
  uint64_t handleSize;
  mlir::DataLayout layout;
  mlir::DominanceInfo dominance;
  mlir::CFGLoopInfo loops;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_REQUESTS_SETFINDER_H
