//===- CollectiveProof.cpp - Prove that a graph is a collective -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectiveProof.h"

#include "CollectiveBuilder.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"

#include "Comm/Analysis/Symbolic/CrossCheck.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace comm;

std::optional<CollectiveProof> comm::proveCollectives(CDagOp graph, const mpi::ABI &abi, GraphMemory &memory,
                                                      Obstacle &obstacle, bool &disagrees) {
  disagrees = false;
  if (!isa<LLVM::LLVMFuncOp>(graph->getParentOp())) {
    obstacle = {graph, "its function is not of the llvm dialect"};
    return std::nullopt;
  }
  CollectiveProof proof;
  proof.symbolic = buildSymbolicGraph(graph, abi, obstacle);
  if (!proof.symbolic)
    return std::nullopt;
  auto mayOverlap = [&](Operation *a, Operation *b) {
    auto getKind = [](Operation *op) {
      auto message = dyn_cast<MPIOpInterface>(op);
      return message ? message.getMatching().kind : Matching::Kind::None;
    };
    Matching::Kind first = getKind(a), second = getKind(b);
    bool bothEnds = (first == Matching::Kind::Send && second == Matching::Kind::Receive) ||
                    (first == Matching::Kind::Receive && second == Matching::Kind::Send);
    return !(graph.getDisjoint() && bothEnds) && memory.mayOverlap(a, b);
  };
  std::optional<std::vector<CollectivePlan>> plans = matchCollectives(*proof.symbolic, mayOverlap, obstacle);
  if (!plans)
    return std::nullopt;
  proof.plans = std::move(*plans);
  for (const CollectivePlan &plan : proof.plans)
    if (!CollectiveBuilder::canBuild(plan)) {
      obstacle = {plan.messages.front(), "MPI has no such collective that skips the process's own block"};
      return std::nullopt;
    }
  if (std::string what = findDisagreement(graph, *proof.symbolic, proof.plans, abi, proof.numChecked); !what.empty()) {
    disagrees = true;
    obstacle = {graph, what};
    return std::nullopt;
  }
  return std::move(proof);
}

/// Returns the message that the obstacle is about, or the first one if it is about the whole graph.
static Operation *getPlace(CDagOp graph, const Obstacle &obstacle) {
  if (isa_and_nonnull<MPIOpInterface>(obstacle.op))
    return obstacle.op;
  SmallVector<MPIOpInterface> messages = getMessages(graph);
  return messages.empty() ? graph.getOperation() : messages.front().getOperation();
}

Location comm::getObstacleLoc(CDagOp graph, const Obstacle &obstacle) { return getPlace(graph, obstacle)->getLoc(); }

std::string comm::describeObstacle(CDagOp graph, const Obstacle &obstacle) {
  auto message = dyn_cast<MPIOpInterface>(getPlace(graph, obstacle));
  std::string what = message ? getDisplayName(message).str() : "a graph";
  return what + " at " + toString(getSourcePosition(getObstacleLoc(graph, obstacle))) +
         " is not part of a collective that is known at compile time: " + obstacle.reason;
}
