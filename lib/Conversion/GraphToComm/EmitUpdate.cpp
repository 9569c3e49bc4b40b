//===- EmitUpdate.cpp - Writes and reductions of properties --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace comm;
using namespace comm::graphlowering;
using Predicate = arith::CmpIPredicate;
using graph::ReductionKind;

/// Fields of comm_graph_topology.
enum Topology { Owned = 3 };
/// enum comm_graph_update_kind; reductions have their own numbers.
static constexpr int64_t assignKind = 7, keepsOldFlag = 16, sendsEachFlag = 32, leavesCopiesFlag = 64, waitsFlag = 128;

static bool isEdgeProperty(Value property) {
  return cast<graph::PropertyType>(property.getType()).getOf() == graph::Element::edge;
}

/// Whether all updates of the property in the loop have the attribute.
bool Emitter::allHave(Value property, StringRef attribute) {
  WalkResult lacking = loop->op->walk([&](Operation *op) {
    auto reduce = dyn_cast<graph::ReduceOp>(op);
    auto store = dyn_cast<graph::StoreOp>(op);
    bool isUpdate = (reduce && reduce.getProperty() == property) || (store && store.getProperty() == property);
    return isUpdate && !op->hasAttr(attribute) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !lacking.wasInterrupted();
}

/// Whether iterations may read what the reduction changes. Updates of their own vertices then take effect immediately.
bool Emitter::isReadInLoop(graph::ReduceOp op) {
  WalkResult read = loop->op->walk([&](graph::LoadOp load) {
    bool isRead = load.getProperty() == op.getProperty() || llvm::is_contained(op.getCompanions(), load.getProperty());
    return isRead ? WalkResult::interrupt() : WalkResult::advance();
  });
  return read.wasInterrupted();
}

/// Whether updates of own vertices wait until the loop ends.
bool Emitter::waitsForEnd(graph::ReduceOp op) {
  return graph::isMonotonic(op.getKind()) && !allHave(op.getProperty(), graph::kImmediateAttrName) && !isReadInLoop(op);
}

UpdateGroup *Emitter::getUpdates(Operation *op, Value property, ReductionKind kind, bool isWrite,
                                 ValueRange companions) {
  Value object = values.lookup(property).value;
  SmallVector<Value> objects;
  for (Value companion : companions)
    objects.push_back(values.lookup(companion).value);
  auto found = loop->updates.find({object, unsigned(isWrite)});
  if (found != loop->updates.end()) {
    return &found->second;
  }
  if (companions.size() > 15) {
    fail(op, "has more than 15 companions");
    return nullptr;
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop->anchor);
  Block *inner = std::exchange(sweepEntry, nullptr);
  UpdateGroup group;
  group.kind = kind;
  group.companions = objects;
  for (Value each : llvm::concat<Value>(SmallVector<Value>{property}, SmallVector<Value>(companions)))
    group.bytes += code.sizeOf(lower(cast<graph::PropertyType>(each.getType()).getValueType()));
  group.keepsOld = !isWrite && llvm::is_contained(loop->snapshots, property);
  group.sendsEach = !allHave(property, graph::kCombinedAttrName);
  int64_t number = isWrite ? assignKind : int64_t(kind) + (group.keepsOld ? keepsOldFlag : 0);
  number += group.sendsEach ? sendsEachFlag : 0;
  if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
    group.leavesCopies = group.sendsEach || !allHave(property, graph::kCopiedAttrName);
    group.waits = waitsForEnd(reduce);
    number += (group.leavesCopies ? leavesCopiesFlag : 0) + (group.waits ? waitsFlag : 0);
  }
  Value list = objects.empty() ? code.null() : makeSlots(objects);
  group.handle = code.call("comm_graph_run_updates", code.pointer(),
                           {runValue, code.integer(nextSite++), code.integer(number, 32), object,
                            code.integer(int64_t(objects.size())), list, place(op)});
  group.marks = code.load(code.pointer(), group.handle);
  if (group.keepsOld)
    group.old = code.load(code.pointer(), code.field(group.handle, 8));
  sweepEntry = inner;
  return &loop->updates.insert({{object, unsigned(isWrite)}, group}).first->second;
}

/// Returns the updates of a property that is read as of the beginning of the loop, or null.
UpdateGroup *Emitter::getSnapshotOf(Value property) {
  if (!llvm::is_contained(loop->snapshots, property))
    return nullptr;
  graph::ReduceOp found;
  loop->op->walk([&](graph::ReduceOp reduce) {
    if (reduce.getProperty() == property)
      found = reduce;
  });
  if (!found) {
    fail(loop->op, "reads a property that one of its reductions sets with its value: run graph-keep-companions before");
    return nullptr;
  }
  return getUpdates(found, property, found.getKind(), /*isWrite=*/false, found.getCompanions());
}

/// Reads a value from the arrays of this process.
Value Emitter::readAt(Value property, Type type, Value local) {
  Value base = getData(values.lookup(property).value);
  if (UpdateGroup *group = getSnapshotOf(property)) {
    Value isOld = code.load(code.i1(), code.element(here(group->marks), code.i1(), local));
    base = arith::SelectOp::create(builder, isOld, here(group->old), base);
  }
  return code.load(type, code.element(base, type, local));
}

/// Whether the loop's reductions of the property may have different companions for the same value.
bool Emitter::haveTies(graph::ReduceOp op) {
  SmallVector<Attribute> first;
  bool differ = false;
  loop->op->walk([&](graph::ReduceOp other) {
    if (other.getProperty() != op.getProperty())
      return;
    SmallVector<Attribute> constants;
    for (Value value : other.getCompanionValues()) {
      Attribute constant;
      matchPattern(value, m_Constant(&constant));
      differ |= !constant;
      constants.push_back(constant);
    }
    differ |= !first.empty() && first != constants;
    first = constants;
  });
  return differ;
}

static bool areWeights(Value property) { return bool(property.getDefiningOp<graph::WeightsOp>()); }

void Emitter::emitStore(graph::StoreOp op) {
  if (areWeights(op.getProperty())) {
    fail(op, "changes the weights of the graph, which the lowering of graph programs does not support: copy them to a "
             "property first");
    return;
  }
  Lowered index = get(op.getIndex());
  Value value = getValue(op.getValue());
  if (!loop) {
    code.call("comm_graph_run_put", Type(), {getValue(op.getProperty()), index.value, makeSlots(value), place(op)});
    return;
  }
  Value object = values.lookup(op.getProperty()).value;
  checkThere(index, op);
  if (index.local && (index.isOwned || isEdgeProperty(op.getProperty()))) {
    Value address = code.element(getData(object), value.getType(), index.local);
    if (tracked.contains(object))
      addToFrontier(object, value, code.load(code.i1(), address), index);
    log(address, value.getType());
    code.store(value, address);
    loop->changed.insert(object);
    return;
  }
  UpdateGroup *group = getUpdates(op, op.getProperty(), ReductionKind::sum, /*isWrite=*/true, {});
  if (!group)
    return;
  group->isAny = true;
  update(op, group, index, value);
}

/// Outside of loops: all processes receive the value, combine it identically, and store their part of the result.
void Emitter::reduceReplicated(graph::ReduceOp op) {
  Lowered index = get(op.getIndex());
  Type type = lower(op.getProperty().getType().getValueType());
  Value property = getValue(op.getProperty()), value = getValue(op.getValue());
  Value memory = code.allocate(entry, type);
  code.store(code.constant(builder.getZeroAttr(type)), memory);
  code.call("comm_graph_run_get", Type(), {property, index.value, memory});
  Value old = askOwner(op, isEdgeProperty(op.getProperty()), index.value, code.load(type, memory), type);
  Value result = combine(op.getKind(), old, value, op);
  auto put = [&](Value object, Value each) {
    code.call("comm_graph_run_put", Type(), {object, index.value, makeSlots(each), place(op)});
  };
  put(property, result);
  if (op.getCompanions().empty())
    return;
  SmallVector<std::pair<Value, Value>> companions;
  for (auto [companion, each] : llvm::zip_equal(op.getCompanions(), op.getCompanionValues()))
    companions.emplace_back(getValue(companion), getValue(each));
  bool isMin = op.getKind() == ReductionKind::min;
  when(isMin ? less(value, old, false) : less(old, value, false), [&] {
    for (auto [companion, each] : companions)
      put(companion, each);
  });
}

void Emitter::emitReduce(graph::ReduceOp op) {
  for (Value property :
       llvm::concat<Value>(SmallVector<Value>{op.getProperty()}, SmallVector<Value>(op.getCompanions())))
    if (areWeights(property)) {
      fail(op,
           "changes the weights of the graph, which the lowering of graph programs does not support: copy them to a "
           "property first");
      return;
    }
  if (!loop)
    return reduceReplicated(op);
  if (isRelaxed(op.getProperty()))
    return emitRelax(op);
  WalkResult others = loop->op->walk([&](graph::ReduceOp other) {
    bool isAlike = other.getProperty() != op.getProperty() ||
                   (other.getKind() == op.getKind() && llvm::equal(other.getCompanions(), op.getCompanions()));
    return isAlike ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (others.wasInterrupted()) {
    fail(op,
         "reduces a property in a different way than another operation of the same forall, which the lowering of graph "
         "programs does not support: use two loops");
    return;
  }
  Lowered index = get(op.getIndex());
  checkThere(index, op);
  bool isOwn = index.local && (index.isOwned || isEdgeProperty(op.getProperty()));
  // Updates of the iteration's own vertex take effect immediately, since the iteration may read them.
  bool isRead = llvm::is_contained(loop->snapshots, op.getProperty());
  if (isOwn && op.getCompanions().empty() && !isRead && !waitsForEnd(op))
    return reduceInPlace(op, index, nullptr);
  UpdateGroup *group = getUpdates(op, op.getProperty(), op.getKind(), /*isWrite=*/false, op.getCompanions());
  if (!group)
    return;
  group->hasTies = haveTies(op);
  bool isAtHand = index.local && (isOwn || !loop->isSweep);
  // A neighbor is owned by this process, or has a copy here.
  bool happens = !group->waits, combines = isOwn ? happens : !group->leavesCopies;
  if (isAtHand && happens && combines)
    return reduceInPlace(op, index, group);
  SmallVector<Value> slots = {getValue(op.getValue())};
  for (Value companion : op.getCompanionValues())
    slots.push_back(getValue(companion));
  if (!isAtHand || (!happens && !combines))
    return update(op, group, index, slots);
  Value isGhost = code.compare(Predicate::sge, index.local, topology(Owned));
  auto branch = scf::IfOp::create(builder, isGhost, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(combines ? branch.thenBlock() : branch.elseBlock());
  reduceInPlace(op, index, group);
  builder.setInsertionPointToStart(combines ? branch.elseBlock() : branch.thenBlock());
  update(op, group, index, slots);
}

/// The runtime routes the update.
void Emitter::update(Operation *op, UpdateGroup *group, Lowered index, ArrayRef<Value> slots) {
  // The owner of an element with a local index is known.
  group->isAny |= !index.local || loop->isSweep || (group->leavesCopies && !group->sendsEach);
  code.call("comm_graph_run_update", Type(), {here(group->handle), index.value, makeSlots(slots), place(op)});
}

/// For a property that tracks its true vertices: records a vertex that becomes true.
void Emitter::addToFrontier(Value property, Value value, Value old, Lowered index) {
  Value becomes = code.both(value, arith::XOrIOp::create(builder, old, code.integer(1, 1)));
  if (!index.isOwned && loop->part != LoopPart::Interior)
    becomes = code.both(becomes, code.compare(Predicate::slt, index.local, topology(Owned)));
  when(becomes, [&] { code.call("comm_graph_run_add", Type(), {here(property), index.local}); });
}

/// Reduces a value in the arrays of this process: of its own vertex, or of a neighbor, which may be a ghost.
void Emitter::reduceInPlace(graph::ReduceOp op, Lowered index, UpdateGroup *group) {
  Type type = lower(op.getProperty().getType().getValueType());
  Value object = values.lookup(op.getProperty()).value;
  Value address = code.element(getData(object), type, index.local);
  Value old = code.load(type, address), value = getValue(op.getValue());
  ReductionKind kind = op.getKind();
  bool isOwn = index.isOwned || isEdgeProperty(op.getProperty());
  if (isOwn)
    loop->changed.insert(object);
  SmallVector<Value> given;
  for (Value each : op.getCompanionValues())
    given.push_back(getValue(each));
  // Mark ghosts, since they are sent; with ties or reads of old values, mark all. In the interior, no vertex has ghosts
  // as neighbors.
  auto mark = [&] {
    bool marksAll = group && (group->hasTies || group->keepsOld);
    if (!group || ((isOwn || loop->part == LoopPart::Interior) && !marksAll))
      return;
    auto touch = [&] {
      Value isMarked = code.load(code.i1(), code.element(here(group->marks), code.i1(), index.local));
      when(arith::XOrIOp::create(builder, isMarked, code.integer(1, 1)),
           [&] { code.call("comm_graph_run_touch", Type(), {here(group->handle), index.local}); });
    };
    if (marksAll)
      return touch();
    when(code.compare(Predicate::sge, index.local, topology(Owned)), touch);
  };
  if (!graph::isMonotonic(kind)) {
    Value result = combine(kind, old, value, op);
    mark();
    log(address, type);
    code.store(result, address);
    return;
  }
  Value result = combine(kind, old, value, op);
  bool isExtremum = kind == ReductionKind::min || kind == ReductionKind::max;
  Value changes = kind == ReductionKind::min   ? less(value, old, false)
                  : kind == ReductionKind::max ? less(old, value, false)
                                               : code.compare(Predicate::ne, result, old);
  when(changes, [&] {
    mark();
    if (tracked.contains(object))
      addToFrontier(object, result, old, index);
    log(address, type);
    code.store(isExtremum ? value : result, address);
    for (auto [companion, each] : llvm::zip_equal(op.getCompanions(), given)) {
      Value property = values.lookup(companion).value;
      Value to = code.element(getData(property), each.getType(), index.local);
      if (tracked.contains(property))
        addToFrontier(property, each, code.load(code.i1(), to), index);
      log(to, each.getType());
      code.store(each, to);
    }
  });
  if (!group || !group->hasTies)
    return;
  when(same(value, old), [&] {
    Value isMarked = code.load(code.i1(), code.element(here(group->marks), code.i1(), index.local));
    when(isMarked, [&] {
      Value slots = makeSlots(given);
      code.call("comm_graph_run_tie", Type(), {here(group->handle), index.local, slots});
    });
  });
}
