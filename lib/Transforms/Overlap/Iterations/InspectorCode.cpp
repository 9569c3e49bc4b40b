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
#include "Iterations/InspectorSweeps.h"

#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/MPI/Markers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace comm;

/// Stop inspecting after this many misses in a row: inspections would cost as much as they save.
static constexpr int64_t kMostMisses = 4;
/// An interior below this fraction of the iterations is not worth two loops.
static constexpr int64_t kLeastPart = 8;
/// How many parts an interior may have. More would take more of the stack.
static constexpr int64_t kMostRuns = 2048;
/// Members of one structure are not farther apart than this.
static constexpr int64_t kMostDistance = int64_t(1) << 20;

namespace {
class Emitter {
public:
  Emitter(const Inspection &inspection, ArrayRef<std::pair<Value, Value>> notes)
      : inspection(inspection), slice(*inspection.slice), notes(notes), builder(inspection.unit.op),
        loc(inspection.unit.op->getLoc()), i64(builder.getI64Type()), i1(builder.getI1Type()) {}
  Operation *run(bool asks, InspectedInterior &interior);

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
  /// What an inspection finds: the interior, the number of its parts, and where these are in the memory for them.
  struct Found {
    Value low, high, numRuns, place;
  };
  /// A kept result, in variables: whether there is one, for which numbers, and the interior.
  struct Kept {
    Value isThere;
    Found found;
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
  Found inspect(Value place, Block *after);
  void makeMeasurements();
  void inspectUnlessKept(Block *after);
  Value toNumber(Value value);
  /// What an inner loop accesses in a form that is compared in front of it, or by its index.
  struct InnerAccesses {
    InnerLoop loop;
    SmallVector<std::pair<const InspectedAccess *, Sweep>> sweeps;
    SmallVector<std::pair<const InspectedAccess *, NarrowAccess>> narrow;
    /// Loads of the slice that have nothing to avoid.
    SmallVector<std::pair<Operation *, Sweep>> loads;
  };

  Value meets(const Touched &bytes, ArrayRef<unsigned> which);
  Value meets(Value first, Value last, ArrayRef<unsigned> which);
  void note(Value variable, Value isSo) { store(either(load(variable, i1), isSo), variable); }
  void joinAccesses();
  void findInnerAccesses();
  Block *enterInnerLoop(InnerAccesses &inner, ValueRange operands, Block *fail);
  void checkSweep(const InspectedAccess *access, Operation *op, const InnerLoop &loop, const Sweep &sweep, Block *fail);
  void prepareNarrow(const InspectedAccess &access, const NarrowAccess &narrow, bool isAhead);
  void checkNarrow(const InspectedAccess &access, const NarrowAccess &narrow);
  void copySlice(Block *finish, Block *fail);
  void copyBlock(Block *block, Block *fail);
  void noteLoad(Operation *op, Value first, Value end);
  void endIteration(Block *finish, Block *fail);
  void addRun(Value begin, Value end, Block *before);
  Value getRuns(Value place);
  Found loadFound(const Found &kept) { return {load(kept.low), load(kept.high), load(kept.numRuns), load(kept.place)}; }
  void leave(const Found &found, Block *after) {
    LLVM::BrOp::create(builder, loc, ValueRange{found.low, found.high, found.numRuns, found.place}, after);
  }
  void leaveWithNone(Block *after) {
    Value none = constant(0);
    leave({none, none, none, none}, after);
  }
  void copyTerminator(Block *block, Block *finish, Block *fail);

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
  Value number, isTouched, isForbidden, runBegin, bestLow, bestHigh, numRuns, total;
  /// What the program measures, if it does.
  LLVM::GlobalOp measurements;
  /// Memory for the parts of the interior, and the part of it that the inspection fills.
  Value memory, runs;
  SmallVector<Range> ranges;
  IRMapping map;
  SmallVector<Block *> made;
  DenseMap<Operation *, const InspectedAccess *> asked;
  DenseMap<Operation *, Touched> touched;
  llvm::MapVector<Block *, InnerAccesses> inner;
  /// Accesses of inner loops that are compared in front of them.
  DenseSet<Operation *> areSwept;
  /// The indices with which an access by a narrow index meets each range, and what is noted then.
  DenseMap<Operation *, SmallVector<std::pair<Value, NarrowAccess::Indices>>> narrowIndices;
};
} // namespace

Value Emitter::makeVariable(Type type) {
  OpBuilder::InsertionGuard guard(builder);
  auto function = inspection.unit.op->getParentOfType<LLVM::LLVMFuncOp>();
  builder.setInsertionPointToStart(&function.getBody().front());
  return LLVM::AllocaOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), type, constant(1));
}

Emitter::Kept Emitter::makeKept(unsigned numKeys) {
  Found found{makeVariable(i64), makeVariable(i64), makeVariable(i64), makeVariable(i64)};
  Kept kept{makeVariable(i1), found, {}, {}};
  for (unsigned i = 0; i < numKeys; ++i)
    kept.keys.push_back(makeVariable(i64));
  for (unsigned i = 0; i < slice.getLoads().size(); ++i)
    kept.loads.push_back({makeVariable(i64), makeVariable(i64)});
  return kept;
}

void Emitter::makeVariables() {
  for (Value *variable : {&number, &runBegin, &bestLow, &bestHigh, &numRuns, &total})
    *variable = makeVariable(i64);
  int64_t results = inspection.around ? 2 : 1;
  if (inspection.hasRuns)
    memory = makeVariable(LLVM::LLVMArrayType::get(builder.getI32Type(), results * 2 * kMostRuns));
  for (Value *variable : {&isTouched, &isForbidden})
    *variable = makeVariable(i1);
  if (!inspection.around)
    return;
  misses = makeVariable(i64);
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
      store(constant(0), latest.found.place);
      store(constant(1), former.found.place);
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
  exchange(latest.found.low, former.found.low, i64);
  exchange(latest.found.high, former.found.high, i64);
  exchange(latest.found.numRuns, former.found.numRuns, i64);
  exchange(latest.found.place, former.found.place, i64);
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

/// Returns whether any of the bytes [first, last) is in one of the ranges.
Value Emitter::meets(Value first, Value last, ArrayRef<unsigned> which) {
  Value result;
  for (unsigned index : which) {
    Value isHere = both(compare(LLVM::ICmpPredicate::ult, first, ranges[index].high),
                        compare(LLVM::ICmpPredicate::ugt, last, ranges[index].low));
    result = result ? either(result, isHere) : isHere;
  }
  return result;
}

Value Emitter::meets(const Touched &bytes, ArrayRef<unsigned> which) {
  Value address = LLVM::PtrToIntOp::create(builder, loc, i64, bytes.pointer);
  Value first = bytes.begin ? add(address, constant(bytes.begin)) : address;
  return meets(first, add(address, constant(bytes.end)), which);
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

/// Finds what inner loops access in forms that take fewer comparisons.
void Emitter::findInnerAccesses() {
  for (Block *block : slice.getBlocks()) {
    std::optional<InnerLoop> loop = block == inspection.loop.header ? std::nullopt : InnerLoop::find(block);
    if (!loop || !slice.contains(loop->number))
      continue;
    InnerAccesses found{*loop, {}, {}, {}};
    for (Operation &op : *block) {
      const InspectedAccess *access = asked.lookup(&op);
      bool isLoad = llvm::is_contained(slice.getLoads(), &op);
      if (!access && !isLoad)
        continue;
      Value pointer = access ? access->getPointer() : cast<LLVM::LoadOp>(op).getAddr();
      if (std::optional<Sweep> sweep = Sweep::find(*loop, pointer)) {
        areSwept.insert(&op);
        if (access)
          found.sweeps.push_back({access, *sweep});
        else
          found.loads.push_back({&op, *sweep});
        continue;
      }
      std::optional<NarrowAccess> narrow = isLoad ? std::nullopt : NarrowAccess::find(*loop, pointer);
      if (narrow && touched[&op].begin == 0)
        found.narrow.push_back({access, *narrow});
    }
    inner.insert({block, std::move(found)});
  }
}

/// Compares all that an inner loop goes through. What is in flight must not be loaded.
void Emitter::checkSweep(const InspectedAccess *access, Operation *op, const InnerLoop &loop, const Sweep &sweep,
                         Block *fail) {
  Value first, end, isSane;
  sweep.compute(builder, loc, loop, first, end, isSane);
  if (access) {
    const Touched &bytes = touched[op];
    Value begin = add(first, constant(bytes.begin)), last = add(end, constant(bytes.end - sweep.size));
    auto isHit = [&](ArrayRef<unsigned> which) {
      return select(isSane, meets(begin, last, getUnique(which)), truth(true));
    };
    if (!slice.contains(op)) {
      if (!access->avoided.empty())
        note(isTouched, isHit(access->avoided));
      if (!access->forbidden.empty())
        note(isForbidden, isHit(access->forbidden));
    } else if (!access->forbidden.empty()) {
      Block *next = makeBlock(fail);
      made.push_back(next);
      LLVM::CondBrOp::create(builder, loc, isHit(access->forbidden), fail, ValueRange(), next, ValueRange());
      builder.setInsertionPointToEnd(next);
    }
  }
  if (slice.contains(op))
    noteLoad(op, select(isSane, first, constant(0)), select(isSane, end, constant(-1)));
}

/// Computes the indices in front of the whole loop if that is possible, and otherwise in front of the inner loop.
void Emitter::prepareNarrow(const InspectedAccess &access, const NarrowAccess &narrow, bool isAhead) {
  Value base = narrow.base;
  if (isAhead == llvm::is_contained(inspection.unit.interior, base.getParentBlock()))
    return;
  auto prepare = [&](ArrayRef<unsigned> which, Value flag) {
    for (unsigned index : getUnique(which)) {
      Value isAny;
      NarrowAccess::Indices indices =
          narrow.compute(builder, loc, ranges[index].low, ranges[index].high, touched[access.op].end, isAny);
      note(isAhead ? isForbidden : flag, isAny);
      narrowIndices[access.op].push_back({flag, indices});
    }
  };
  prepare(access.avoided, isTouched);
  prepare(access.forbidden, isForbidden);
}

void Emitter::checkNarrow(const InspectedAccess &access, const NarrowAccess &narrow) {
  for (auto &[flag, indices] : narrowIndices[access.op]) {
    Value distance = LLVM::SubOp::create(builder, loc, narrow.index, indices.first);
    note(flag, compare(LLVM::ICmpPredicate::ult, distance, indices.count));
  }
}

/// Makes a block on the way into the copy of an inner loop, with all comparisons that need not be made in it.
Block *Emitter::enterInnerLoop(InnerAccesses &accesses, ValueRange operands, Block *fail) {
  OpBuilder::InsertionGuard guard(builder);
  Block *entry = makeBlock(fail);
  made.push_back(entry);
  builder.setInsertionPointToEnd(entry);
  for (auto &[access, sweep] : accesses.sweeps)
    checkSweep(access, access->op, accesses.loop, sweep, fail);
  for (auto &[op, sweep] : accesses.loads)
    checkSweep(nullptr, op, accesses.loop, sweep, fail);
  for (auto &[access, narrow] : accesses.narrow)
    prepareNarrow(*access, narrow, /*isAhead=*/false);
  LLVM::BrOp::create(builder, loc, operands, map.lookup(accesses.loop.block));
  return entry;
}

void Emitter::copyBlock(Block *block, Block *fail) {
  for (Operation &op : block->without_terminator()) {
    const InspectedAccess *access = areSwept.contains(&op) ? nullptr : asked.lookup(&op);
    bool isNarrow = narrowIndices.contains(&op);
    if (isNarrow)
      for (auto &[narrowAccess, narrow] : inner.find(block)->second.narrow)
        if (narrowAccess == access)
          checkNarrow(*access, narrow);
    // What the inspector loads is forbidden if it is avoided.
    if (access && !isNarrow && !slice.contains(&op) && !access->avoided.empty())
      note(isTouched, meets(touched.lookup(&op), getUnique(access->avoided)));
    if (access && !isNarrow && !access->forbidden.empty()) {
      Value isHit = meets(touched.lookup(&op), getUnique(access->forbidden));
      // Do not load what is in flight: it could lead anywhere.
      if (slice.contains(&op)) {
        Block *next = makeBlock(fail);
        made.push_back(next);
        LLVM::CondBrOp::create(builder, loc, isHit, fail, ValueRange(), next, ValueRange());
        builder.setInsertionPointToEnd(next);
      } else {
        note(isForbidden, isHit);
      }
    }
    if (!slice.contains(&op))
      continue;
    builder.clone(op, map);
    if (auto loaded = dyn_cast<LLVM::LoadOp>(op); loaded && !areSwept.contains(&op)) {
      Value first = LLVM::PtrToIntOp::create(builder, loc, i64, loaded.getAddr());
      int64_t size = DataLayout::closest(&op).getTypeSize(loaded.getType()).getFixedValue();
      noteLoad(&op, first, add(first, constant(size)));
    }
  }
}

/// Notes what a load of the slice has read, for results that are kept.
void Emitter::noteLoad(Operation *op, Value first, Value end) {
  const auto *found = llvm::find(slice.getLoads(), op);
  if (!inspection.around || found == slice.getLoads().end())
    return;
  const Range &read = latest.loads[found - slice.getLoads().begin()];
  store(LLVM::UMinOp::create(builder, loc, load(read.low), first), read.low);
  store(LLVM::UMaxOp::create(builder, loc, load(read.high), end), read.high);
}

/// Returns the memory for the parts of one result.
Value Emitter::getRuns(Value place) {
  Value distance = LLVM::MulOp::create(builder, loc, place, constant(2 * kMostRuns));
  return LLVM::GEPOp::create(builder, loc, memory.getType(), builder.getI32Type(), memory,
                             ArrayRef<LLVM::GEPArg>{distance});
}

/// Adds the iterations [begin, end) to the interior, if they are enough, in blocks before `before`.
void Emitter::addRun(Value begin, Value end, Block *before) {
  Value length = LLVM::SubOp::create(builder, loc, end, begin), known = load(numRuns);
  Value isNew = compare(LLVM::ICmpPredicate::sge, length, constant(std::max<int64_t>(inspection.leastOfRun, 1)));
  isNew = both(isNew, compare(LLVM::ICmpPredicate::ult, known, constant(kMostRuns)));
  isNew = both(isNew, compare(LLVM::ICmpPredicate::ule, end, constant(std::numeric_limits<int32_t>::max())));
  Block *keep = makeBlock(before), *goOn = makeBlock(before);
  made.append({keep, goOn});
  LLVM::CondBrOp::create(builder, loc, isNew, keep, ValueRange(), goOn, ValueRange());
  builder.setInsertionPointToEnd(keep);
  Type i32 = builder.getI32Type();
  auto write = [&](Value value, Value index) {
    Value place = LLVM::GEPOp::create(builder, loc, runs.getType(), i32, runs, ArrayRef<LLVM::GEPArg>{index});
    store(LLVM::TruncOp::create(builder, loc, i32, value), place);
  };
  Value index = add(known, known), isFirst = compare(LLVM::ICmpPredicate::eq, known, constant(0));
  write(begin, index);
  write(end, add(index, constant(1)));
  store(add(known, constant(1)), numRuns);
  store(add(load(total), length), total);
  store(select(isFirst, begin, load(bestLow)), bestLow);
  store(end, bestHigh);
  LLVM::BrOp::create(builder, loc, ValueRange(), goOn);
  builder.setInsertionPointToEnd(goOn);
}

/// Updates the runs of iterations that touch nothing, or the longest of them. If iterations keep their order, it is the
/// first one, and the inspection ends with it.
void Emitter::endIteration(Block *finish, Block *fail) {
  if (inspection.keepsOrder) {
    Block *goOn = makeBlock(fail);
    made.push_back(goOn);
    LLVM::CondBrOp::create(builder, loc, load(isTouched, i1), finish, ValueRange(), goOn, ValueRange());
    builder.setInsertionPointToEnd(goOn);
    store(add(load(bestHigh), constant(1)), bestHigh);
    return;
  }
  Value now = load(number), next = add(now, constant(1)), touched = load(isTouched, i1), begin = load(runBegin);
  if (inspection.hasRuns) {
    Block *close = makeBlock(fail), *goOn = makeBlock(fail);
    made.append({close, goOn});
    LLVM::CondBrOp::create(builder, loc, touched, close, ValueRange(), goOn, ValueRange());
    builder.setInsertionPointToEnd(close);
    addRun(begin, now, goOn);
    store(next, runBegin);
    store(truth(false), isTouched);
    LLVM::BrOp::create(builder, loc, ValueRange(), goOn);
    builder.setInsertionPointToEnd(goOn);
    store(next, number);
    return;
  }
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

void Emitter::copyTerminator(Block *block, Block *finish, Block *fail) {
  Operation *terminator = block->getTerminator();
  auto getTarget = [&](Block *target, OperandRange operands) -> std::pair<Block *, SmallVector<Value>> {
    if (target == inspection.unit.join)
      return {finish, {}};
    SmallVector<Value> kept;
    for (auto [argument, operand] : llvm::zip_equal(target->getArguments(), operands))
      if (slice.contains(argument))
        kept.push_back(operand);
    auto *found = inner.find(target);
    if (found != inner.end() && block != target)
      return {enterInnerLoop(found->second, kept, fail), {}};
    return {map.lookup(target), kept};
  };
  if (Block *shortcut = slice.getShortcut(block)) {
    Block *target = shortcut == inspection.unit.join ? finish : map.lookup(shortcut);
    LLVM::BrOp::create(builder, loc, ValueRange(), target);
    return;
  }
  if (auto branch = dyn_cast<LLVM::BrOp>(terminator)) {
    auto [target, operands] = getTarget(branch.getDest(), branch.getDestOperands());
    LLVM::BrOp::create(builder, loc, operands, target);
    return;
  }
  auto branch = cast<LLVM::CondBrOp>(terminator);
  auto [ifTrue, trueOperands] = getTarget(branch.getTrueDest(), branch.getTrueDestOperands());
  auto [ifFalse, falseOperands] = getTarget(branch.getFalseDest(), branch.getFalseDestOperands());
  LLVM::CondBrOp::create(builder, loc, branch.getCondition(), ifTrue, trueOperands, ifFalse, falseOperands);
}

void Emitter::copySlice(Block *finish, Block *fail) {
  joinAccesses();
  findInnerAccesses();
  SmallVector<Block *> blocks = slice.getBlocks();
  for (Block *block : blocks) {
    Block *copy = makeBlock(fail);
    made.push_back(copy);
    map.map(block, copy);
    for (BlockArgument argument : block->getArguments())
      if (slice.contains(argument))
        map.map(argument, copy->addArgument(argument.getType(), argument.getLoc()));
  }
  for (auto &[block, accesses] : inner)
    for (auto &[access, narrow] : accesses.narrow)
      prepareNarrow(*access, narrow, /*isAhead=*/true);
  // The unit's own branch, at the builder's position.
  copyTerminator(inspection.unit.op->getBlock(), finish, fail);
  for (Block *block : blocks) {
    builder.setInsertionPointToEnd(map.lookup(block));
    copyBlock(block, fail);
    if (block == inspection.loop.latch)
      endIteration(finish, fail);
    copyTerminator(block, finish, fail);
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

/// Makes a variable for what the program measures.
void Emitter::makeMeasurements() {
  OpBuilder::InsertionGuard guard(builder);
  auto module = inspection.unit.op->getParentOfType<ModuleOp>();
  std::string name;
  for (unsigned next = 0; name.empty() || module.lookupSymbol(name); ++next)
    name = "comm_inspections." + std::to_string(next);
  builder.setInsertionPointToEnd(module.getBody());
  auto type = LLVM::LLVMArrayType::get(i64, mpi::kNumbersOfInspections);
  measurements = LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/false, LLVM::Linkage::Internal,
                                        name, Attribute());
  builder.createBlock(&measurements.getInitializerRegion());
  LLVM::ReturnOp::create(builder, module.getLoc(), LLVM::ZeroOp::create(builder, module.getLoc(), type).getResult());
}

/// Generates the inspection at the builder's position. Afterwards, the builder is at the end of a block that has its
/// result. `place`: where the parts of the interior go.
Emitter::Found Emitter::inspect(Value place, Block *after) {
  Block *finish = makeBlock(after), *fail = makeBlock(after), *end = makeBlock(after);
  Found found{end->addArgument(i64, loc), end->addArgument(i64, loc), end->addArgument(i64, loc), place};
  if (inspection.hasRuns)
    runs = getRuns(place);
  for (Value variable : {number, runBegin, bestLow, bestHigh, numRuns, total})
    store(constant(0), variable);
  for (Value variable : {isTouched, isForbidden})
    store(truth(false), variable);
  // The first branch of the copy is that of the unit, which follows the generated code.
  copySlice(finish, fail);

  builder.setInsertionPointToEnd(finish);
  Value inspected = load(number), zero = constant(0);
  if (inspection.hasRuns) {
    // The last run.
    Value last = inspected;
    if (inspection.keepsLast)
      last = LLVM::SubOp::create(builder, loc, last, constant(1));
    addRun(load(runBegin), last, fail);
  } else {
    store(LLVM::SubOp::create(builder, loc, load(bestHigh), load(bestLow)), total);
  }
  // If the iterations keep their order, none of the others has been counted.
  Value length = load(total), least = LLVM::UDivOp::create(builder, loc, inspected, constant(kLeastPart));
  Value isSome = compare(LLVM::ICmpPredicate::ugt, length, least);
  if (inspection.hasRuns)
    isSome = both(isSome, compare(LLVM::ICmpPredicate::uge, length, constant(inspection.leastIterations)));
  isSome = select(load(isForbidden, i1), truth(false), isSome);
  if (measurements) {
    Value site = LLVM::AddressOfOp::create(builder, loc, measurements);
    Value number = inspection.keepsOrder ? add(load(bestHigh), constant(1)) : inspected;
    isSome = both(isSome, askRuntimeAlone(builder, loc, mpi::kAskInspected, {site, number}));
  }
  SmallVector<Value> results;
  for (Value variable : {bestLow, bestHigh, numRuns})
    results.push_back(select(isSome, load(variable), zero));
  LLVM::BrOp::create(builder, loc, results, end);
  // A block without predecessors would count as an entry into a unit from outside.
  if (fail->hasNoPredecessors()) {
    fail->erase();
  } else {
    builder.setInsertionPointToEnd(fail);
    Value none = constant(0);
    LLVM::BrOp::create(builder, loc, ValueRange{none, none, none}, end);
  }
  builder.setInsertionPointToEnd(end);
  return found;
}

/// Generates what finds the result at the builder's position, kept or new, and leaves to `after`.
void Emitter::inspectUnlessKept(Block *after) {
  Block *other = makeBlock(after), *hit = makeBlock(after), *miss = makeBlock(after), *give = makeBlock(after),
        *anew = makeBlock(after);
  SmallVector<Value> keys = computeKeys();
  forgetAtStarts();
  LLVM::CondBrOp::create(builder, loc, isOfNow(latest, keys), hit, ValueRange(), other, ValueRange());
  builder.setInsertionPointToEnd(other);
  exchangeResults();
  LLVM::CondBrOp::create(builder, loc, isOfNow(latest, keys), hit, ValueRange(), miss, ValueRange());
  builder.setInsertionPointToEnd(hit);
  store(constant(0), misses);
  leave(loadFound(latest.found), after);

  builder.setInsertionPointToEnd(miss);
  Value count = add(load(misses), constant(1));
  store(count, misses);
  LLVM::CondBrOp::create(builder, loc, compare(LLVM::ICmpPredicate::ugt, count, constant(kMostMisses)), give,
                         ValueRange(), anew, ValueRange());
  builder.setInsertionPointToEnd(give);
  forget();
  store(constant(kMostMisses), misses);
  leaveWithNone(after);

  builder.setInsertionPointToEnd(anew);
  store(truth(false), latest.isThere);
  for (const Range &read : latest.loads) {
    store(constant(-1), read.low);
    store(constant(0), read.high);
  }
  Found found = inspect(load(latest.found.place), after);
  for (auto [variable, key] : llvm::zip_equal(latest.keys, keys))
    store(key, variable);
  store(found.low, latest.found.low);
  store(found.high, latest.found.high);
  store(found.numRuns, latest.found.numRuns);
  store(truth(true), latest.isThere);
  Value areApart = both(isApartFrom(latest, former), isApartFrom(former, latest));
  store(both(load(former.isThere, i1), areApart), former.isThere);
  leave(found, after);
}

Operation *Emitter::run(bool asks, InspectedInterior &interior) {
  makeVariables();
  if (inspection.around)
    forgetResults();
  Operation *entry = inspection.unit.op;
  Block *before = entry->getBlock(), *after = before->splitBlock(entry);
  interior.low = after->addArgument(i64, loc);
  interior.high = after->addArgument(i64, loc);
  Value numFound = after->addArgument(i64, loc), place = after->addArgument(i64, loc);
  Block *check = makeBlock(after), *idle = makeBlock(after);

  builder.setInsertionPointToEnd(before);
  // Do not look at so few indices each time.
  Expr least(inspection.around ? 1 : std::max<int64_t>(inspection.leastIterations, 1));
  Value mayRun = Predicate::lessOrEqual(least, inspection.loop.count).materialize(builder, loc);
  // Within a node the loop runs whole, whatever the result would be.
  if (asks)
    mayRun = both(mayRun, askRuntime(builder, loc, mpi::kAskSpansNodes));
  Operation *branch = LLVM::CondBrOp::create(builder, loc, mayRun, check, ValueRange(), idle, ValueRange());
  // Nothing compares what is received now, so invalidate the results.
  builder.setInsertionPointToEnd(idle);
  if (inspection.around)
    forget();
  leaveWithNone(after);

  builder.setInsertionPointToEnd(check);
  if (inspection.around) {
    inspectUnlessKept(after);
  } else {
    computeKeys();
    if (inspection.isMeasured) {
      makeMeasurements();
      interior.measurements = FlatSymbolRefAttr::get(measurements);
      Block *chosen = makeBlock(after);
      Value site = LLVM::AddressOfOp::create(builder, loc, measurements);
      Value count = Materializer(builder, loc).get(inspection.loop.count);
      count = LLVM::TruncOp::create(builder, loc, i64, count);
      Value inspects = askRuntimeAlone(builder, loc, mpi::kAskInspects, {site, count});
      LLVM::CondBrOp::create(builder, loc, inspects, chosen, ValueRange(), idle, ValueRange());
      builder.setInsertionPointToEnd(chosen);
    }
    leave(inspect(constant(0), after), after);
  }
  builder.setInsertionPoint(entry);
  if (inspection.hasRuns)
    interior.runs = RunList{getRuns(place), numFound};
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

Operation *InspectorCode::emit(const Inspection &inspection, bool asks, InspectedInterior &interior) {
  SmallVector<std::pair<Value, Value>> variables;
  for (const InspectedRange &range : inspection.ranges) {
    Note note = range.start ? getNote(range) : Note();
    variables.push_back({note.low, note.high});
  }
  return Emitter(inspection, variables).run(asks, interior);
}
