//===- Relaxations.cpp - Fixed points of monotonic reductions ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Graph/Relaxations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace comm::graph;

namespace {
class Matcher {
public:
  Matcher(FixedPointOp op, std::string &reason) : op(op), reason(reason) {}

  std::optional<Relaxation> match() {
    bool isGood = matchBody() && matchLoops() && matchReduction() && matchNext() && matchCompanions();
    if (!isGood)
      return std::nullopt;
    findStep();
    return result;
  }

private:
  bool fail(const Twine &text) {
    reason = text.str();
    return false;
  }

  /// Matches one loop, followed by the step from this round's property to the next one's.
  bool matchBody() {
    if (!op.getProperty() || op.getAll())
      return fail("it does not end when a property is false everywhere");
    result.active = op.getProperty();
    SmallVector<Operation *> operations;
    for (Operation &each : op.getBody().front().without_terminator())
      if (!isMemoryEffectFree(&each) || each.getNumRegions())
        operations.push_back(&each);
    auto loop = operations.size() == 3 ? dyn_cast<ForallOp>(operations[0]) : nullptr;
    auto copy = operations.size() == 3 ? dyn_cast<CopyOp>(operations[1]) : nullptr;
    auto fill = operations.size() == 3 ? dyn_cast<FillOp>(operations[2]) : nullptr;
    if (!loop || !copy || !fill)
      return fail("its body is not one loop over the vertices that changed");
    result.vertices = loop;
    result.next = copy.getFrom();
    bool isForNext = copy.getTo() == result.active && fill.getProperty() == result.next &&
                     matchPattern(fill.getValue(), m_Zero()) && result.next != result.active;
    return isForNext || fail("its condition is not the property that the reduction set in the previous round");
  }

  bool matchLoops() {
    if (result.vertices.getOrdered() || getFilterProperty(result.vertices) != result.active)
      return fail("its loop is not over the vertices that changed");
    for (Operation &each : result.vertices.getBody().front())
      if (auto inner = dyn_cast<ForallOp>(each)) {
        if (result.neighbors)
          return fail("its loop has several loops over neighbors");
        result.neighbors = inner;
      }
    ForallOp inner = result.neighbors;
    if (!inner || inner.getDomain() != Domain::out_neighbors ||
        stripConversions(inner.getCenter()) != result.vertices.getElement())
      return fail("its loop does not visit the neighbors of each vertex");
    bool isGood = true;
    result.vertices.getBody().walk([&](Operation *each) {
      if (auto reduce = dyn_cast<ReduceOp>(each)) {
        isGood &= !result.reduce;
        result.reduce = reduce;
        return;
      }
      if (each == inner.getOperation() || isa<scf::IfOp, scf::YieldOp, YieldOp>(each))
        return;
      isGood &= each->getNumRegions() == 0 && (isa<LoadOp>(each) || isMemoryEffectFree(each));
      // Edges found by a search, levels, and ends of edges may belong to other processes.
      isGood &= !isa<HasEdgeOp, FindEdgeOp, LevelOp, LevelsOp, EndpointOp>(each);
      if (auto degree = dyn_cast<DegreeOp>(each))
        isGood &= isAtHand(degree.getVertex());
    });
    return (isGood && result.reduce) || fail("its loop does more than one reduction");
  }

  /// Whether this is the iteration's vertex, its neighbor, or the edge between them.
  bool isAtHand(Value index) {
    index = stripConversions(index);
    auto argument = dyn_cast<BlockArgument>(index);
    Operation *owner = argument ? argument.getOwner()->getParentOp() : nullptr;
    return owner && (owner == result.vertices.getOperation() || owner == result.neighbors.getOperation());
  }
  bool isOwn(Value index) { return stripConversions(index) == result.vertices.getElement(); }

  bool matchReduction() {
    ReduceOp reduce = result.reduce;
    result.property = reduce.getProperty();
    auto type = cast<PropertyType>(result.property.getType());
    Type value = type.getValueType();
    bool isExtremum = reduce.getKind() == ReductionKind::min || reduce.getKind() == ReductionKind::max;
    if (!isExtremum || type.getOf() != Element::vertex || !value.isIntOrFloat() || value.isInteger(1))
      return fail("its reduction is not a minimum or maximum of a numeric vertex property");
    if (stripConversions(reduce.getIndex()) != result.neighbors.getElement())
      return fail("its reduction does not update the neighbor");
    result.growth = getGrowth(reduce);
    if (result.growth == Growth::None)
      return fail("the combined value does not rise with the property");
    // Values that are read must not change, apart from the value that the vertex passes on.
    llvm::SetVector<Value> changed;
    changed.insert(result.active);
    changed.insert(result.next);
    for (Value companion : reduce.getCompanions())
      changed.insert(companion);
    bool isGood = result.property != result.active && result.property != result.next;
    auto check = [&](LoadOp load) {
      bool isOwnValue = load.getProperty() == result.property && isOwn(load.getIndex());
      bool isConstant =
          load.getProperty() != result.property && !changed.contains(load.getProperty()) && isAtHand(load.getIndex());
      isGood &= isOwnValue || isConstant;
      // Whether an edge is used must not depend on values that change.
      if (isOwnValue)
        isGood &= isOnlyFor(load.getResult(), reduce);
    };
    result.vertices.getBody().walk(check);
    return isGood || fail("its loop reads values that it changes, other than the vertex's own value");
  }

  /// Whether the value is used only to compute the operand of the reduction.
  bool isOnlyFor(Value value, ReduceOp reduce) {
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (user == reduce.getOperation()) {
        if (value != reduce.getValue())
          return false;
        for (Value companion : reduce.getCompanionValues())
          if (companion == value)
            return false;
        continue;
      }
      if (user->getNumRegions() || isa<YieldOp, scf::YieldOp>(user))
        return false;
      for (Value next : user->getResults())
        if (!isOnlyFor(next, reduce))
          return false;
    }
    return true;
  }

  /// Checks that only the reduction sets the property for the next round.
  bool matchNext() {
    auto made = result.next.getDefiningOp<PropertyOp>();
    if (!made)
      return fail("the property for the next round is used elsewhere");
    for (Operation *user : made->getUsers()) {
      auto fill = dyn_cast<FillOp>(user);
      bool isFalse = fill && matchPattern(fill.getValue(), m_Zero());
      if (!isFalse && !op->isAncestor(user))
        return fail("the property for the next round is used elsewhere");
    }
    bool isSet = false, isElsewhere = false;
    for (auto [index, pair] :
         llvm::enumerate(llvm::zip_equal(result.reduce.getCompanions(), result.reduce.getCompanionValues()))) {
      auto [companion, value] = pair;
      bool isNext = companion == result.next;
      isElsewhere |= companion == result.active || companion == result.property || (isNext && isSet);
      if (isNext)
        isSet = matchPattern(value, m_One());
      else
        result.companions.push_back(unsigned(index));
    }
    return (isSet && !isElsewhere) || fail("the vertices that change are not the ones visited in the next round");
  }

  bool matchCompanions() {
    for (unsigned index : result.companions) {
      Attribute constant;
      result.hasTies |= !matchPattern(result.reduce.getCompanionValues()[index], m_Constant(&constant));
    }
    if (!result.hasTies)
      return true;
    // Only the final value of a vertex may produce the final value of a neighbor, so the sum must be exact. The round
    // takes the other half of 64 bits.
    Type value = cast<PropertyType>(result.property.getType()).getValueType();
    bool isExact = result.growth != Growth::Constant && isSum(result.reduce.getValue());
    if (result.reduce.getKind() != ReductionKind::min || !value.isInteger(32) || !isExact)
      return fail("its companions differ, and the reduction is not a minimum of 32-bit sums");
    return true;
  }

  /// Whether this is the vertex's value plus or minus other numbers.
  bool isSum(Value value) {
    if (auto load = value.getDefiningOp<LoadOp>())
      return load.getProperty() == result.property;
    auto checked = value.getDefiningOp<CheckedOp>();
    if (!checked)
      return false;
    if (checked.getKind() == ArithKind::add)
      return isSum(checked.getLhs()) || isSum(checked.getRhs());
    return checked.getKind() == ArithKind::sub && isSum(checked.getLhs());
  }

  bool isOutside(Value value) { return !op->isAncestor(value.getParentRegion()->getParentOp()); }

  void findStep() {
    result.isExactSum = result.reduce.getValue().getType().isInteger() && isSum(result.reduce.getValue());
    Operation *sum = result.reduce.getValue().getDefiningOp();
    bool isSum =
        sum && (isa<arith::AddFOp>(sum) || (isa<CheckedOp>(sum) && cast<CheckedOp>(sum).getKind() == ArithKind::add));
    for (unsigned i = 0; isSum && i < 2; ++i) {
      auto load = sum->getOperand(i).getDefiningOp<LoadOp>();
      if (!load || load.getProperty() != result.property)
        continue;
      Value step = sum->getOperand(1 - i);
      Attribute constant;
      if (isOutside(step) || matchPattern(step, m_Constant(&constant)))
        result.uniformStep = step;
      if (auto convert = step.getDefiningOp<ConvertOp>())
        step = convert.getValue();
      auto edge = step.getDefiningOp<LoadOp>();
      if (edge && result.neighbors.getEdge() == stripConversions(edge.getIndex()))
        result.edgeStep = edge.getProperty();
    }
    // No conditions, and no companions except for the vertex itself and values common to all edges.
    bool isPlain = !result.neighbors.hasFilter();
    result.vertices.getBody().walk([&](Operation *each) { isPlain &= !isa<scf::IfOp>(each); });
    for (unsigned index : result.companions) {
      Value value = result.reduce.getCompanionValues()[index];
      Attribute constant;
      isPlain &=
          value == result.vertices.getElement() || isOutside(value) || matchPattern(value, m_Constant(&constant));
    }
    bool isInteger = cast<PropertyType>(result.property.getType()).getValueType().isInteger();
    result.isUniform = isPlain && isInteger && (result.growth == Growth::Copied || result.uniformStep);
  }

  FixedPointOp op;
  std::string &reason;
  Relaxation result;
};
} // namespace

std::optional<Relaxation> comm::graph::getRelaxation(FixedPointOp op, std::string &reason) {
  return Matcher(op, reason).match();
}
