//===- EmitCliques.cpp - Pairwise adjacent vertices -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "Comm/Analysis/Graph/Cliques.h"

using namespace mlir;
using namespace comm;
using namespace comm::graphlowering;
using Predicate = arith::CmpIPredicate;

/// Lets the runtime count if the graph is undirected; otherwise the loops run as they are. Returns false if the loop is
/// not a triangle count.
bool Emitter::emitTriangles(graph::ForallOp op) {
  std::optional<graph::TriangleCount> what = graph::getTriangleCount(op);
  if (!what)
    return false;
  Value isSymmetric = code.isTrue(code.call("comm_graph_run_is_symmetric", code.i32(), {run()}));
  auto branch = scf::IfOp::create(builder, isSymmetric, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitCounted(op, what->accumulate);
  builder.setInsertionPointToStart(branch.elseBlock());
  emitOutermost(op);
  return true;
}

/// Treats the number found by this process as its part of the variable, as if its iterations had added it one by one.
void Emitter::emitCounted(graph::ForallOp op, graph::AccumulateOp accumulate) {
  Loop state;
  state.op = op;
  loop = &state;
  state.begin = arith::ConstantOp::create(builder, builder.getBoolAttr(false));
  state.anchor = arith::ConstantOp::create(builder, builder.getBoolAttr(false));
  Partial *partial = getPartial(accumulate, accumulate.getCell(), accumulate.getKind(), TypedAttr(), {});
  Value found = code.call("comm_graph_run_triangles", code.i64(), {run()}), own = found;
  if (partial->type.isInteger(32))
    own = toFinite(found, partial->type, [&] { stop(StopRange, found, found, "", partial->type, accumulate); });
  code.store(own, partial->memory);
  ++numLoops;
  finishLoop();
  state.anchor->erase();
  state.begin->erase();
  loop = nullptr;
}
