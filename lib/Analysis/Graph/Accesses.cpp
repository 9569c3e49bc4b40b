//===- Accesses.cpp - Accesses in graph loops -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Graph/Accesses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace comm::graph;

Value comm::graph::stripConversions(Value value) {
  while (true) {
    auto from = value.getDefiningOp<FromIdOp>();
    auto to = from ? from.getId().getDefiningOp<ToIdOp>() : nullptr;
    if (!to || to.getElement().getType() != value.getType())
      return value;
    value = to.getElement();
  }
}

ForallOp comm::graph::getLoopOf(Value element) {
  auto argument = dyn_cast<BlockArgument>(element);
  return argument ? dyn_cast_or_null<ForallOp>(argument.getOwner()->getParentOp()) : nullptr;
}

/// Whether the value identifies the loop's iteration.
static bool isOwn(ForallOp loop, Value value) { return getLoopOf(stripConversions(value)) == loop; }

static Place placeVertex(ForallOp loop, Value vertex) {
  vertex = stripConversions(vertex);
  if (isOwn(loop, vertex))
    return Place::Own;
  if (loop.getDomain() == Domain::children && stripConversions(loop.getCenter()) == vertex)
    return Place::Center;
  ForallOp inner = getLoopOf(vertex);
  if (inner && inner.getDomain() == Domain::children && loop.overLevels() && inner.getOver()[0] == loop.getOver()[0] &&
      isOwn(loop, inner.getCenter()))
    return Place::Child;
  return Place::Other;
}

static Place placeEdge(ForallOp loop, Value edge) {
  edge = stripConversions(edge);
  if (isOwn(loop, edge))
    return Place::Own;
  Value source, target;
  if (auto find = edge.getDefiningOp<FindEdgeOp>()) {
    source = find.getSource();
    target = find.getTarget();
  } else if (ForallOp inner = getLoopOf(edge); inner && inner.getCenter()) {
    (inner.getDomain() == Domain::in_neighbors ? target : source) = inner.getCenter();
  }
  // A loop over neighbors identifies its edges by their other ends.
  bool isVertexLoop = loop.getDomain() != Domain::edges;
  if (isVertexLoop && source && isOwn(loop, source))
    return Place::Own;
  if (isVertexLoop && target && isOwn(loop, target))
    return Place::OwnIn;
  return Place::Other;
}

static Place place(ForallOp loop, Value index) {
  if (!index)
    return Place::Other;
  return isa<EdgeType>(index.getType()) ? placeEdge(loop, index) : placeVertex(loop, index);
}

namespace {
/// Collects the accesses of operations and of the functions that they call.
class Collector {
public:
  Collector(ForallOp loop, SmallVectorImpl<PlacedAccess> &accesses) : loop(loop), accesses(accesses) {}

  void add(Operation *op) {
    if (auto access = dyn_cast<AccessOpInterface>(op))
      for (Access each : access.getAccesses())
        if (!loop->isAncestor(each.object.getParentRegion()->getParentOp()))
          accesses.push_back({each, place(loop, each.index), op});
    if (auto call = dyn_cast<func::CallOp>(op)) {
      SmallVector<Value> operands(call.getOperands());
      addCallee(call, call, operands);
    }
  }

private:
  /// `operands`: the values outside of the loop that the callee's parameters stand for, or null for objects of the
  /// function.
  void addCallee(Operation *where, func::CallOp call, ArrayRef<Value> operands) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
    if (!callee || callee.isExternal() || !open.insert(callee))
      return;
    auto translate = [&](Value value) -> Value {
      auto argument = dyn_cast<BlockArgument>(value);
      bool isParameter = argument && argument.getOwner()->getParentOp() == callee;
      return isParameter ? operands[argument.getArgNumber()] : Value();
    };
    callee.walk([&](Operation *op) {
      if (auto access = dyn_cast<AccessOpInterface>(op))
        for (Access each : access.getAccesses()) {
          each.object = translate(each.object);
          each.index = each.value = Value();
          if (each.object && !loop->isAncestor(each.object.getParentRegion()->getParentOp()))
            accesses.push_back({each, Place::Other, where});
        }
      if (auto inner = dyn_cast<func::CallOp>(op)) {
        SmallVector<Value> given;
        for (Value operand : inner.getOperands())
          given.push_back(translate(operand));
        addCallee(where, inner, given);
      }
    });
    open.remove(callee);
  }

  ForallOp loop;
  SmallVectorImpl<PlacedAccess> &accesses;
  llvm::SetVector<Operation *> open;
};
} // namespace

SmallVector<PlacedAccess> comm::graph::getAccesses(ForallOp loop) {
  SmallVector<PlacedAccess> accesses;
  Collector collector(loop, accesses);
  for (Region *region : {&loop.getFilter(), &loop.getBody()})
    region->walk<WalkOrder::PreOrder>([&](Operation *op) { collector.add(op); });
  return accesses;
}

bool comm::graph::mayMeet(Place a, Place b) {
  if (a > b)
    std::swap(a, b);
  if (a == Place::Own)
    return b == Place::OwnIn || b == Place::Other;
  return a != Place::OwnIn || b != Place::OwnIn;
}

/// Whether both write the same constant, so that their order does not matter.
static bool writeTheSame(const Access &a, const Access &b) {
  Attribute first, second;
  return a.value && b.value && matchPattern(a.value, m_Constant(&first)) &&
         matchPattern(b.value, m_Constant(&second)) && first == second;
}

/// Whether reads of what the access changes see the values from the beginning of the loop.
static bool isReadAsBefore(ForallOp loop, const Access &access) {
  if (!isa<PropertyType>(access.object.getType()) || !isMonotonic(access.reduction))
    return false;
  // Companions are copied before the loop. For loops over levels, copying them once per level would cost too much.
  return access.kind == AccessKind::Reduce || (access.isCompanion && !loop.overLevels());
}

/// Whether two accesses of different iterations give the same result in either order.
static bool commute(ForallOp loop, const PlacedAccess &a, const PlacedAccess &b) {
  if (a.access.kind > b.access.kind)
    return commute(loop, b, a);
  const Access &first = a.access, &second = b.access;
  if (second.kind == AccessKind::Read)
    return true;
  if (first.kind == AccessKind::Read)
    return isReadAsBefore(loop, second);
  if (first.kind == AccessKind::Reduce)
    return first.reduction == second.reduction;
  if (second.kind == AccessKind::Reduce)
    return false;
  if (writeTheSame(first, second))
    return true;
  // A reduction sets its companions together.
  auto getReduced = [](const PlacedAccess &each) {
    auto op = dyn_cast<AccessOpInterface>(each.op);
    return op && each.access.isCompanion ? op.getAccesses().front() : Access{};
  };
  Access left = getReduced(a), right = getReduced(b);
  return left.object && left.object == right.object && left.reduction == right.reduction;
}

std::optional<Race> comm::graph::findRace(ForallOp loop) {
  if (loop.getOrdered())
    return std::nullopt;
  llvm::MapVector<Value, SmallVector<PlacedAccess>> byObject;
  for (const PlacedAccess &each : getAccesses(loop))
    byObject[each.access.object].push_back(each);
  for (const auto &[object, accesses] : byObject)
    for (const auto &[index, second] : llvm::enumerate(accesses))
      for (const PlacedAccess &first : ArrayRef(accesses).take_front(index + 1))
        if (mayMeet(first.place, second.place) && !commute(loop, first, second))
          return Race{first, second};
  return std::nullopt;
}

std::optional<Race> comm::graph::findMixedEdges(ForallOp loop) {
  if (loop.getOrdered())
    return std::nullopt;
  llvm::DenseMap<Value, PlacedAccess> first;
  for (const PlacedAccess &each : getAccesses(loop)) {
    if (each.place != Place::OwnIn)
      continue;
    auto [found, isNew] = first.try_emplace(each.access.object, each);
    const Access &before = found->second.access;
    if (!isNew && (before.kind != each.access.kind || before.reduction != each.access.reduction))
      return Race{found->second, each};
  }
  return std::nullopt;
}

SmallVector<Value> comm::graph::getSnapshots(ForallOp loop) {
  llvm::SetVector<Value> read, reduced, shared;
  for (const PlacedAccess &each : getAccesses(loop)) {
    if (!isa<PropertyType>(each.access.object.getType()))
      continue;
    bool isRead = each.access.kind == AccessKind::Read;
    bool isReduced = !isRead && isReadAsBefore(loop, each.access);
    if (isRead)
      read.insert(each.access.object);
    if (isReduced)
      reduced.insert(each.access.object);
    // An access to the iteration's own element takes effect immediately.
    if ((isRead || isReduced) && each.place != Place::Own)
      shared.insert(each.access.object);
  }
  return llvm::filter_to_vector(read,
                                [&](Value object) { return reduced.contains(object) && shared.contains(object); });
}

Value comm::graph::getFilterProperty(ForallOp loop) {
  if (loop.getDomain() != Domain::vertices || !loop.hasFilter())
    return {};
  Block &filter = loop.getFilter().front();
  Value condition = cast<YieldOp>(filter.getTerminator()).getCondition();
  // `p`, or `p == True`, which is not always folded.
  if (auto comparison = condition.getDefiningOp<arith::CmpIOp>()) {
    APInt wanted;
    bool isEqual = comparison.getPredicate() == arith::CmpIPredicate::eq;
    if (!isEqual || !matchPattern(comparison.getRhs(), m_ConstantInt(&wanted)) || !wanted.isOne())
      return {};
    condition = comparison.getLhs();
  }
  auto load = condition.getDefiningOp<LoadOp>();
  bool isOwn = load && load.getType().isInteger(1) && stripConversions(load.getIndex()) == filter.getArgument(0);
  return isOwn ? load.getProperty() : Value();
}

SmallVector<ForallOp> comm::graph::getSharedLoops(Operation *root) {
  SmallVector<ForallOp> found;
  root->walk<WalkOrder::PreOrder>([&](ForallOp loop) {
    if (loop.getOrdered())
      return WalkResult::advance();
    found.push_back(loop);
    return WalkResult::skip();
  });
  return found;
}

bool comm::graph::isAtBorder(ForallOp loop, Value vertex) {
  vertex = stripConversions(vertex);
  if (auto end = vertex.getDefiningOp<EndpointOp>())
    return end.getDirection() == Direction::in && loop.getDomain() == Domain::edges && isOwn(loop, end.getEdge());
  ForallOp inner = isa<VertexType>(vertex.getType()) ? getLoopOf(vertex) : nullptr;
  // A loop over the neighbors of a vertex runs in the process that owns the vertex.
  return inner && inner.getCenter() &&
         (inner == loop || (loop.getDomain() != Domain::edges && isOwn(loop, inner.getCenter())));
}

StringRef comm::graph::getObjectName(Value object) {
  if (Operation *op = object.getDefiningOp()) {
    auto name = op->getAttrOfType<StringAttr>("name");
    return name ? name.getValue() : "";
  }
  auto argument = cast<BlockArgument>(object);
  auto function = dyn_cast_or_null<func::FuncOp>(argument.getOwner()->getParentOp());
  auto name = function ? function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kNameAttrName) : StringAttr();
  return name ? name.getValue() : "";
}

bool comm::graph::areWeights(Value parameter) {
  auto property = dyn_cast<PropertyType>(parameter.getType());
  if (!property || property.getOf() != Element::edge)
    return false;
  StringRef name = getObjectName(parameter);
  return name == "weight" || name == "weights";
}
