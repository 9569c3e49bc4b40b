//===- EmitRelaxation.cpp - Fixed points that run in any order -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work at an edge becomes a function, and the runtime chooses which vertex comes next (comm_graph_run_relax).
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "Comm/Analysis/Graph/Relaxations.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace comm;
using namespace comm::graphlowering;
using Predicate = arith::CmpIPredicate;

namespace comm::graphlowering {
/// The relaxation that is being emitted.
struct Relaxing {
  graph::Relaxation &what;
  /// The value that a vertex sends, and its key. With rounds, the lower half of the key is the round.
  Value value, key;
  /// Fields of comm_graph_relaxation.
  Value handle, data, marks, improved;

  Type keyType(Code &code) {
    return what.hasTies ? code.i64() : cast<graph::PropertyType>(what.property.getType()).getValueType();
  }
};
} // namespace comm::graphlowering

/// Fields of comm_graph_topology and comm_graph_relaxation.
enum Topology { First = 2, Owned = 3, OutOffsets = 6, InOffsets = 8, InNeighbors, Globals };
enum Field { Marks = 8, Improved = 16, Count = 24, Told = 32 };
/// enum comm_graph_relax_flags.
enum Flag { Max = 1, Rounds = 2, Priority = 4, Join = 8, Each = 16, Forgets = 32, Steps = 64 };

bool Emitter::isRelaxed(Value property) { return relaxing && relaxing->what.property == property; }

Value Emitter::getToldValue() { return relaxing->value; }

//===----------------------------------------------------------------------===//
// An edge
//===----------------------------------------------------------------------===//

/// Returns the new key for a neighbor of the vertex.
Value Emitter::makeCandidate(Value value) {
  if (!relaxing->what.hasTies)
    return value;
  Value high = arith::ShLIOp::create(builder, code.widen(value), code.integer(32));
  Value round = code.add(code.both(relaxing->key, code.integer(0xffffffff)), code.integer(1));
  return code.either(high, round);
}

Value Emitter::isBetter(Value candidate, Value old) {
  bool isMax = relaxing->what.reduce.getKind() == graph::ReductionKind::max;
  return isMax ? less(old, candidate, false) : less(candidate, old, false);
}

void Emitter::addImproved(Value local) {
  Value address = code.field(relaxing->handle, Count);
  Value size = code.load(code.i64(), address);
  Value narrow = arith::TruncIOp::create(builder, code.i32(), local);
  code.store(narrow, code.element(relaxing->improved, code.i32(), size));
  code.store(code.add(size, code.integer(1)), address);
}

/// Fetches the value of a vertex that emitRelax will need.
void Emitter::prefetchRelaxed(Value local) {
  code.prefetch(code.element(relaxing->data, relaxing->keyType(code), local));
}

/// Emits the update of a neighbor if it gets a better value.
void Emitter::emitRelax(graph::ReduceOp op) {
  graph::Relaxation &what = relaxing->what;
  Value local = get(op.getIndex()).local;
  Value candidate = makeCandidate(getValue(op.getValue()));
  Value address = code.element(relaxing->data, candidate.getType(), local);
  Value old = code.load(candidate.getType(), address);
  SmallVector<std::pair<Value, Value>> companions; // the value, and its destination
  for (unsigned index : what.companions) {
    Value given = getValue(op.getCompanionValues()[index]);
    Value data = getData(values.lookup(op.getCompanions()[index]).value);
    companions.emplace_back(given, code.element(data, given.getType(), local));
  }
  auto improve = [&] {
    for (auto [given, to] : companions)
      code.store(given, to);
    Value mark = code.element(relaxing->marks, code.i8(), local);
    Value before = code.load(code.i8(), mark);
    code.store(code.integer(3, 8), mark);
    when(code.compare(Predicate::ult, before, code.integer(2, 8)), [&] { addImproved(local); });
  };
  when(isBetter(candidate, old), [&] {
    code.store(candidate, address);
    improve();
  });
  if (!what.hasTies)
    return;
  when(same(candidate, old), [&] {
    Value isLess = code.integer(0, 1);
    for (auto [given, to] : llvm::reverse(companions)) {
      Value now = code.load(given.getType(), to);
      Value isFirst = less(given, now, given.getType().isInteger(1));
      isLess = code.either(isFirst, code.both(same(given, now), isLess));
    }
    when(isLess, [&] {
      for (auto [given, to] : companions)
        code.store(given, to);
      // Neighbors of an owned vertex only receive values; the owner also needs the companions.
      when(code.compare(Predicate::sge, local, topology(Owned)), improve);
    });
  });
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Creates a function and the frame with values that it uses from the surrounding code.
std::pair<Value, Value> Emitter::makeBody(llvm::function_ref<void(Block *)> write) {
  static constexpr StringLiteral prefix = "comm_graph_relax_";
  Block *body = code.makeFunction((prefix + Twine(nextSite++)).str(),
                                  {code.pointer(), code.pointer(), code.pointer(), code.i64()}, /*isPrivate=*/true);
  captured.clear();
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(body);
    sweepEntry = body;
    relaxing->handle = body->getArgument(0);
    relaxing->data = code.load(code.pointer(), relaxing->handle);
    relaxing->marks = code.load(code.pointer(), code.field(relaxing->handle, Marks));
    relaxing->improved = code.load(code.pointer(), code.field(relaxing->handle, Improved));
    write(body);
    sweepEntry = nullptr;
    code.finish(body);
  }
  Value frame = code.allocate(entry, code.i64(), int64_t(captured.size()) + 1);
  for (auto [index, pair] : llvm::enumerate(captured))
    if (!pair.first.getDefiningOp<arith::ConstantOp>())
      code.store(pair.first, code.field(frame, 8 * int64_t(index)));
  captured.clear();
  return {code.addressOf(body), frame};
}

/// Extracts the value from a key.
static Value getValueOf(Code &code, Value key, bool hasRounds) {
  if (!hasRounds)
    return key;
  Value high = arith::ShRSIOp::create(code.builder, key, code.integer(32));
  return arith::TruncIOp::create(code.builder, code.i32(), high);
}

/// Emits the loop in which marked vertices of a list send to their neighbors.
void Emitter::emitPush(Block *body) {
  graph::ForallOp vertices = relaxing->what.vertices;
  count(code.integer(0), body->getArgument(3), [&](Value item) {
    auto vertexAt = [&](Value item) -> Value {
      Value vertex = code.load(code.i32(), code.element(body->getArgument(2), code.i32(), item));
      return arith::ExtUIOp::create(builder, code.i64(), vertex);
    };
    // Vertices of a list are anywhere in memory.
    Value last = code.sub(body->getArgument(3), code.integer(1));
    Value soon = vertexAt(code.least(code.add(item, code.integer(Code::kAhead)), last));
    code.prefetch(code.element(relaxing->marks, code.i8(), soon));
    code.prefetch(code.element(topology(OutOffsets), code.i64(), soon));
    prefetchRelaxed(soon);
    Value local = vertexAt(item);
    Value address = code.element(relaxing->marks, code.i8(), local);
    Value mark = code.load(code.i8(), address);
    when(code.isTrue(code.both(mark, code.integer(1, 8))), [&] {
      code.store(code.both(mark, code.integer(2, 8)), address);
      Type type = relaxing->keyType(code);
      relaxing->key = code.load(type, code.element(relaxing->data, type, local));
      relaxing->value = getValueOf(code, relaxing->key, relaxing->what.hasTies);
      values[vertices.getElement()] = {code.add(topology(First), local), local, true};
      emitBlock(vertices.getBody().front());
    });
  });
}

/// Emits the loop in which vertices that are worse than the sent value look for a neighbor that sends it.
void Emitter::emitPull(Block *body) {
  graph::Relaxation &what = relaxing->what;
  graph::ReduceOp reduce = what.reduce;
  Type type = relaxing->keyType(code);
  Value front = body->getArgument(2);
  relaxing->key = body->getArgument(3);
  if (type.isInteger(32))
    relaxing->key = arith::TruncIOp::create(builder, type, relaxing->key);
  relaxing->value = getValueOf(code, relaxing->key, what.hasTies);
  // The value that all neighbors receive; it depends on no vertex or edge.
  for (graph::ForallOp loop : {what.vertices, what.neighbors})
    for (Operation &each : loop.getBody().front())
      if (each.hasTrait<OpTrait::ConstantLike>())
        emitOp(&each);
  Operation *sum = reduce.getValue().getDefiningOp();
  if (!isa<graph::LoadOp>(sum))
    for (Value operand : sum->getOperands())
      if (auto load = operand.getDefiningOp<graph::LoadOp>())
        emitOp(load);
  emitOp(sum);
  Value candidate = makeCandidate(getValue(reduce.getValue()));
  code.store(code.widen(candidate), code.field(relaxing->handle, Told));
  Value offsets = topology(InOffsets), neighbors = topology(InNeighbors), globals = topology(Globals);
  auto offset = [&](Value at) { return code.load(code.i64(), code.element(offsets, code.i64(), at)); };
  auto neighborAt = [&](Value e) -> Value {
    return arith::ExtUIOp::create(builder, code.i64(), code.load(code.i32(), code.element(neighbors, code.i32(), e)));
  };
  count(code.integer(0), topology(Owned), [&](Value local) {
    Value address = code.element(relaxing->data, type, local);
    when(isBetter(candidate, code.load(type, address)), [&] {
      Value begin = offset(local), end = offset(code.add(local, code.integer(1)));
      auto search = scf::WhileOp::create(builder, TypeRange(code.i64()), ValueRange(begin));
      {
        OpBuilder::InsertionGuard guard(builder);
        Block *before = builder.createBlock(&search.getBefore(), {}, code.i64(), builder.getLoc());
        Value at = before->getArgument(0);
        Value goesOn = choose(
            code.compare(Predicate::slt, at, end), code.i1(),
            [&]() -> Value {
              Value neighbor = neighborAt(at);
              Value index = arith::ShRUIOp::create(builder, neighbor, code.integer(6));
              Value word = code.load(code.i64(), code.element(front, code.i64(), index));
              Value bit = arith::ShRUIOp::create(builder, word, code.both(neighbor, code.integer(63)));
              return code.compare(Predicate::eq, code.both(bit, code.integer(1)), code.integer(0));
            },
            [&] { return code.integer(0, 1); });
        scf::ConditionOp::create(builder, goesOn, ValueRange(at));
        Block *after = builder.createBlock(&search.getAfter(), {}, code.i64(), builder.getLoc());
        scf::YieldOp::create(builder, code.add(after->getArgument(0), code.integer(1)));
      }
      Value found = search.getResult(0);
      when(code.compare(Predicate::slt, found, end), [&] {
        code.store(candidate, address);
        for (unsigned index : what.companions) {
          Value given = reduce.getCompanionValues()[index],
                data = getData(values.lookup(reduce.getCompanions()[index]).value);
          // Neighbors are in ascending order, so the first one is the smallest.
          Value value = given == what.vertices.getElement()
                            ? Value(arith::ExtUIOp::create(
                                  builder, code.i64(),
                                  code.load(code.i32(), code.element(globals, code.i32(), neighborAt(found)))))
                            : getValue(given);
          code.store(value, code.element(data, value.getType(), local));
        }
        addImproved(local);
      });
    });
  });
}

//===----------------------------------------------------------------------===//
// The fixed point
//===----------------------------------------------------------------------===//

/// Emits a fixed point that passes have marked. Returns false if it cannot run in any order.
bool Emitter::emitRelaxation(graph::FixedPointOp op) {
  std::string reason;
  std::optional<graph::Relaxation> what;
  if (op->hasAttr(graph::kAggregatedAttrName))
    what = graph::getRelaxation(op, reason);
  if (!what)
    return false;
  Value finished = getValue(op.getFinished());
  Value runs = arith::XOrIOp::create(builder, code.load(code.i1(), finished), code.integer(1, 1));
  when(runs, [&] {
    emitRelaxation(op, *what);
    code.store(code.integer(1, 1), finished);
  });
  return true;
}

void Emitter::emitRelaxation(graph::FixedPointOp op, graph::Relaxation &what) {
  auto object = [&](Value property) { return values.lookup(property).value; };
  bool isMax = what.reduce.getKind() == graph::ReductionKind::max;
  int64_t flags =
      (isMax ? Max : 0) | (what.hasTies ? Rounds : 0) | (op->hasAttr(graph::kPrioritizedAttrName) ? Priority : 0) |
      (op->hasAttr(graph::kJoinsAttrName) ? Join : 0) | (what.reduce->hasAttr(graph::kCombinedAttrName) ? 0 : Each) |
      (what.reduce->hasAttr(graph::kCopiedAttrName) ? 0 : Forgets) | (what.edgeStep || what.uniformStep ? Steps : 0);
  Loop state;
  state.op = what.vertices;
  Operation *begin = arith::ConstantOp::create(builder, builder.getBoolAttr(false));
  state.begin = begin;
  state.anchor = arith::ConstantOp::create(builder, builder.getBoolAttr(false));
  Relaxing current = {what, {}, {}, {}, {}, {}, {}};
  loop = &state;
  relaxing = &current;
  SmallVector<Value> companions;
  for (unsigned index : what.companions)
    companions.push_back(object(what.reduce.getCompanions()[index]));
  Value handle = code.call("comm_graph_run_relaxation", code.pointer(),
                           {runValue, code.integer(nextSite++), code.integer(flags, 32), object(what.property),
                            object(what.active), code.integer(int64_t(companions.size())),
                            companions.empty() ? code.null() : makeSlots(companions)});
  auto [push, pushFrame] = makeBody([&](Block *body) { emitPush(body); });
  Value pull = code.null(), pullFrame = pull;
  if (op->hasAttr(graph::kPullsAttrName) && what.isUniform)
    std::tie(pull, pullFrame) = makeBody([&](Block *body) { emitPull(body); });
  loop = nullptr;
  relaxing = nullptr;
  if (failed)
    return;
  assert(!state.needsSweep && "a relaxation reads what is at hand");
  ++numLoops;
  Value steps = what.edgeStep ? object(what.edgeStep) : code.null(), step = code.integer(0);
  APInt constant;
  if (what.uniformStep && matchPattern(what.uniformStep, m_ConstantInt(&constant)))
    step = code.integer(constant.getSExtValue());
  else if (what.uniformStep && what.uniformStep.getType().isInteger())
    step = code.widen(getValue(what.uniformStep));
  Value sum = what.isExactSum ? place(what.reduce.getValue().getDefiningOp()) : code.null();
  code.call("comm_graph_run_relax", Type(),
            {handle, object(what.next), push, pushFrame, pull, pullFrame, steps, step, sum});
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(begin);
    for (Value property : llvm::make_first_range(state.refreshed))
      code.call("comm_graph_run_refresh", Type(), property);
  }
  state.anchor->erase();
  begin->erase();
}
