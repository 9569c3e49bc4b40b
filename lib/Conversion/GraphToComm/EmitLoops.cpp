//===- EmitLoops.cpp - Loops over vertices, neighbors and edges ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "Comm/Analysis/Graph/Accesses.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace comm;
using namespace comm::graphlowering;
using graph::Domain;
using Predicate = arith::CmpIPredicate;

/// Fields of comm_graph_topology.
enum Topology {
  Vertices,
  Edges,
  First,
  Owned,
  Ghosts,
  FirstEdge,
  OutOffsets,
  OutNeighbors,
  InOffsets,
  InNeighbors,
  Globals
};

/// enum comm_graph_sweep_flags.
enum Sweep { Probes = 1, Caches = 2 };

void Emitter::emitForall(graph::ForallOp op) {
  if (loop)
    return emitNested(op);
  if (op.getOrdered())
    return emitReplicated(op);
  if (!op->hasAttr(graph::kByDegreeAttrName) || !emitTriangles(op))
    emitOutermost(op);
}

/// Emits one iteration: the filter, and the body if the filter allows it.
void Emitter::emitIteration(graph::ForallOp op, Lowered element, Lowered edge) {
  auto give = [&](Region &region) {
    values[region.getArgument(0)] = element;
    if (region.getNumArguments() > 1)
      values[region.getArgument(1)] = edge;
  };
  auto body = [&] {
    give(op.getBody());
    emitBlock(op.getBody().front());
  };
  if (!op.hasFilter())
    return body();
  give(op.getFilter());
  emitBlock(op.getFilter().front());
  if (failed)
    return;
  Value runs = getValue(cast<graph::YieldOp>(op.getFilter().front().getTerminator()).getCondition());
  when(runs, body);
}

//===----------------------------------------------------------------------===//
// Distributed loops
//===----------------------------------------------------------------------===//

void Emitter::emitOutermost(graph::ForallOp op) {
  auto ownVertex = [&](Value local) { return Lowered{code.add(topology(First), local), local, true}; };
  switch (op.getDomain()) {
  case Domain::vertices: {
    auto [vertices, size] = getFrontier(op);
    if (!vertices)
      return emitParallel(
          op, topology(Owned), [&](Value item) { visit(item, [&] { emitIteration(op, ownVertex(item), {}); }); },
          /*areVertices=*/true);
    // Use the list, or all vertices if the list is long.
    Value list = vertices, isAll = code.isNull(vertices);
    return emitParallel(op, size, [&](Value item) {
      Value local = choose(
          here(isAll), code.i64(), [&] { return item; },
          [&]() -> Value {
            Value vertex = code.load(code.i32(), code.element(here(list), code.i32(), item));
            return arith::ExtUIOp::create(builder, code.i64(), vertex);
          });
      visit(local, [&] { emitIteration(op, ownVertex(local), {}); });
    });
  }
  case Domain::edges:
    // Distribute edges by their sources, whose process has them.
    return emitParallel(
        op, topology(Owned), [&](Value item) { visit(item, [&] { emitEdgesFrom(op, ownVertex(item)); }); },
        /*areVertices=*/true);
  case Domain::set: {
    Value set = getValue(op.getOver()[0]);
    Value size = code.load(code.i64(), set), members = code.load(code.pointer(), code.field(set, 8));
    return emitParallel(op, size, [&](Value item) {
      Value vertex = code.load(code.i64(), code.element(here(members), code.i64(), item));
      Value local = code.sub(vertex, topology(First));
      when(code.compare(Predicate::ult, local, topology(Owned)),
           [&] { visit(local, [&] { emitIteration(op, {vertex, local, true}, {}); }); });
    });
  }
  case Domain::out_neighbors:
  case Domain::in_neighbors:
  case Domain::children: {
    if (sharesNeighbors(op))
      return emitSharedNeighbors(op);
    // The process that owns the vertex visits its neighbors.
    Value center = getValue(op.getCenter());
    code.call("comm_graph_run_check", Type(), {run(), code.integer(0, 32), center, place(op)});
    Value local = code.sub(center, topology(First));
    Value isOwned = code.compare(Predicate::ult, local, topology(Owned));
    return emitParallel(op, code.widen(isOwned), [&](Value) { emitNeighbors(op, {here(center), here(local), true}); });
  }
  case Domain::levels:
  case Domain::reverse_levels:
    return emitLevels(op);
  }
}

/// Emits the iterations of a loop over all edges that have this source.
void Emitter::emitEdgesFrom(graph::ForallOp op, Lowered source) {
  Value offsets = topology(OutOffsets);
  auto offset = [&](Value at) { return code.load(code.i64(), code.element(offsets, code.i64(), at)); };
  count(offset(source.local), offset(code.add(source.local, code.integer(1))), [&](Value e) {
    Value neighbor = code.load(code.i32(), code.element(topology(OutNeighbors), code.i32(), e));
    Value local = arith::ExtUIOp::create(builder, code.i64(), neighbor);
    Value global = code.load(code.i32(), code.element(topology(Globals), code.i32(), local));
    Lowered target = {arith::ExtUIOp::create(builder, code.i64(), global), local, false};
    for (Region *region : {&op.getFilter(), &op.getBody()})
      if (!region->empty())
        ends[region->getArgument(0)] = {source, target};
    emitIteration(op, {code.add(topology(FirstEdge), e), e, false}, {});
  });
}

/// If the filter reads a property that tracks its true vertices, returns these vertices and their number.
std::pair<Value, Value> Emitter::getFrontier(graph::ForallOp op) {
  Value property = graph::getFilterProperty(op);
  Value object = property ? values.lookup(property).value : Value();
  if (!object || !tracked.contains(object))
    return {};
  Value memory = code.allocate(entry, code.i64());
  Value vertices = code.call("comm_graph_run_frontier", code.pointer(), {object, memory});
  return {vertices, code.load(code.i64(), memory)};
}

/// Visits one level after another; each level sees the changes of the previous one.
void Emitter::emitLevels(graph::ForallOp op) {
  Value levels = getValue(op.getOver()[0]);
  Value size = code.load(code.i64(), levels);
  Value vertices = code.load(code.pointer(), code.field(levels, 16));
  Value offsets = code.load(code.pointer(), code.field(levels, 24));
  count(code.integer(0), size, [&](Value step) {
    Value level = step;
    if (op.getDomain() == Domain::reverse_levels)
      level = code.sub(code.sub(size, code.integer(1)), step);
    auto offset = [&](Value at) { return code.load(code.i64(), code.element(offsets, code.i64(), at)); };
    Value begin = offset(level), end = offset(code.add(level, code.integer(1)));
    emitParallel(op, code.sub(end, begin), [&](Value item) {
      Value at = code.add(here(begin), item);
      Value vertex = code.load(code.i32(), code.element(here(vertices), code.i32(), at));
      Value local = arith::ExtUIOp::create(builder, code.i64(), vertex);
      visit(local, [&] { emitIteration(op, {code.add(topology(First), local), local, true}, {}); });
    });
  });
}

/// Emits the code as a plain loop, or first in parts if the op is marked. If ghosts or updates turn out not to travel
/// during iterations, or iterations need data of other processes, emits it again: at last as a plain loop, or a sweep.
void Emitter::emitParallel(graph::ForallOp op, Value size, llvm::function_ref<void(Value)> item, bool areVertices) {
  if (failed)
    return;
  Loop state;
  state.op = op;
  state.snapshots = graph::getSnapshots(op);
  state.hidesGhosts = op->hasAttr(graph::kInteriorFirstAttrName);
  state.hidesUpdates = op->hasAttr(graph::kOverlappedAttrName);
  loop = &state;
  while (!emitLoop(size, item, areVertices) && !failed) {
    Loop fresh;
    fresh.op = op;
    fresh.snapshots = state.snapshots;
    fresh.isSweep = state.needsSweep;
    fresh.hidesGhosts = state.hidesGhosts && !fresh.isSweep;
    fresh.hidesUpdates = state.hidesUpdates && !fresh.isSweep;
    state = fresh;
  }
  loop = nullptr;
}

/// Emits the loop in one form. Returns false, and removes what it has emitted, if the iterations do not allow it.
bool Emitter::emitLoop(Value size, llvm::function_ref<void(Value)> item, bool areVertices) {
  Operation *begin = arith::ConstantOp::create(builder, builder.getBoolAttr(false));
  int64_t firstSite = nextSite;
  loop->begin = begin;
  if (loop->hidesGhosts)
    beginGhosts();
  loop->anchor = arith::ConstantOp::create(builder, builder.getBoolAttr(false));
  bool isGood = true;
  if (loop->isSweep)
    emitSweep(size, item);
  else if (loop->hidesGhosts || loop->hidesUpdates)
    isGood = emitInParts(size, areVertices, item);
  else
    count(code.integer(0), size, item);
  if (failed)
    return false;
  if (!isGood || (loop->needsSweep && !loop->isSweep)) {
    eraseFrom(begin);
    nextSite = firstSite;
    return false;
  }
  ++numLoops;
  numSweeps += loop->isSweep;
  finishLoop();
  loop->anchor->erase();
  begin->erase();
  return true;
}

/// Erases everything emitted since then, last operation first.
void Emitter::eraseFrom(Operation *first) {
  Block *block = first->getBlock();
  bool isAtEnd = builder.getInsertionPoint() == block->end();
  Operation *last = isAtEnd ? &block->back() : builder.getInsertionPoint()->getPrevNode();
  while (last != first) {
    Operation *previous = last->getPrevNode();
    last->dropAllUses();
    last->erase();
    last = previous;
  }
  first->erase();
}

void Emitter::deliverUpdates() {
  for (auto &[key, group] : loop->updates)
    code.call("comm_graph_run_deliver", Type(), {group.handle, code.integer(group.isAny, 32)});
}

/// Updates all ghosts before the loop.
void Emitter::refreshGhosts() {
  if (hasWindow() && !loop->refreshed.empty()) {
    mlir::remark::passed(loop->op.getLoc(), mlir::remark::RemarkOpts::name("overlap").category(kGathersPass))
        << "ghosts are put into windows before the loop";
    // Then nothing is left for the library to do.
    putGhosts(loop->refreshed);
  }
  for (auto [property, type] : loop->refreshed)
    refresh(property);
}

/// Emits what must come before and after the loop.
void Emitter::finishLoop() {
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop->begin);
    // Refresh first: updates start from the values of ghosts.
    if (!loop->hidesGhosts)
      refreshGhosts();
  }
  if (!loop->hidesUpdates)
    deliverUpdates();
  for (Value property : loop->changed)
    code.call("comm_graph_run_changed", Type(), property);
  for (Value list : loop->lists)
    code.call("comm_graph_run_list_deliver", Type(), list);
  for (auto &[cell, partial] : loop->partials) {
    builder.setLoc(partial.loc);
    finishPartial(cell, partial);
  }
}

//===----------------------------------------------------------------------===//
// Loops in one process
//===----------------------------------------------------------------------===//

void Emitter::emitNested(graph::ForallOp op) {
  switch (op.getDomain()) {
  case Domain::vertices:
    return count(code.integer(0), topology(Vertices),
                 [&](Value vertex) { emitIteration(op, {vertex, Value(), false}, {}); });
  case Domain::edges:
    return count(code.integer(0), topology(Edges), [&](Value edge) { emitIteration(op, {edge, Value(), false}, {}); });
  case Domain::set: {
    Value set = getValue(op.getOver()[0]);
    Value size = code.load(code.i64(), set), members = code.load(code.pointer(), code.field(set, 8));
    return count(code.integer(0), size, [&](Value i) {
      Value vertex = code.load(code.i64(), code.element(members, code.i64(), i));
      emitIteration(op, {vertex, Value(), false}, {});
    });
  }
  case Domain::out_neighbors:
  case Domain::in_neighbors:
  case Domain::children:
    if (op->hasAttr(graph::kGatheredAttrName) && emitGather(op))
      return;
    return emitNeighbors(op, get(op.getCenter()));
  case Domain::levels:
  case Domain::reverse_levels:
    fail(op, "goes level by level in an iteration of a forall, which the lowering of graph programs does not support "
             "yet: use 'for' around it");
  }
}

void Emitter::emitNeighbors(graph::ForallOp op, Lowered center) {
  bool isIn = op.getDomain() == Domain::in_neighbors, isChildren = op.getDomain() == Domain::children;
  Value levelsOf, wanted;
  std::function<void(Lowered, Lowered)> iterate = [&](Lowered element, Lowered edge) {
    emitIteration(op, element, edge);
  };
  auto levelOf = [&](Lowered vertex) {
    if (!vertex.local)
      return fetch(levelsOf, vertex.value, code.i32(), op);
    Value data = code.load(code.pointer(), levelsOf);
    return code.load(code.i32(), code.element(data, code.i32(), vertex.local));
  };
  if (isChildren) {
    levelsOf = code.load(code.pointer(), code.field(getValue(op.getOver()[0]), 8));
    Value own = levelOf(center);
    // A vertex without a level has no children: no level is -2.
    Value isReached = code.compare(Predicate::sge, own, code.integer(0, 32));
    wanted = arith::SelectOp::create(builder, isReached, code.add(own, code.integer(1, 32)), code.integer(-2, 32));
    iterate = [&](Lowered element, Lowered edge) {
      when(code.compare(Predicate::eq, levelOf(element), wanted), [&] { emitIteration(op, element, edge); });
    };
  }
  // An in-edge is stored with its source. Look up its number only if it is used.
  bool usesEdge = false;
  for (Region *region : {&op.getFilter(), &op.getBody()})
    usesEdge |= !region->empty() && !region->getArgument(1).use_empty();
  auto getInEdge = [&](Value source) -> Lowered {
    if (!usesEdge)
      return {code.integer(-1), Value(), false};
    loop->needsSweep = true;
    return {code.call("comm_graph_run_find_edge", code.i64(), {run(), source, center.value, place(op)}), Value(),
            false};
  };
  if (center.isOwned) {
    Value offsets = topology(isIn ? InOffsets : OutOffsets), neighbors = topology(isIn ? InNeighbors : OutNeighbors);
    auto offset = [&](Value at) { return code.load(code.i64(), code.element(offsets, code.i64(), at)); };
    auto neighborAt = [&](Value e) -> Value {
      Value neighbor = code.load(code.i32(), code.element(neighbors, code.i32(), e));
      return arith::ExtUIOp::create(builder, code.i64(), neighbor);
    };
    Value end = offset(code.add(center.local, code.integer(1)));
    Value last = code.sub(end, code.integer(1));
    return count(offset(center.local), end, [&](Value e) {
      if (relaxing) {
        // Whether a neighbor improves is hard to predict, and a wrong prediction delays what follows.
        prefetchRelaxed(neighborAt(code.least(code.add(e, code.integer(Code::kAhead)), last)));
      }
      Value local = neighborAt(e);
      Value global = code.load(code.i32(), code.element(topology(Globals), code.i32(), local));
      Lowered element = {arith::ExtUIOp::create(builder, code.i64(), global), local, false};
      iterate(element, isIn ? getInEdge(element.value) : Lowered{code.add(topology(FirstEdge), e), e, false});
    });
  }
  loop->needsSweep = true;
  Value row = code.call("comm_graph_run_row", code.pointer(), {run(), code.integer(isIn, 32), center.value, place(op)});
  Value size = code.load(code.i64(), row), first = code.load(code.i64(), code.field(row, 8));
  Value neighbors = code.load(code.pointer(), code.field(row, 16));
  count(code.integer(0), size, [&](Value i) {
    Value vertex = code.load(code.i64(), code.element(neighbors, code.i64(), i));
    Lowered edge = isIn ? getInEdge(vertex) : Lowered{code.add(first, i), Value(), false};
    iterate({vertex, Value(), false}, edge);
  });
}

//===----------------------------------------------------------------------===//
// Replicated loops
//===----------------------------------------------------------------------===//

void Emitter::emitReplicated(graph::ForallOp op) {
  switch (op.getDomain()) {
  case Domain::vertices:
    return count(code.integer(0), topology(Vertices),
                 [&](Value vertex) { emitIteration(op, {vertex, Value(), false}, {}); });
  case Domain::edges:
    return count(code.integer(0), topology(Edges), [&](Value edge) { emitIteration(op, {edge, Value(), false}, {}); });
  case Domain::set: {
    Value set = getValue(op.getOver()[0]);
    Value size = code.load(code.i64(), set), members = code.load(code.pointer(), code.field(set, 8));
    return count(code.integer(0), size, [&](Value i) {
      Value vertex = code.load(code.i64(), code.element(members, code.i64(), i));
      emitIteration(op, {vertex, Value(), false}, {});
    });
  }
  case Domain::out_neighbors:
  case Domain::in_neighbors:
  case Domain::children:
    return emitReplicatedNeighbors(op);
  case Domain::levels:
  case Domain::reverse_levels: {
    Value levels = getValue(op.getOver()[0]);
    Value size = code.load(code.i64(), levels);
    Value site = code.integer(nextSite++);
    return count(code.integer(0), size, [&](Value step) {
      Value level = step;
      if (op.getDomain() == Domain::reverse_levels)
        level = code.sub(code.sub(size, code.integer(1)), step);
      Value row = keepRow(code.call("comm_graph_run_shared_level", code.pointer(), {run(), site, levels, level}));
      Value members = code.load(code.pointer(), code.field(row, 16));
      count(code.integer(0), code.load(code.i64(), row), [&](Value i) {
        Value vertex = code.load(code.i64(), code.element(members, code.i64(), i));
        emitIteration(op, {vertex, Value(), false}, {});
      });
      dropRow();
    });
  }
  }
}

void Emitter::emitFixedPoint(graph::FixedPointOp op) {
  if (loop) {
    fail(op, "is a fixed point in an iteration of a forall, which the lowering of graph programs does not support: use "
             "'while'");
    return;
  }
  if (emitRelaxation(op))
    return;
  Value finished = getValue(op.getFinished());
  Value property = op.getProperty() ? getValue(op.getProperty()) : Value();
  auto repeat = scf::WhileOp::create(builder, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&repeat.getBefore());
  Value goesOn = arith::XOrIOp::create(builder, code.load(code.i1(), finished), code.integer(1, 1));
  scf::ConditionOp::create(builder, goesOn, ValueRange());
  builder.createBlock(&repeat.getAfter());
  code.store(code.integer(1, 1), finished);
  emitBlock(op.getBody().front());
  builder.setLoc(op.getLoc());
  if (property) {
    Value mine = code.call("comm_graph_run_any", code.i32(), {property, code.integer(op.getAll(), 32)});
    Value any = code.isTrue(allreduce(mine, "MPI_MAX"));
    when(any, [&] { code.store(code.integer(0, 1), finished); });
  }
  scf::YieldOp::create(builder);
}

//===----------------------------------------------------------------------===//
// Sweeps
//===----------------------------------------------------------------------===//

/// Moves the body into a function, so that an iteration can be aborted and run again.
void Emitter::emitSweep(Value size, llvm::function_ref<void(Value)> item) {
  static constexpr StringLiteral prefix = "comm_graph_sweep_";
  Block *body = code.makeFunction((prefix + Twine(nextSite++)).str(), {code.pointer(), code.pointer(), code.i64()},
                                  /*isPrivate=*/true);
  captured.clear();
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(body);
    sweepEntry = body;
    item(body->getArgument(2));
    sweepEntry = nullptr;
    code.finish(body);
  }
  Value frame = code.allocate(entry, code.i64(), int64_t(captured.size()) + 1);
  for (auto [index, pair] : llvm::enumerate(captured))
    if (!pair.first.getDefiningOp<arith::ConstantOp>())
      code.store(pair.first, code.field(frame, 8 * int64_t(index)));
  // An iteration that continues with missing values could make a while loop infinite.
  bool hasWhile = loop->op->walk([](scf::WhileOp) { return WalkResult::interrupt(); }).wasInterrupted();
  int64_t flags = (hasWhile ? 0 : Probes) | (loop->op->hasAttr(graph::kCachedAttrName) ? Caches : 0);
  code.call("comm_graph_run_sweep", Type(),
            {runValue, code.addressOf(body), frame, code.null(), size, code.integer(flags, 32)});
  captured.clear();
}
