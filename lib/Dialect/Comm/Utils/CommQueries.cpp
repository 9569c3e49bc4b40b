//===- CommQueries.cpp - Rank and size of a communicator -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/CommQueries.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace comm;

bool comm::isSameHandle(Value a, Value b) {
  return getHandle(a) == getHandle(b) || (!getConstantName(a).empty() && getConstantName(a) == getConstantName(b));
}

/// Whether the handle is the same at all times, since no loop recomputes it.
static bool isFixed(Value communicator) {
  Value handle = getHandle(communicator);
  Block *block = handle.getParentBlock();
  return !getConstantName(handle).empty() || (block->isEntryBlock() && isa<FunctionOpInterface>(block->getParentOp()));
}

/// Returns the query if it is the only operation that writes the variable.
static std::optional<CommQuery> getWriter(LLVM::LoadOp load) {
  Value variable = load.getAddr();
  if (!variable.getDefiningOp<LLVM::AllocaOp>())
    return std::nullopt;
  std::optional<CommQuery> query;
  Operation *only = nullptr;
  for (Operation *user : variable.getUsers()) {
    if (isa<LLVM::LoadOp, LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(user))
      continue;
    auto writer = dyn_cast<MPIOpInterface>(user);
    if (!writer || query || !writer.isLocal())
      return std::nullopt;
    bool isRank = writer.getParam("rank") == variable, isSize = writer.getParam("size") == variable;
    if (isRank == isSize)
      return std::nullopt;
    query = CommQuery{isRank, writer.getCommunicator()};
    only = writer;
  }
  // In a loop around both, an earlier iteration may have stored the answer for another communicator.
  if (query && !isFixed(query->communicator) &&
      !DominanceInfo(only->getParentOfType<FunctionOpInterface>()).properlyDominates(only, load))
    return std::nullopt;
  return query;
}

std::optional<CommQuery> comm::getCommQuery(Value value) {
  Operation *definition = value.getDefiningOp();
  if (!definition || !value.getType().isInteger(32))
    return std::nullopt;
  if (auto load = dyn_cast<LLVM::LoadOp>(definition))
    return getWriter(load);
  auto query = dyn_cast<MPIOpInterface>(definition);
  if (!query || !query.isLocal())
    return std::nullopt;
  bool isRank = query.getOutcome("rank") == value, isSize = query.getOutcome("size") == value;
  if (isRank == isSize)
    return std::nullopt;
  return CommQuery{isRank, query.getCommunicator()};
}
