//===- CommQueries.cpp - Rank and size of a communicator -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommQueries.h"

#include "Comm/Dialect/Comm/IR/Comm.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace comm;

bool comm::isSameHandle(Value a, Value b) {
  auto strip = [](Value value) {
    while (auto cast = value.getDefiningOp<CastOp>())
      value = cast.getInput();
    return value;
  };
  return strip(a) == strip(b) || (!getConstantName(a).empty() && getConstantName(a) == getConstantName(b));
}

/// The only operation that writes the variable, if it is such a query.
static std::optional<CommQuery> getWriter(Value variable) {
  if (!variable.getDefiningOp<LLVM::AllocaOp>())
    return std::nullopt;
  std::optional<CommQuery> query;
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
  }
  return query;
}

std::optional<CommQuery> comm::getCommQuery(Value value) {
  Operation *definition = value.getDefiningOp();
  if (!definition || !value.getType().isInteger(32))
    return std::nullopt;
  if (auto load = dyn_cast<LLVM::LoadOp>(definition))
    return getWriter(load.getAddr());
  auto query = dyn_cast<MPIOpInterface>(definition);
  if (!query || !query.isLocal())
    return std::nullopt;
  bool isRank = query.getOutcome("rank") == value, isSize = query.getOutcome("size") == value;
  if (isRank == isSize)
    return std::nullopt;
  return CommQuery{isRank, query.getCommunicator()};
}
