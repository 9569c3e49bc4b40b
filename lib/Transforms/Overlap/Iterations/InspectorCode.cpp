//===- InspectorCode.cpp - The code of inspectors --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   if (0 < count)
//     if (a kept result is for the same numbers) low, high = result
//     else for (i < count)                       // only the address computation of the loop
//            for each address of iteration i: touched |= it is in a range
//          result = the longest part of [0, count) without a touched iteration
//
// Two results are kept, for the two most recent sets of numbers, since swapped arrays alternate. The state is in
// variables of the function, which clang promotes to registers.
//
//===----------------------------------------------------------------------===//

#include "Iterations/Inspector.h"

#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/MPI/Markers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace comm;

/// Stop inspecting after this many misses in a row: inspections would cost as much as they save.
static constexpr int64_t kMostMisses = 4;
/// An interior below this fraction of the iterations is not worth two loops.
static constexpr int64_t kLeastPart = 8;
/// Members of one structure are not farther apart than this.
static constexpr int64_t kMostDistance = int64_t(1) << 20;

namespace {
class Emitter {
public:
  Emitter(const Inspection &inspection, ArrayRef<std::pair<Value, Value>> notes)
      : inspection(inspection), slice(*inspection.slice), notes(notes), builder(inspection.unit.op),
        loc(inspection.unit.op->getLoc()), i64(builder.getI64Type()), i1(builder.getI1Type()) {}
  Operation *run(bool asks, Value &low, Value &high);

private:
  struct Range {
    Value low, high;
  };
  /// The bytes [begin, end), relative to the pointer, that accesses of one block touch.
  struct Touched {
    Value pointer;
    int64_t begin, end;
  };

  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(value));
  }
  Value truth(bool value) { return LLVM::ConstantOp::create(builder, loc, i1, builder.getBoolAttr(value)); }
  Value compare(LLVM::ICmpPredicate predicate, Value a, Value b) {
    return LLVM::ICmpOp::create(builder, loc, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) { return LLVM::SelectOp::create(builder, loc, condition, a, b); }
  Value both(Value a, Value b) { return LLVM::AndOp::create(builder, loc, a, b); }
  Value either(Value a, Value b) { return LLVM::OrOp::create(builder, loc, a, b); }
  Value add(Value a, Value b) { return LLVM::AddOp::create(builder, loc, a, b); }
  Value load(Value variable, Type type) { return LLVM::LoadOp::create(builder, loc, type, variable); }
  Value load(Value variable) { return load(variable, i64); }
  void store(Value value, Value variable) { LLVM::StoreOp::create(builder, loc, value, variable); }
  Block *makeBlock(Block *before) {
    auto *block = new Block();
    before->getParent()->getBlocks().insert(Region::iterator(before), block);
    return block;
  }
  /// A kept result, in variables: whether there is one, for which numbers, and the interior.
  struct Kept {
    Value isThere, low, high;
    SmallVector<Value> keys;
    /// The address range from which each load of the slice has read.
    SmallVector<Range> loads;
  };

  Value makeVariable(Type type);
  Kept makeKept(unsigned numKeys);
  void makeVariables();
  void forget();
  void forgetResults();
  void forgetAtStarts();
  Range getKeptRange(const Kept &kept, unsigned range);
  Value isOfNow(const Kept &kept, ArrayRef<Value> keys);
  void exchangeResults();
  Value readsNothingOf(const Kept &kept, const Range &range);
  Value isApartFrom(const Kept &reader, const Kept &other);
  Range computeRange(const InspectedRange &range, unsigned index);
  SmallVector<Value> computeKeys();
  Value toNumber(Value value);
  Value meets(const Touched &bytes, ArrayRef<unsigned> which);
  void joinAccesses();
  void copySlice(Block *finish, Block *fail);
  void copyBlock(Block *block, Block *fail);
  void noteLoad(LLVM::LoadOp op, const Range &read);
  void endIteration();
  void copyTerminator(Block *block, Block *finish);

  const Inspection &inspection;
  const UnitSlice &slice;
  ArrayRef<std::pair<Value, Value>> notes;
  OpBuilder builder;
  Location loc;
  Type i64, i1;
  Kept latest, former;
  /// How many times in a row the numbers were new.
  Value misses;
  /// State of one inspection.
  Value number, isTouched, isForbidden, runBegin, bestLow, bestHigh;
  SmallVector<Range> ranges;
  IRMapping map;
  SmallVector<Block *> made;
  DenseMap<Operation *, const InspectedAccess *> asked;
  DenseMap<Operation *, Touched> touched;
};
} // namespace

Value Emitter::makeVariable(Type type) {
  OpBuilder::InsertionGuard guard(builder);
  auto function = inspection.unit.op->getParentOfType<LLVM::LLVMFuncOp>();
  builder.setInsertionPointToStart(&function.getBody().front());
  return LLVM::AllocaOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), type, constant(1));
}

Emitter::Kept Emitter::makeKept(unsigned numKeys) {
  Kept kept{makeVariable(i1), makeVariable(i64), makeVariable(i64), {}, {}};
  for (unsigned i = 0; i < numKeys; ++i)
    kept.keys.push_back(makeVariable(i64));
  for (unsigned i = 0; i < slice.getLoads().size(); ++i)
    kept.loads.push_back({makeVariable(i64), makeVariable(i64)});
  return kept;
}

void Emitter::makeVariables() {
  for (Value *variable : {&misses, &number, &runBegin, &bestLow, &bestHigh})
    *variable = makeVariable(i64);
  for (Value *variable : {&isTouched, &isForbidden})
    *variable = makeVariable(i1);
  unsigned numKeys = inspection.keys.size() + 2 * inspection.ranges.size();
  latest = makeKept(numKeys);
  former = makeKept(numKeys);
}

void Emitter::forget() {
  Value no = truth(false);
  store(no, latest.isThere);
  store(no, former.isThere);
}

/// Invalidates the results on entry to the loop that keeps them and at operations that may change their inputs.
void Emitter::forgetResults() {
  OpBuilder::InsertionGuard guard(builder);
  DominanceInfo dominance(inspection.unit.op->getParentOfType<FunctionOpInterface>());
  for (Block *before : inspection.around->getPredecessors())
    if (!dominance.dominates(inspection.around, before)) {
      builder.setInsertionPoint(before->getTerminator());
      forget();
      store(constant(0), misses);
    }
  // Before a call, which may not return here: nothing uses the result while it runs.
  for (Operation *op : inspection.forgetting) {
    builder.setInsertionPoint(op);
    forget();
  }
}

Emitter::Range Emitter::getKeptRange(const Kept &kept, unsigned range) {
  size_t first = inspection.keys.size() + 2 * range;
  return {load(kept.keys[first]), load(kept.keys[first + 1])};
}

/// Returns whether all inputs of the result are disjoint from the range. (A result without an interior is always valid,
/// so it does not matter what a failed inspection has not read.)
Value Emitter::readsNothingOf(const Kept &kept, const Range &range) {
  Value result = compare(LLVM::ICmpPredicate::ugt, range.low, range.high); // empty
  Value isApart = truth(true);
  for (const Range &read : kept.loads) {
    Value isBefore = compare(LLVM::ICmpPredicate::ule, load(read.high), range.low);
    isApart = both(isApart, either(isBefore, compare(LLVM::ICmpPredicate::ule, range.high, load(read.low))));
  }
  return either(result, isApart);
}

/// Invalidates results at starts of messages that they do not cover and that overlap their inputs: an exception may
/// bypass the comparison of all numbers.
void Emitter::forgetAtStarts() {
  OpBuilder::InsertionGuard guard(builder);
  for (auto [index, range] : llvm::enumerate(inspection.ranges)) {
    if (!range.start)
      continue;
    builder.setInsertionPoint(range.start);
    Range message{load(notes[index].first), load(notes[index].second)};
    for (const Kept *kept : {&latest, &former}) {
      Range known = getKeptRange(*kept, index);
      Value isIn = both(compare(LLVM::ICmpPredicate::uge, message.low, known.low),
                        compare(LLVM::ICmpPredicate::ule, message.high, known.high));
      store(both(load(kept->isThere, i1), either(isIn, readsNothingOf(*kept, message))), kept->isThere);
    }
  }
}

/// Returns whether the result belongs to these numbers.
Value Emitter::isOfNow(const Kept &kept, ArrayRef<Value> keys) {
  Value isSame = load(kept.isThere, i1);
  for (auto [variable, key] : llvm::zip_equal(kept.keys, keys))
    isSame = both(isSame, compare(LLVM::ICmpPredicate::eq, load(variable), key));
  return isSame;
}

void Emitter::exchangeResults() {
  auto exchange = [&](Value a, Value b, Type type) {
    Value ofA = load(a, type), ofB = load(b, type);
    store(ofA, b);
    store(ofB, a);
  };
  exchange(latest.isThere, former.isThere, i1);
  exchange(latest.low, former.low, i64);
  exchange(latest.high, former.high, i64);
  for (auto [a, b] : llvm::zip_equal(latest.keys, former.keys))
    exchange(a, b, i64);
  for (auto [a, b] : llvm::zip_equal(latest.loads, former.loads)) {
    exchange(a.low, b.low, i64);
    exchange(a.high, b.high, i64);
  }
}

/// Returns whether the inputs of one result are disjoint from all ranges of the other, so that what the loop writes
/// then does not change them.
Value Emitter::isApartFrom(const Kept &reader, const Kept &other) {
  Value result = truth(true);
  for (unsigned index = 0; index < inspection.ranges.size(); ++index)
    result = both(result, readsNothingOf(reader, getKeptRange(other, index)));
  return result;
}

Value Emitter::toNumber(Value value) {
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    return LLVM::PtrToIntOp::create(builder, loc, i64, value);
  return value.getType() == i64 ? value : LLVM::ZExtOp::create(builder, loc, i64, value).getResult();
}

/// Returns the addresses from the first byte up to the end, exclusively; empty ranges end before they begin.
Emitter::Range Emitter::computeRange(const InspectedRange &range, unsigned index) {
  if (range.start)
    return {load(notes[index].first), load(notes[index].second)};
  Value base = range.piece.base.pointer;
  if (!base)
    base = LLVM::AddressOfOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
                                     range.piece.base.global.getValue());
  Value address = toNumber(LLVM::FreezeOp::create(builder, loc, base));
  Materializer code(builder, loc);
  auto compute = [&](const Expr &expr) {
    return add(address, LLVM::TruncOp::create(builder, loc, i64, code.get(expr)));
  };
  Value low = compute(range.piece.getBegin()), high = compute(range.piece.getEnd());
  Value holds = code.get(range.piece.holds);
  return {select(holds, low, constant(0)), select(holds, high, constant(-1))};
}

/// Returns everything that the result depends on and that may change in the loop that keeps it.
SmallVector<Value> Emitter::computeKeys() {
  SmallVector<Value> keys;
  for (Value input : inspection.keys)
    keys.push_back(toNumber(LLVM::FreezeOp::create(builder, loc, input)));
  for (auto [index, range] : llvm::enumerate(inspection.ranges)) {
    ranges.push_back(computeRange(range, index));
    keys.push_back(ranges.back().low);
    keys.push_back(ranges.back().high);
  }
  return keys;
}

//===----------------------------------------------------------------------===//
// The copy
//===----------------------------------------------------------------------===//

static SmallVector<unsigned, 4> getUnique(ArrayRef<unsigned> numbers) {
  SmallVector<unsigned, 4> unique(numbers);
  llvm::sort(unique);
  unique.erase(llvm::unique(unique), unique.end());
  return unique;
}

/// Returns whether any of the bytes is in one of the ranges.
Value Emitter::meets(const Touched &bytes, ArrayRef<unsigned> which) {
  Value address = LLVM::PtrToIntOp::create(builder, loc, i64, bytes.pointer);
  Value first = bytes.begin ? add(address, constant(bytes.begin)) : address, last = add(address, constant(bytes.end));
  Value result;
  for (unsigned index : which) {
    Value isHere = both(compare(LLVM::ICmpPredicate::ult, first, ranges[index].high),
                        compare(LLVM::ICmpPredicate::ugt, last, ranges[index].low));
    result = result ? either(result, isHere) : isHere;
  }
  return result;
}

/// Returns true if the type occupies exactly as many bits in memory as it has.
static bool isPlain(Type type) {
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 8 && llvm::isPowerOf2_32(type.getIntOrFloatBitWidth());
}

/// Returns the pointer to which constants are added, and their sum.
static std::pair<Value, int64_t> getRoot(Value pointer) {
  int64_t offset = 0;
  while (auto gep = pointer.getDefiningOp<LLVM::GEPOp>()) {
    llvm::APInt index;
    auto indices = gep.getIndices();
    if (indices.size() != 1 || !isPlain(gep.getElemType()))
      break;
    auto value = dyn_cast<Value>(indices[0]);
    if (value && !matchPattern(value, m_ConstantInt(&index)))
      break;
    int64_t number = value ? index.getSExtValue() : cast<IntegerAttr>(indices[0]).getInt();
    int64_t size = DataLayout::closest(gep).getTypeSize(gep.getElemType()).getFixedValue();
    if (std::abs(number) > kMostDistance || std::abs(offset) > kMostDistance)
      break;
    offset += number * size;
    pointer = gep.getBase();
  }
  return {pointer, offset};
}

/// Computes what accesses touch. Adjacent accesses (`position[3 * j]`, `position[3 * j + 1]`) with the same checks are
/// checked together, at the first of them. Loads of the slice are not joined, since they wait for the result of their
/// check.
void Emitter::joinAccesses() {
  for (const InspectedAccess &access : inspection.accesses) {
    auto load = dyn_cast<LLVM::LoadOp>(access.op);
    Value pointer = access.getPointer();
    Type type = load ? load.getType() : cast<LLVM::StoreOp>(access.op).getValue().getType();
    int64_t size = DataLayout::closest(access.op).getTypeSize(type).getFixedValue();
    touched[access.op] = {pointer, 0, size};
    auto [root, offset] = getRoot(pointer);
    auto isJoined = [&, root = root, offset = offset](const InspectedAccess &first) {
      auto it = asked.find(first.op);
      if (it == asked.end() || first.op->getBlock() != access.op->getBlock() || slice.contains(first.op) ||
          slice.contains(access.op) || getUnique(first.avoided) != getUnique(access.avoided) ||
          getUnique(first.forbidden) != getUnique(access.forbidden))
        return false;
      auto [firstRoot, firstOffset] = getRoot(touched[first.op].pointer);
      Touched &known = touched[first.op];
      int64_t begin = offset - firstOffset;
      if (firstRoot != root || begin > known.end || begin + size < known.begin)
        return false;
      known = {known.pointer, std::min(known.begin, begin), std::max(known.end, begin + size)};
      return true;
    };
    if (llvm::none_of(inspection.accesses, isJoined))
      asked[access.op] = &access;
  }
}

void Emitter::copyBlock(Block *block, Block *fail) {
  for (Operation &op : block->without_terminator()) {
    const InspectedAccess *access = asked.lookup(&op);
    if (access && !access->avoided.empty())
      store(either(load(isTouched, i1), meets(touched.lookup(&op), getUnique(access->avoided))), isTouched);
    if (access && !access->forbidden.empty()) {
      Value isHit = meets(touched.lookup(&op), getUnique(access->forbidden));
      // Do not load what is in flight: it could lead anywhere.
      if (slice.contains(&op)) {
        Block *next = makeBlock(fail);
        made.push_back(next);
        LLVM::CondBrOp::create(builder, loc, isHit, fail, ValueRange(), next, ValueRange());
        builder.setInsertionPointToEnd(next);
      } else {
        store(either(load(isForbidden, i1), isHit), isForbidden);
      }
    }
    if (!slice.contains(&op))
      continue;
    builder.clone(op, map);
    if (const auto *read = llvm::find(slice.getLoads(), &op); read != slice.getLoads().end())
      noteLoad(cast<LLVM::LoadOp>(op), latest.loads[read - slice.getLoads().begin()]);
  }
}

void Emitter::noteLoad(LLVM::LoadOp op, const Range &read) {
  Value first = LLVM::PtrToIntOp::create(builder, loc, i64, op.getAddr());
  Value end = add(first, constant(DataLayout::closest(op).getTypeSize(op.getType()).getFixedValue()));
  store(LLVM::UMinOp::create(builder, loc, load(read.low), first), read.low);
  store(LLVM::UMaxOp::create(builder, loc, load(read.high), end), read.high);
}

/// Updates the longest run of iterations that touch nothing.
void Emitter::endIteration() {
  Value next = add(load(number), constant(1)), touched = load(isTouched, i1), begin = load(runBegin);
  Value low = load(bestLow), high = load(bestHigh);
  begin = select(touched, next, begin);
  Value length = LLVM::SubOp::create(builder, loc, next, begin), best = LLVM::SubOp::create(builder, loc, high, low);
  Value isBetter = compare(LLVM::ICmpPredicate::ugt, length, best);
  store(select(isBetter, begin, low), bestLow);
  store(select(isBetter, next, high), bestHigh);
  store(begin, runBegin);
  store(next, number);
  store(truth(false), isTouched);
}

void Emitter::copyTerminator(Block *block, Block *finish) {
  Operation *terminator = block->getTerminator();
  auto getTarget = [&](Block *target) { return target == inspection.unit.join ? finish : map.lookup(target); };
  auto getOperands = [&](Block *target, OperandRange operands) {
    SmallVector<Value> kept;
    if (target != inspection.unit.join)
      for (auto [argument, operand] : llvm::zip_equal(target->getArguments(), operands))
        if (slice.contains(argument))
          kept.push_back(operand);
    return kept;
  };
  if (Block *shortcut = slice.getShortcut(block)) {
    LLVM::BrOp::create(builder, loc, ValueRange(), getTarget(shortcut));
    return;
  }
  if (auto branch = dyn_cast<LLVM::BrOp>(terminator)) {
    LLVM::BrOp::create(builder, loc, getOperands(branch.getDest(), branch.getDestOperands()),
                       getTarget(branch.getDest()));
    return;
  }
  auto branch = cast<LLVM::CondBrOp>(terminator);
  LLVM::CondBrOp::create(builder, loc, branch.getCondition(), getTarget(branch.getTrueDest()),
                         getOperands(branch.getTrueDest(), branch.getTrueDestOperands()),
                         getTarget(branch.getFalseDest()),
                         getOperands(branch.getFalseDest(), branch.getFalseDestOperands()));
}

void Emitter::copySlice(Block *finish, Block *fail) {
  joinAccesses();
  SmallVector<Block *> blocks = slice.getBlocks();
  for (Block *block : blocks) {
    Block *copy = makeBlock(fail);
    made.push_back(copy);
    map.map(block, copy);
    for (BlockArgument argument : block->getArguments())
      if (slice.contains(argument))
        map.map(argument, copy->addArgument(argument.getType(), argument.getLoc()));
  }
  // The unit's own branch, at the builder's position.
  copyTerminator(inspection.unit.op->getBlock(), finish);
  for (Block *block : blocks) {
    builder.setInsertionPointToEnd(map.lookup(block));
    copyBlock(block, fail);
    if (block == inspection.loop.latch)
      endIteration();
    copyTerminator(block, finish);
  }
  // Values of later blocks had no copy yet.
  for (Block *block : made)
    for (Operation &op : *block)
      for (OpOperand &operand : op.getOpOperands())
        operand.set(map.lookupOrDefault(operand.get()));
}

//===----------------------------------------------------------------------===//
// The whole inspector
//===----------------------------------------------------------------------===//

Operation *Emitter::run(bool asks, Value &low, Value &high) {
  makeVariables();
  forgetResults();
  Operation *entry = inspection.unit.op;
  Block *before = entry->getBlock(), *after = before->splitBlock(entry);
  low = after->addArgument(i64, loc);
  high = after->addArgument(i64, loc);
  Block *check = makeBlock(after), *other = makeBlock(after), *hit = makeBlock(after), *idle = makeBlock(after),
        *miss = makeBlock(after), *give = makeBlock(after), *inspect = makeBlock(after), *finish = makeBlock(after),
        *fail = makeBlock(after), *keep = makeBlock(after);
  Value keptLow = keep->addArgument(i64, loc), keptHigh = keep->addArgument(i64, loc);
  auto leave = [&](Value first, Value last) { LLVM::BrOp::create(builder, loc, ValueRange{first, last}, after); };

  builder.setInsertionPointToEnd(before);
  Value mayRun = Predicate::lessOrEqual(Expr(1), inspection.loop.count).materialize(builder, loc);
  // Within a node the loop runs whole, whatever the result would be.
  if (asks)
    mayRun = both(mayRun, askRuntime(builder, loc, mpi::kAskSpansNodes));
  Operation *branch = LLVM::CondBrOp::create(builder, loc, mayRun, check, ValueRange(), idle, ValueRange());
  // Nothing compares what is received now, so invalidate the results.
  builder.setInsertionPointToEnd(idle);
  forget();
  leave(constant(0), constant(0));

  builder.setInsertionPointToEnd(check);
  SmallVector<Value> keys = computeKeys();
  forgetAtStarts();
  LLVM::CondBrOp::create(builder, loc, isOfNow(latest, keys), hit, ValueRange(), other, ValueRange());
  builder.setInsertionPointToEnd(other);
  exchangeResults();
  LLVM::CondBrOp::create(builder, loc, isOfNow(latest, keys), hit, ValueRange(), miss, ValueRange());
  builder.setInsertionPointToEnd(hit);
  store(constant(0), misses);
  leave(load(latest.low), load(latest.high));

  builder.setInsertionPointToEnd(miss);
  Value count = add(load(misses), constant(1));
  store(count, misses);
  LLVM::CondBrOp::create(builder, loc, compare(LLVM::ICmpPredicate::ugt, count, constant(kMostMisses)), give,
                         ValueRange(), inspect, ValueRange());
  builder.setInsertionPointToEnd(give);
  forget();
  store(constant(kMostMisses), misses);
  leave(constant(0), constant(0));

  builder.setInsertionPointToEnd(inspect);
  for (Value variable : {number, runBegin, bestLow, bestHigh})
    store(constant(0), variable);
  for (Value variable : {isTouched, isForbidden, latest.isThere})
    store(truth(false), variable);
  for (const Range &read : latest.loads) {
    store(constant(-1), read.low);
    store(constant(0), read.high);
  }
  // The first branch of the copy is that of the unit, which follows the generated code.
  builder.setInsertionPointToEnd(inspect);
  copySlice(finish, fail);

  builder.setInsertionPointToEnd(finish);
  Value first = load(bestLow), last = load(bestHigh), length = LLVM::SubOp::create(builder, loc, last, first);
  Value least = LLVM::UDivOp::create(builder, loc, load(number), constant(kLeastPart));
  Value isSome = compare(LLVM::ICmpPredicate::ugt, length, least), isBad = load(isForbidden, i1), zero = constant(0);
  isSome = select(isBad, truth(false), isSome);
  LLVM::BrOp::create(builder, loc, ValueRange{select(isSome, first, zero), select(isSome, last, zero)}, keep);
  // A block without predecessors would count as an entry into a unit from outside.
  if (fail->hasNoPredecessors()) {
    fail->erase();
  } else {
    builder.setInsertionPointToEnd(fail);
    Value none = constant(0);
    LLVM::BrOp::create(builder, loc, ValueRange{none, none}, keep);
  }

  builder.setInsertionPointToEnd(keep);
  for (auto [variable, key] : llvm::zip_equal(latest.keys, keys))
    store(key, variable);
  store(keptLow, latest.low);
  store(keptHigh, latest.high);
  store(truth(true), latest.isThere);
  Value areApart = both(isApartFrom(latest, former), isApartFrom(former, latest));
  store(both(load(former.isThere, i1), areApart), former.isThere);
  leave(keptLow, keptHigh);
  return branch;
}

/// Makes the start record which bytes are in flight: from the lowest to the highest address of all that it starts until
/// control enters its unit again.
InspectorCode::Note InspectorCode::getNote(const InspectedRange &range) {
  auto [it, isNew] = notes.try_emplace({range.buffer.getAsOpaquePointer(), range.start, range.home});
  Note &note = it->second;
  if (!isNew)
    return note;
  OpBuilder builder(range.start);
  Location loc = range.start->getLoc();
  Type i64 = builder.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(value));
  };
  auto compare = [&](LLVM::ICmpPredicate predicate, Value a, Value b) -> Value {
    return LLVM::ICmpOp::create(builder, loc, predicate, a, b);
  };
  auto function = range.start->getParentOfType<LLVM::LLVMFuncOp>();
  builder.setInsertionPointToStart(&function.getBody().front());
  for (Value *variable : {&note.low, &note.high})
    *variable =
        LLVM::AllocaOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), i64, constant(1));
  if (range.home)
    builder.setInsertionPoint(range.home);
  LLVM::StoreOp::create(builder, loc, constant(-1), note.low);
  LLVM::StoreOp::create(builder, loc, constant(0), note.high);
  builder.setInsertionPoint(range.start);
  Value count = range.count, zero = constant(0);
  if (count.getType() != i64)
    count = LLVM::SExtOp::create(builder, loc, i64, count);
  Value first = LLVM::PtrToIntOp::create(builder, loc, i64, range.buffer);
  Value size = LLVM::MulOp::create(builder, loc, count, constant(range.extent));
  Value last = LLVM::AddOp::create(builder, loc, first, size);
  Value isSome = compare(LLVM::ICmpPredicate::sgt, count, zero);
  auto widen = [&](Value variable, Value address, LLVM::ICmpPredicate isBeyond) {
    Value known = LLVM::LoadOp::create(builder, loc, i64, variable);
    Value isNew = LLVM::AndOp::create(builder, loc, isSome, compare(isBeyond, address, known));
    LLVM::StoreOp::create(builder, loc, LLVM::SelectOp::create(builder, loc, isNew, address, known), variable);
  };
  widen(note.low, first, LLVM::ICmpPredicate::ult);
  widen(note.high, last, LLVM::ICmpPredicate::ugt);
  return note;
}

Operation *InspectorCode::emit(const Inspection &inspection, bool asks, Value &low, Value &high) {
  SmallVector<std::pair<Value, Value>> variables;
  for (const InspectedRange &range : inspection.ranges) {
    Note note = range.start ? getNote(range) : Note();
    variables.push_back({note.low, note.high});
  }
  return Emitter(inspection, variables).run(asks, low, high);
}
