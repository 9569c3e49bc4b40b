//===- EmitRows.cpp - Neighbors of one vertex, known to all processes -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "Comm/Analysis/Graph/Accesses.h"

using namespace mlir;
using namespace comm;
using namespace comm::graphlowering;
using graph::Domain;
using Predicate = arith::CmpIPredicate;

/// Fields of comm_graph_topology.
enum Topology { First = 2, Owned = 3, FirstEdge = 5 };

/// Returns an access to a property of `element` that an iteration accesses in two ways, or null.
static Operation *findMixed(graph::ForallOp loop, graph::Element element) {
  llvm::DenseMap<Value, graph::PlacedAccess> first;
  for (const graph::PlacedAccess &each : graph::getAccesses(loop)) {
    auto type = dyn_cast<graph::PropertyType>(each.access.object.getType());
    if (!type || type.getOf() != element || each.place == graph::Place::Other || each.place == graph::Place::Center)
      continue;
    auto [found, isNew] = first.try_emplace(each.access.object, each);
    const graph::Access &before = found->second.access;
    if (!isNew && (before.kind != each.access.kind || before.reduction != each.access.reduction))
      return each.op;
  }
  return nullptr;
}

/// Whether the process that owns a neighbor must run its iteration. Updates of other processes' vertices only arrive
/// after the loop, so an iteration that also reads them, or updates them in another way, must run where the vertex is.
bool Emitter::sharesNeighbors(graph::ForallOp op) { return findMixed(op, graph::Element::vertex); }

/// The owner of the vertex tells all other processes the vertex's neighbors.
Emitter::SharedRow Emitter::emitSharedRow(graph::ForallOp op) {
  bool isIn = op.getDomain() == Domain::in_neighbors;
  Value center = getValue(op.getCenter());
  Value row = code.call("comm_graph_run_shared_row", code.pointer(),
                        {run(), code.integer(nextSite++), code.integer(isIn, 32), center, place(op)});
  if (op.getOrdered())
    row = keepRow(row);
  SharedRow shared = {center, code.load(code.i64(), row), code.load(code.i64(), code.field(row, 8)),
                      code.load(code.pointer(), code.field(row, 16)), Value()};
  // A vertex without a level has no children: no level is -2.
  if (op.getDomain() == Domain::children) {
    Value own = askLevel(op, center);
    Value isReached = code.compare(Predicate::sge, own, code.integer(0, 32));
    shared.level =
        arith::SelectOp::create(builder, isReached, code.add(own, code.integer(1, 32)), code.integer(-2, 32));
  }
  return shared;
}

/// In a recursive function, the loop around the call continues afterwards and needs a row of its own.
Value Emitter::keepRow(Value row) {
  return isCalled ? code.call("comm_graph_run_keep_row", code.pointer(), {run(), row}) : row;
}

void Emitter::dropRow() {
  if (isCalled)
    code.call("comm_graph_run_drop_row", Type(), run());
}

/// For code outside of loops.
Value Emitter::askLevel(graph::ForallOp op, Value vertex) {
  Value of = code.load(code.pointer(), code.field(getValue(op.getOver()[0]), 8));
  Value memory = code.allocate(entry, code.i32());
  code.call("comm_graph_run_get", Type(), {of, vertex, memory});
  return askOwner(op, /*isEdge=*/false, vertex, code.load(code.i32(), memory), code.i32());
}

static bool usesEdge(graph::ForallOp op) {
  for (Region *region : {&op.getFilter(), &op.getBody()})
    if (!region->empty() && !region->getArgument(1).use_empty())
      return true;
  return false;
}

void Emitter::emitReplicatedNeighbors(graph::ForallOp op) {
  SharedRow row = emitSharedRow(op);
  count(code.integer(0), row.size, [&](Value i) {
    Value vertex = code.load(code.i64(), code.element(row.neighbors, code.i64(), i));
    Value edge = code.add(row.firstEdge, i);
    if (op.getDomain() == Domain::in_neighbors && usesEdge(op)) {
      Value own = code.call("comm_graph_run_own_find_edge", code.i64(), {run(), vertex, row.center});
      edge = askOwner(op, /*isEdge=*/false, vertex, own, code.i64());
    }
    auto body = [&] { emitIteration(op, {vertex, Value(), false}, {edge, Value(), false}); };
    if (!row.level)
      return body();
    when(code.compare(Predicate::eq, askLevel(op, vertex), row.level), body);
  });
  dropRow();
}

/// Each neighbor is visited by the process that owns it.
void Emitter::emitSharedNeighbors(graph::ForallOp op) {
  if (Operation *where = findMixed(op, graph::Element::edge)) {
    fail(where,
         "changes an edge and also accesses it in another way, in a forall that does the same with a vertex, which "
         "the lowering of graph programs does not support: use two loops");
    return;
  }
  SharedRow row = emitSharedRow(op);
  Value levelsOf;
  if (row.level)
    levelsOf = code.load(code.pointer(), code.load(code.pointer(), code.field(getValue(op.getOver()[0]), 8)));
  emitParallel(op, row.size, [&](Value item) {
    Value vertex = code.load(code.i64(), code.element(here(row.neighbors), code.i64(), item));
    Value local = code.sub(vertex, topology(First));
    when(code.compare(Predicate::ult, local, topology(Owned)), [&] {
      Lowered edge = {code.add(here(row.firstEdge), item), Value(), false};
      if (op.getDomain() == Domain::in_neighbors && usesEdge(op)) {
        Value number = code.call("comm_graph_run_find_edge", code.i64(), {run(), vertex, here(row.center), place(op)});
        edge = {number, code.sub(number, topology(FirstEdge)), false};
      }
      auto body = [&] { emitIteration(op, {vertex, local, true}, edge); };
      if (!row.level)
        return body();
      Value level = code.load(code.i32(), code.element(here(levelsOf), code.i32(), local));
      when(code.compare(Predicate::eq, level, here(row.level)), body);
    });
  });
}
