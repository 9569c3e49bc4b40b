//===- Gathers.cpp - Sums over neighbors ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Graph/Gathers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace comm::graph;

/// Returns the loop over all vertices around a loop over the neighbors of its vertex, or null.
static ForallOp getVertexLoop(ForallOp neighbors) {
  bool isNeighbors = neighbors.getDomain() == Domain::in_neighbors || neighbors.getDomain() == Domain::out_neighbors;
  ForallOp loop = isNeighbors ? getLoopOf(stripConversions(neighbors.getCenter())) : nullptr;
  // With a filter, the gather would compute values that are not needed.
  bool isWhole = loop && loop.getDomain() == Domain::vertices && !loop.getOrdered() && !loop.hasFilter() &&
                 !loop->getParentOfType<ForallOp>() && stripConversions(neighbors.getCenter()) == loop.getElement();
  return isWhole ? loop : nullptr;
}

static bool isChanged(ForallOp loop, Value object) {
  return llvm::any_of(getAccesses(loop), [&](const PlacedAccess &each) {
    return each.access.object == object && each.access.kind != AccessKind::Read;
  });
}

static bool isOutside(Operation *loop, Value value) {
  return !loop->isAncestor(value.getParentRegion()->getParentOp());
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

std::optional<Gather> comm::graph::getGather(ForallOp neighbors, std::string &reason) {
  auto fail = [&](const char *text) {
    reason = text;
    return std::nullopt;
  };
  Gather gather;
  gather.vertices = getVertexLoop(neighbors);
  // In ordered loops, floating-point sums must keep their order.
  if (!gather.vertices || neighbors.getOrdered() || neighbors.hasFilter() ||
      neighbors->getParentOp() != gather.vertices.getOperation())
    return fail("it is not an unordered loop over all neighbors directly inside a loop over all vertices");
  LoadOp load;
  for (Operation &each : neighbors.getBody().front().without_terminator()) {
    if (auto one = dyn_cast<LoadOp>(each); one && !load)
      load = one;
    else if (auto one = dyn_cast<AccumulateOp>(each); one && !gather.accumulate)
      gather.accumulate = one;
    else
      return fail("it does more than combine one value of each neighbor");
  }
  AccumulateOp accumulate = gather.accumulate;
  if (!load || !accumulate || accumulate.getValue() != load.getResult() || !accumulate.getCompanions().empty() ||
      stripConversions(load.getIndex()) != neighbors.getElement())
    return fail("it does more than combine one value of each neighbor");
  gather.property = load.getProperty();
  gather.load = load;
  // Sums of integers are checked for overflow. A floating-point minimum ignores NaNs, unlike a tree of minima.
  ReductionKind kind = accumulate.getKind();
  Type type = load.getType();
  bool isExtremum = kind == ReductionKind::min || kind == ReductionKind::max;
  bool isGood = isExtremum ? type.isInteger(32) || type.isInteger(64) : isa<FloatType>(type);
  bool isOwn = !isOutside(gather.vertices, accumulate.getCell());
  bool isSame = cast<CellType>(accumulate.getCell().getType()).getValueType() == type;
  if (!isGood || !isOwn || !isSame || !(isExtremum || kind == ReductionKind::sum) ||
      !isOutside(gather.vertices, gather.property) || isChanged(gather.vertices, gather.property))
    return fail("only sums of floating-point properties, and minima and maxima of integer properties, that the loop "
                "does not change can be gathered");
  return gather;
}

//===----------------------------------------------------------------------===//
// Shared terms
//===----------------------------------------------------------------------===//

namespace {
class TermFinder {
public:
  explicit TermFinder(ForallOp vertices) : vertices(vertices) {}

  SmallVector<SharedTerm> find() {
    SmallVector<SharedTerm> found;
    vertices.getBody().walk([&](ForallOp neighbors) {
      if (getVertexLoop(neighbors) != vertices)
        return;
      for (Operation &each : neighbors.getBody().front().without_terminator())
        if (each.getNumResults() == 1 && isTerm(each.getResult(0), neighbors) && isLargest(&each, neighbors) &&
            isWorthwhile(each.getResult(0)))
          found.push_back({vertices, neighbors, each.getResult(0)});
    });
    return found;
  }

private:
  /// Whether the value depends only on the neighbor and on values common to all vertices, and cannot stop the program.
  bool isTerm(Value value, ForallOp neighbors) {
    if (isOutside(vertices, value))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions() || op->getBlock() != &neighbors.getBody().front())
      return op && op->hasTrait<OpTrait::ConstantLike>();
    if (auto load = dyn_cast<LoadOp>(op))
      return stripConversions(load.getIndex()) == neighbors.getElement() && isOutside(vertices, load.getProperty()) &&
             !isChanged(vertices, load.getProperty());
    if (auto degree = dyn_cast<DegreeOp>(op))
      return stripConversions(degree.getVertex()) == neighbors.getElement();
    bool isGood =
        op->hasTrait<OpTrait::ConstantLike>() || isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
                                                     arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp>(op);
    if (auto convert = dyn_cast<ConvertOp>(op))
      isGood = isa<FloatType>(convert.getType());
    return isGood && llvm::all_of(op->getOperands(), [&](Value each) { return isTerm(each, neighbors); });
  }
  bool isLargest(Operation *op, ForallOp neighbors) {
    return llvm::any_of(op->getUsers(), [&](Operation *user) {
      return user->getNumResults() != 1 || !isTerm(user->getResult(0), neighbors);
    });
  }
  /// Whether the value has a division, or combines two values of a neighbor.
  bool isWorthwhile(Value value) {
    unsigned reads = 0, divisions = 0;
    count(value, reads, divisions);
    return reads > 0 && reads + divisions > 1;
  }
  void count(Value value, unsigned &reads, unsigned &divisions) {
    Operation *op = value.getDefiningOp();
    if (!op || isOutside(vertices, value))
      return;
    if (isa<LoadOp, DegreeOp>(op)) {
      ++reads;
      return;
    }
    divisions += isa<arith::DivFOp>(op);
    for (Value operand : op->getOperands())
      count(operand, reads, divisions);
  }

  ForallOp vertices;
};
} // namespace

SmallVector<SharedTerm> comm::graph::getSharedTerms(ForallOp vertices) { return TermFinder(vertices).find(); }
