//===- EmitAccess.cpp - Graph queries and property reads ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace comm;
using namespace comm::graphlowering;
using Predicate = arith::CmpIPredicate;

/// Fields of comm_graph_topology.
enum Topology { Vertices, Edges, First, Owned, Ghosts, FirstEdge, OutOffsets, OutNeighbors, InOffsets };

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

/// Outside of loops: the process that owns the vertex or edge broadcasts the value.
Value Emitter::askOwner(Operation *op, bool isEdge, Value index, Value own, Type type) {
  Value owner = code.call("comm_graph_run_owner", code.i32(), {run(), code.integer(isEdge, 32), index, place(op)});
  Value memory = code.allocate(entry, type);
  code.store(own, memory);
  broadcast(memory, type, owner);
  return code.load(type, memory);
}

/// Returns the number of edges of each owned vertex and ghost.
Value Emitter::getDegrees(bool isIn) {
  Value &degrees = loop->degrees[isIn];
  if (!degrees) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop->anchor);
    Block *inner = std::exchange(sweepEntry, nullptr);
    degrees = code.call("comm_graph_run_degrees", code.pointer(), {runValue, code.integer(isIn, 32)});
    sweepEntry = inner;
  }
  return degrees;
}

/// Returns the weights that the graph was loaded with. They do not change, so the program fetches them once at the
/// beginning, where any loop can use them.
Value Emitter::getWeights(graph::WeightsOp op) {
  Type type = op.getType().getValueType();
  Value &made = weights[type];
  if (!made) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(topologyFields.back());
    Block *inner = std::exchange(sweepEntry, nullptr);
    made =
        code.call("comm_graph_run_weights", code.pointer(), {runValue, code.integer(typeNumber(type), 32), place(op)});
    sweepEntry = inner;
  }
  return made;
}

void Emitter::emitQuestion(Operation *op) {
  using namespace graph;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](NumVerticesOp each) { set(each, topology(Vertices)); })
      .Case([&](NumEdgesOp each) { set(each, topology(Edges)); })
      .Case([&](WeightsOp each) { set(each, getWeights(each)); })
      .Case([&](DegreeOp each) {
        bool isIn = each.getDirection() == Direction::in;
        Lowered vertex = get(each.getVertex());
        Value direction = code.integer(isIn, 32);
        if (!loop) {
          Value own = code.call("comm_graph_run_own_degree", code.i64(), {run(), direction, vertex.value});
          return set(each, askOwner(op, /*isEdge=*/false, vertex.value, own, code.i64()));
        }
        if (vertex.isOwned) {
          Value offsets = topology(isIn ? InOffsets : OutOffsets);
          Value next = code.add(vertex.local, code.integer(1));
          auto offset = [&](Value at) { return code.load(code.i64(), code.element(offsets, code.i64(), at)); };
          return set(each, code.sub(offset(next), offset(vertex.local)));
        }
        if (vertex.local && each->hasAttr(graph::kCopiedAttrName)) {
          // The array is the same for the whole run.
          Value values = here(getDegrees(isIn));
          Value data = code.load(code.pointer(), values);
          return set(each, code.load(code.i64(), code.element(data, code.i64(), vertex.local)));
        }
        set(each, fetch(here(getDegrees(isIn)), vertex.value, code.i64(), op));
      })
      .Case<HasEdgeOp, FindEdgeOp>([&](auto each) {
        Lowered source = get(each.getSource()), target = get(each.getTarget());
        Value edge;
        if (!loop) {
          code.call("comm_graph_run_check", Type(), {run(), code.integer(0, 32), target.value, place(op)});
          Value own = code.call("comm_graph_run_own_find_edge", code.i64(), {run(), source.value, target.value});
          edge = askOwner(op, /*isEdge=*/false, source.value, own, code.i64());
        } else {
          loop->needsSweep |= !source.isOwned;
          edge = code.call("comm_graph_run_find_edge", code.i64(), {run(), source.value, target.value, place(op)});
        }
        if (isa<FindEdgeOp>(op)) {
          // An edge of an owned vertex is stored in this process.
          Value local = loop && source.isOwned ? code.sub(edge, topology(FirstEdge)) : Value();
          return set(op->getResult(0), {edge, local, false, /*mayBeNone=*/true});
        }
        set(op->getResult(0), code.compare(Predicate::sge, edge, code.integer(0)));
      })
      .Case([&](EndpointOp each) {
        bool isIn = each.getDirection() == Direction::in;
        if (auto known = ends.find(each.getEdge()); known != ends.end()) {
          Lowered end = isIn ? known->second.second : known->second.first;
          end.value = here(end.value);
          end.local = here(end.local);
          return set(each.getResult(), end);
        }
        Lowered edge = get(each.getEdge());
        checkThere(edge, op);
        Value direction = code.integer(isIn, 32);
        if (!loop) {
          Value own = code.call("comm_graph_run_own_endpoint", code.i64(), {run(), direction, edge.value});
          return set(each, askOwner(op, /*isEdge=*/true, edge.value, own, code.i64()));
        }
        loop->needsSweep |= !edge.local;
        set(each, code.call("comm_graph_run_endpoint", code.i64(), {run(), direction, edge.value, place(op)}));
      })
      .Case([&](LevelsOp each) {
        if (loop) {
          fail(op,
               "starts a breadth-first search in an iteration of a forall, which the lowering of graph programs does "
               "not support yet: use 'for' around it");
          return;
        }
        if (isCalled) {
          fail(op, "starts a breadth-first search in a recursive function, which would replace the search of its "
                   "caller: search before the call");
          return;
        }
        set(each, code.call("comm_graph_run_levels", code.pointer(),
                            {run(), code.integer(nextSite++), getValue(each.getRoot()),
                             code.integer(each->hasAttr(graph::kPullsAttrName), 32), place(op)}));
      })
      .Case([&](LevelOp each) {
        Value of = code.load(code.pointer(), code.field(getValue(each.getLevels()), 8));
        Lowered vertex = get(each.getVertex());
        Value level;
        if (loop && vertex.local) {
          Value data = code.load(code.pointer(), of);
          level = code.load(code.i32(), code.element(data, code.i32(), vertex.local));
        } else if (loop) {
          level = fetch(of, vertex.value, code.i32(), op);
        } else {
          Value memory = code.allocate(entry, code.i32());
          code.call("comm_graph_run_get", Type(), {of, vertex.value, memory});
          level = askOwner(op, /*isEdge=*/false, vertex.value, code.load(code.i32(), memory), code.i32());
        }
        set(each, code.widen(level));
      });
}

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

void Emitter::emitWhole(Operation *op) {
  if (loop) {
    fail(op,
         "creates or fills a whole property in an iteration of a forall, which the lowering of graph programs does not "
         "support: move it out of the loop");
    return;
  }
  if (auto property = dyn_cast<graph::PropertyOp>(op)) {
    if (isCalled) {
      fail(op, "declares a property in a recursive function, and each call would have its own: make it a parameter");
      return;
    }
    auto type = cast<graph::PropertyType>(property.getType());
    Value name = code.string(property.getName().value_or(""));
    Value isEdges = code.integer(type.getOf() == graph::Element::edge, 32);
    Value made =
        code.call("comm_graph_run_property", code.pointer(),
                  {run(), code.integer(nextSite++), isEdges, code.integer(typeNumber(type.getValueType()), 32), name});
    set(property, made);
    if (property->hasAttr(graph::kTrackedAttrName)) {
      tracked.insert(made);
      code.call("comm_graph_run_track", Type(), made);
    }
    return;
  }
  if (auto copy = dyn_cast<graph::CopyOp>(op)) {
    code.call("comm_graph_run_copy", Type(), {getValue(copy.getFrom()), getValue(copy.getTo())});
    return;
  }
  auto fill = cast<graph::FillOp>(op);
  Value memory = makeSlots(getValue(fill.getValue()));
  code.call("comm_graph_run_fill", Type(), {getValue(fill.getProperty()), memory});
}

/// Returns the values of owned vertices and ghosts, or of the edges of owned vertices.
Value Emitter::getData(Value property) {
  Value &data = loop->data[property];
  if (!data) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop->anchor);
    data = code.load(code.pointer(), property);
  }
  return here(data);
}

/// In a sweep: returns the value of any vertex or edge.
Value Emitter::fetch(Value property, Value index, Type type, Operation *op) {
  loop->needsSweep = true;
  Value address = code.call("comm_graph_run_fetch", code.pointer(), {property, index, place(op)});
  return code.load(type, address);
}

Value Emitter::loadValue(graph::LoadOp op, Lowered index) {
  Value property = op.getProperty();
  Value object = values.lookup(property).value;
  Type lowered = lower(op.getType());
  bool isEdge = op.getProperty().getType().getOf() == graph::Element::edge;
  bool isOwn = index.local && (index.isOwned || isEdge), isRead = op->hasAttr(graph::kLocalAttrName);
  // Old values must be kept before the runtime can read the way the loop does.
  getSnapshotOf(property);
  // A sweep never lacks what the process surely has.
  if (isOwn && !isRead)
    return code.load(lowered,
                     code.call("comm_graph_run_fetch", code.pointer(), {here(object), index.value, place(op)}));
  if (!isOwn && (!index.local || !op->hasAttr(graph::kCopiedAttrName))) {
    // This process may own it.
    if (isEdge || !isRead)
      return fetch(here(object), index.value, lowered, op);
    Value local = code.sub(index.value, topology(First));
    Value isOwned = code.compare(Predicate::ult, local, topology(Owned));
    return choose(
        isOwned, lowered, [&] { return readAt(property, lowered, local); },
        [&] { return fetch(here(object), index.value, lowered, op); });
  }
  if (!isOwn)
    loop->refreshed.insert({object, lowered});
  return readAt(property, lowered, index.local);
}

/// Stops the program if it uses an edge that was not found.
void Emitter::checkThere(const Lowered &edge, Operation *op) {
  if (!edge.mayBeNone || !edge.local)
    return;
  when(code.compare(Predicate::slt, edge.value, code.integer(0)),
       [&] { code.call("comm_graph_run_check", Type(), {run(), code.integer(1, 32), edge.value, place(op)}); });
}

void Emitter::emitLoad(graph::LoadOp op) {
  if (isRelaxed(op.getProperty()))
    return set(op, getToldValue());
  Lowered index = get(op.getIndex());
  checkThere(index, op);
  if (loop)
    return set(op, loadValue(op, index));
  Type type = op.getType();
  Value memory = code.allocate(entry, lower(type));
  code.store(code.constant(builder.getZeroAttr(lower(type))), memory);
  code.call("comm_graph_run_get", Type(), {getValue(op.getProperty()), index.value, memory});
  bool isEdge = op.getProperty().getType().getOf() == graph::Element::edge;
  set(op, askOwner(op, isEdge, index.value, code.load(lower(type), memory), lower(type)));
}

/// Stores values in memory, in eight bytes each.
Value Emitter::makeSlots(ValueRange given) {
  Value memory = code.allocate(sweepEntry ? sweepEntry : entry, code.i64(), int64_t(given.size()));
  for (auto [index, value] : llvm::enumerate(given))
    code.store(value, code.field(memory, 8 * int64_t(index)));
  return memory;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

void Emitter::emitCell(graph::CellOp op) {
  Value init = getValue(op.getInit());
  Value memory = code.allocate(sweepEntry ? sweepEntry : entry, init.getType());
  code.store(init, memory);
  set(op, memory);
  // Set when a reduction with companions changes the variable in the current loop.
  bool isReduced = llvm::any_of(op->getUsers(), [](Operation *user) {
    auto reduce = dyn_cast<graph::AccumulateOp>(user);
    return reduce && !reduce.getCompanions().empty();
  });
  if (!isReduced)
    return;
  Value flag = code.allocate(sweepEntry ? sweepEntry : entry, code.i1());
  code.store(code.integer(0, 1), flag);
  flags[op] = flag;
}

/// Whether the variable is declared outside of the distributed loop.
bool Emitter::isOutside(Value cell) { return loop && !loop->op->isAncestor(cell.getParentBlock()->getParentOp()); }

void Emitter::emitGet(graph::GetOp op) { set(op, code.load(lower(op.getType()), getValue(op.getCell()))); }

void Emitter::log(Value address, Type type) {
  if (!loop || !loop->isSweep)
    return;
  int64_t bytes = type.isInteger(1) ? 1 : type.getIntOrFloatBitWidth() / 8;
  code.call("comm_graph_run_log", Type(), {run(), address, code.integer(bytes)});
}

void Emitter::emitSet(graph::SetOp op) {
  Value value = getValue(op.getValue());
  if (!isOutside(op.getCell())) {
    code.store(value, getValue(op.getCell()));
    return;
  }
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  if (!constant) {
    fail(op,
         "sets a variable from outside of the forall to a value that differs between iterations: make it a reduction");
    return;
  }
  Partial *partial =
      getPartial(op, op.getCell(), graph::ReductionKind::disjunction, cast<TypedAttr>(constant.getValue()), {});
  if (!partial)
    return;
  Value flag = here(partial->memory);
  log(flag, code.i1());
  code.store(code.integer(1, 1), flag);
}

Partial *Emitter::getPartial(Operation *op, Value cell, graph::ReductionKind kind, TypedAttr constant,
                             ValueRange companions) {
  auto found = loop->partials.find(cell);
  if (found != loop->partials.end()) {
    Partial &partial = found->second;
    SmallVector<Value> cells;
    for (auto &each : partial.companions)
      cells.push_back(each.first);
    if (partial.kind != kind || partial.constant != constant || !llvm::equal(cells, companions)) {
      fail(op,
           "changes a variable in a different way than an earlier operation of the same forall, which the lowering of "
           "graph programs does not support: use another variable");
      return nullptr;
    }
    return &partial;
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop->anchor);
  Block *inner = std::exchange(sweepEntry, nullptr);
  Type type = constant ? code.i1() : lower(cast<graph::CellType>(cell.getType()).getValueType());
  Partial partial = {code.allocate(entry, type), type, kind, Value(), constant, {}, {}, op->getLoc()};
  code.store(code.constant(constant ? TypedAttr(builder.getBoolAttr(false)) : identity(kind, type)), partial.memory);
  if (!companions.empty()) {
    partial.flag = code.allocate(entry, code.i1());
    code.store(code.integer(0, 1), partial.flag);
    // A value better than the identity may still be worse than the variable, so start with the variable's value.
    Value now = code.load(type, values.lookup(cell).value);
    code.store(now, partial.memory);
  }
  for (Value companion : companions) {
    Type companionType = lower(cast<graph::CellType>(companion.getType()).getValueType());
    partial.companions.emplace_back(companion, code.allocate(entry, companionType));
    partial.companionTypes.push_back(companionType);
  }
  sweepEntry = inner;
  return &loop->partials.insert({cell, partial}).first->second;
}

/// Combines the operation's value with the one in memory. Among values that are equal and have companions, keeps the
/// smallest companions, provided that the stored ones were set since `flag` was cleared.
void Emitter::accumulate(graph::AccumulateOp op, Value memory, Value flag, ArrayRef<Value> companions) {
  Value value = getValue(op.getValue());
  Type type = lower(cast<graph::CellType>(op.getCell().getType()).getValueType());
  Value old = code.load(type, memory);
  if (companions.empty()) {
    Value result = combine(op.getKind(), old, value, op);
    log(memory, type);
    code.store(result, memory);
    return;
  }
  bool isMin = op.getKind() == graph::ReductionKind::min;
  Value isBetter = isMin ? less(value, old, false) : less(old, value, false);
  SmallVector<Value> given;
  for (Value each : op.getCompanionValues())
    given.push_back(getValue(each));
  // Whether it is lexicographically less than the stored companions.
  Value isLess = code.integer(0, 1);
  for (size_t i = given.size(); i-- > 0;) {
    Value now = code.load(given[i].getType(), companions[i]);
    isLess = code.either(less(given[i], now, given[i].getType().isInteger(1)), code.both(same(given[i], now), isLess));
  }
  Value replaces = isBetter;
  if (flag) {
    Value isTie = code.both(code.both(same(value, old), code.load(code.i1(), flag)), isLess);
    replaces = code.either(isBetter, isTie);
  }
  when(replaces, [&] {
    log(memory, type);
    code.store(value, memory);
    if (flag) {
      log(flag, code.i1());
      code.store(code.integer(1, 1), flag);
    }
    for (auto [each, to] : llvm::zip_equal(given, companions)) {
      log(to, each.getType());
      code.store(each, to);
    }
  });
}

void Emitter::emitAccumulate(graph::AccumulateOp op) {
  SmallVector<Value> companions;
  if (!isOutside(op.getCell())) {
    for (Value companion : op.getCompanions()) {
      if (isOutside(companion)) {
        fail(op, "has a companion from outside of the forall, which the lowering of graph programs does not support");
        return;
      }
      companions.push_back(getValue(companion));
    }
    // Outside of foralls, the first of several equal values stays.
    Value flag = loop ? flags.lookup(op.getCell()) : Value();
    return accumulate(op, getValue(op.getCell()), flag ? here(flag) : Value(), companions);
  }
  Partial *partial = getPartial(op, op.getCell(), op.getKind(), TypedAttr(), op.getCompanions());
  if (!partial)
    return;
  for (auto &each : partial->companions)
    companions.push_back(here(each.second));
  accumulate(op, here(partial->memory), partial->flag ? here(partial->flag) : Value(), companions);
}
