//===- RowCheck.cpp - Whether rows are evenly spaced ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   if (0 < count && guards of the loads && no entry is in flight)
//     previous = entry[0]
//     for (r = 1; r < rows; ++r)
//       stride = r == 1 ? entry[1] - entry[0] : stride
//       isEven &= entry[r] - previous == stride
//
//===----------------------------------------------------------------------===//

#include "Iterations/RowCheck.h"

#include "Comm/Analysis/Footprints/SizeLimiter.h"
#include "Comm/Analysis/Order/PostDominance.h"
#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/MPI/Markers.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace comm;

/// No table has more rows than this.
static constexpr int64_t kMostRows = int64_t(1) << 40;
/// A possible stride for questions about typical numbers: longer than a typical row.
static constexpr int64_t kTypicalStride = int64_t(1) << 16;
/// Likewise, a possible value of a loaded number: the number of elements in a typical row.
static constexpr int64_t kTypicalNumber = int64_t(1) << 10;
/// Limit on the operations that compute a guard.
static constexpr unsigned kMostSteps = 16;

Operation *RowCheck::makeNumber(int64_t number, Type type) {
  auto function = unit.op->getParentOfType<FunctionOpInterface>();
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getFunctionBody().front());
  type = type ? type : builder.getI64Type();
  return LLVM::ConstantOp::create(builder, function.getLoc(), type, builder.getIntegerAttr(type, number));
}

RowCheck::RowCheck(const Unit &unit) : unit(unit), answer(makeNumber(1)->getResult(0)) {}

RowCheck::~RowCheck() {
  SmallVector<Operation *> placeholders{answer.getDefiningOp()};
  for (Table &table : tables)
    placeholders.append({table.first, table.stride});
  for (Operation *op : placeholders)
    if (op && op->use_empty())
      op->erase();
}

bool RowCheck::isPlaceholder(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && (value == answer ||
                llvm::any_of(tables, [&](const Table &table) { return op == table.first || op == table.stride; }));
}

const RowCheck::Table *RowCheck::findTable(Value first) const {
  auto it = llvm::find_if(tables, [&](const Table &table) { return first && table.first == first.getDefiningOp(); });
  return it == tables.end() ? nullptr : &*it;
}

/// Returns the number of the row that is this far from the first one, or none if it belongs to another table.
static std::optional<int64_t> findRowNumber(const Expr &begin, const Expr &first, int64_t step) {
  std::optional<int64_t> distance = (begin - first).getConstant();
  if (!distance || (step ? *distance % step : *distance))
    return std::nullopt;
  return step ? *distance / step : 0;
}

RowCheck::Table &RowCheck::getTable(Operation *load, const Base &base, const Expr &begin, int64_t step,
                                    const Predicate &holds) {
  Type type = load->getResult(0).getType();
  auto it = llvm::find_if(tables, [&](const Table &table) {
    return table.base == base && table.type == type && table.step == step && findRowNumber(begin, table.begin, step);
  });
  if (it == tables.end()) {
    Table table;
    table.base = base;
    table.type = type;
    table.begin = begin;
    table.step = step;
    if (isa<IntegerType>(type)) {
      table.first = makeNumber(kTypicalNumber, type);
    } else {
      table.stride = makeNumber(kTypicalStride);
      OpBuilder builder(table.stride);
      table.first = LLVM::ZeroOp::create(builder, table.stride->getLoc(), type);
    }
    tables.push_back(std::move(table));
    it = std::prev(tables.end());
  }
  int64_t number = *findRowNumber(begin, it->begin, step);
  it->least = std::min(it->least, number);
  it->most = std::max(it->most, number);
  if (!llvm::is_contained(it->loads, load)) {
    it->loads.push_back(load);
    it->holds = it->holds && holds;
  }
  return *it;
}

std::optional<RowTables::Row> RowCheck::getRow(Operation *load, const Base &base, const Expr &begin, int64_t step,
                                               const Predicate &holds) {
  Table &table = getTable(load, base, begin, step, holds);
  return Row{table.first->getResult(0), table.stride->getResult(0), *findRowNumber(begin, table.begin, step)};
}

std::optional<RowTables::Row> RowCheck::findRow(const Base &base, const Expr &begin, int64_t step,
                                                const Expr &count) const {
  for (const Table &table : tables) {
    std::optional<int64_t> number =
        table.base == base && table.step == step ? findRowNumber(begin, table.begin, step) : std::nullopt;
    if (!number || !table.stride || step == 0 || *number < table.least || count.isUnknown())
      continue;
    // All of them are among the rows that are checked.
    Predicate areChecked = Predicate::lessOrEqual(count + Expr(*number), loop.count + Expr(table.most));
    return Row{table.first->getResult(0), table.stride->getResult(0), *number, areChecked};
  }
  return std::nullopt;
}

Value RowCheck::getNumber(Operation *load, const Base &base, const Expr &begin, const Predicate &holds) {
  return getTable(load, base, begin, /*step=*/0, holds).first->getResult(0);
}

/// Returns all entries that the loop uses, as one range.
Piece RowCheck::getEntries(const Table &table) const {
  Piece piece;
  piece.base = table.base;
  piece.begin = table.begin + Expr(table.step * table.least);
  Expr rows = loop.count + Expr(table.most - table.least);
  auto size = static_cast<int64_t>(DataLayout::closest(unit.op).getTypeSize(table.type).getFixedValue());
  piece.size = table.step ? rows * Expr(table.step) : Expr(size);
  piece.reads = true;
  return piece;
}

bool RowCheck::looksUp(Operation *load) const {
  return llvm::any_of(tables, [&](const Table &table) { return llvm::is_contained(table.loads, load); });
}

bool RowCheck::keepOff(ArrayRef<Avoided> others, bool areBefore, MemoryOracle &oracle) {
  for (const Avoided &other : others) {
    auto mayConflict = [&](Operation *load) { return other.mayMeet(load, /*isFirst=*/!areBefore, oracle); };
    // Single entries of one object are checked as one range, which belongs to the first of their tables.
    std::vector<std::pair<Table *, Piece>> ranges;
    for (Table &table : tables) {
      if (llvm::none_of(table.loads, mayConflict))
        continue;
      // The address of a row that contains pointers to others is not known yet.
      if (!other.footprint || other.footprint->unknownOps.contains(other.op) || findTable(table.base.pointer))
        return false;
      Piece entries = getEntries(table);
      auto known = llvm::find_if(ranges, [&](const auto &range) {
        return !table.step && !range.first->step && range.first->base == table.base &&
               (range.first->begin - table.begin).getConstant();
      });
      if (known == ranges.end()) {
        ranges.push_back({&table, entries});
        continue;
      }
      Piece &range = known->second;
      Expr end = Expr::max(range.begin + range.size, entries.begin + entries.size);
      range.begin = Expr::min(range.begin, entries.begin);
      range.size = end - range.begin;
    }
    for (auto &[table, range] : ranges) {
      for (const Piece &piece : other.footprint->pieces)
        if (piece.op == other.op && piece.writes)
          table->holds = table->holds && areDisjoint(range, piece, areDifferentObjects);
      if (table->holds.isFalse())
        return false;
    }
  }
  return true;
}

void RowCheck::addArrays(ArrayRef<Avoided> others, TypicalStrides &strides) const {
  auto isFrom = [](Value pointer, const Base &base) {
    auto load = pointer ? pointer.getDefiningOp<LLVM::LoadOp>() : LLVM::LoadOp();
    return load && base.pointer && getBasePointer(load.getAddr()) == base.pointer;
  };
  for (const Table &table : tables) {
    // A pointer or number that is the same in all iterations is what the loop loads.
    if (!table.step) {
      strides.addEqual(Expr::symbol(table.first->getResult(0)), Expr::symbol(table.loads.front()->getResult(0)));
      continue;
    }
    for (const Avoided &other : others)
      for (const Piece &piece : other.footprint ? ArrayRef(other.footprint->pieces) : ArrayRef<Piece>())
        if (isFrom(piece.base.pointer, table.base))
          strides.addEqual(Expr::symbol(table.first->getResult(0)), Expr::symbol(piece.base.pointer));
  }
}

/// Returns true if the two tables begin at the same place, which another entry may tell that both loops look up.
bool RowCheck::isSameBase(const Base &base, const RowCheck &other, const Base &ofOther) const {
  const Table *table = findTable(base.pointer), *same = other.findTable(ofOther.pointer);
  if (!table || !same)
    return !table && !same && base == ofOther;
  return table->step == same->step && table->begin == same->begin && isSameBase(table->base, other, same->base);
}

void RowCheck::addRowsOf(const RowCheck &other, TypicalStrides &strides) const {
  for (const Table &table : tables)
    for (const Table &same : other.tables) {
      std::optional<int64_t> number = table.step == same.step && table.type == same.type
                                          ? findRowNumber(same.begin, table.begin, table.step)
                                          : std::nullopt;
      if (!number || !isSameBase(table.base, other, same.base))
        continue;
      auto symbol = [](Operation *op) { return Expr::symbol(op->getResult(0)); };
      if (!table.stride) {
        strides.addEqual(symbol(same.first), symbol(table.first));
        continue;
      }
      strides.addEqual(symbol(same.stride), symbol(table.stride));
      strides.addEqual(symbol(same.first), symbol(table.first) + Expr(*number) * symbol(table.stride));
    }
}

Predicate RowCheck::areEntriesKept(LoopAccesses &accesses) const {
  Predicate result = Predicate::always();
  for (const Table &table : tables)
    result = result && accesses.writesNothingOf(getEntries(table), table.loads);
  return result;
}

//===----------------------------------------------------------------------===//
// Guards of the loads
//===----------------------------------------------------------------------===//

/// Returns the values that the last bit of a number may have (`(i + color) % 2`), or none for other values.
static ArrayRef<int64_t> getPossibleBits(Value value) {
  static constexpr int64_t bits[] = {0, 1, -1};
  Operation *op = value.getDefiningOp();
  std::optional<int64_t> by = op && op->getNumOperands() == 2 ? getConstantInteger(op->getOperand(1)) : std::nullopt;
  if (isa_and_nonnull<LLVM::SRemOp>(op) && by == 2)
    return bits;
  bool isUnsigned = (isa_and_nonnull<LLVM::URemOp>(op) && by == 2) || (isa_and_nonnull<LLVM::AndOp>(op) && by == 1);
  return isUnsigned ? ArrayRef(bits).drop_back() : ArrayRef<int64_t>();
}

namespace {
/// Whether a condition can be computed before an operation, by operations that may be executed anywhere.
class ConditionSearch {
public:
  ConditionSearch(Operation *place, DominanceInfo &dominance) : place(place), dominance(dominance) {}
  bool isComputable(Value value);
  /// Returns the number of which only the possible bits are known there, if the condition depends on one and on others.
  Value getBit() const { return bit; }
  bool isKnown() const { return !bit || dependsOnOthers; }

private:
  Operation *place;
  DominanceInfo &dominance;
  unsigned steps = 0;
  Value bit;
  bool dependsOnOthers = false;
};
} // namespace

bool ConditionSearch::isComputable(Value value) {
  if (dominance.properlyDominates(value, place)) {
    dependsOnOthers |= !getConstantInteger(value);
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (!op || ++steps > kMostSteps || !isPure(op) || op->getNumRegions() != 0)
    return false;
  if (!getPossibleBits(value).empty() && (!bit || bit == value)) {
    bit = value;
    return true;
  }
  return llvm::all_of(op->getOperands(), [&](Value operand) { return isComputable(operand); });
}

/// Returns the block of the branch from which all paths that meet at the block come. Returns null for blocks where no
/// paths meet.
static Block *findBefore(Block *block, DominanceInfo &dominance, std::optional<PostDominance> &postDominance) {
  unsigned numWays = llvm::count_if(block->getPredecessors(),
                                    [&](Block *predecessor) { return !dominance.dominates(block, predecessor); });
  auto *node = numWays > 1 ? dominance.getNode(block) : nullptr;
  if (!node || !node->getIDom())
    return nullptr;
  Block *before = node->getIDom()->getBlock();
  if (!postDominance)
    postDominance.emplace(*block->getParent());
  for (Block *next = before; next; next = postDominance->getImmediate(next))
    if (next == block)
      return before;
  return nullptr;
}

/// Records the conditions under which control reaches the block from the beginning of the unit. Returns false if they
/// depend on more than is known before the unit.
bool RowCheck::findGuards(Block *block) {
  DominanceInfo dominance(unit.op->getParentOfType<FunctionOpInterface>());
  std::optional<PostDominance> postDominance;
  while (block != unit.op->getBlock()) {
    if (!llvm::is_contained(unit.interior, block))
      return false;
    if (Block *around = findBefore(block, dominance, postDominance)) {
      block = around;
      continue;
    }
    Block *before = nullptr;
    for (Block *predecessor : block->getPredecessors()) {
      // Skip the latches of loops around the block. An inner loop is entered under conditions of its own.
      if (dominance.dominates(block, predecessor))
        continue;
      if (before && before != predecessor)
        return false;
      before = predecessor;
    }
    if (!before)
      return false;
    Operation *branch = before->getTerminator();
    if (auto condition = dyn_cast<LLVM::CondBrOp>(branch)) {
      bool isTrue = condition.getTrueDest() == block;
      ConditionSearch search(unit.op, dominance);
      if (isTrue == (condition.getFalseDest() == block) || !search.isComputable(condition.getCondition()) ||
          !search.isKnown())
        return false;
      guards.push_back({condition.getCondition(), isTrue, search.getBit()});
    } else if (!isa<LLVM::BrOp>(branch)) {
      return false;
    }
    block = before;
  }
  return true;
}

bool RowCheck::isComputable() {
  SmallPtrSet<Block *, 4> blocks;
  DominanceInfo dominance(unit.op->getParentOfType<FunctionOpInterface>());
  // Results of other tables are known only after all tables.
  auto isThere = [&](Value value) { return !isPlaceholder(value) && dominance.properlyDominates(value, unit.op); };
  for (Table &table : tables) {
    for (Operation *load : table.loads)
      if (blocks.insert(load->getBlock()).second && !findGuards(load->getBlock()))
        return false;
    if (!table.holds.isMaterializable())
      table.holds = limitSizes(table.holds);
    bool areThere = true;
    auto check = [&](Value value) { areThere &= isThere(value); };
    table.begin.forEachSymbol(check);
    table.holds.forEachSymbol(check);
    bool isBaseThere = !table.base.pointer || findTable(table.base.pointer) || isThere(table.base.pointer);
    if (!areThere || !isBaseThere || !table.begin.isMaterializable() || !table.holds.isMaterializable())
      return false;
  }
  return loop.count.isMaterializable();
}

//===----------------------------------------------------------------------===//
// The code
//===----------------------------------------------------------------------===//

static Value cloneBefore(Value value, OpBuilder &builder, Operation *place, DominanceInfo &dominance, IRMapping &map) {
  if (dominance.properlyDominates(value, place))
    return value;
  if (Value known = map.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    map.map(operand, cloneBefore(operand, builder, place, dominance, map));
  builder.clone(*op, map);
  return map.lookup(value);
}

/// Generates the loop over the entries of one table at the builder's position, which ends up after the loop. Adds the
/// first row and the stride to the results. Returns a flag: whether the rows are evenly spaced.
Value RowCheck::emitTable(Table &table, OpBuilder &builder, Block *after, Value count,
                          SmallVectorImpl<Value> &results) {
  Location loc = unit.op->getLoc();
  Type i64 = builder.getI64Type(), i1 = builder.getI1Type(), ptr = LLVM::LLVMPointerType::get(builder.getContext());
  auto constant = [&](int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(value)).getResult();
  };
  auto move = [&](Value pointer, Value bytes) {
    return LLVM::GEPOp::create(builder, loc, ptr, builder.getI8Type(), pointer, bytes).getResult();
  };
  Attribute tags = table.loads.front()->getAttr("tbaa");
  auto load = [&](Value entry) {
    auto row = LLVM::LoadOp::create(builder, loc, table.type, entry);
    if (tags)
      row->setAttr("tbaa", tags);
    return row.getResult();
  };
  auto toNumber = [&](Value pointer) { return LLVM::PtrToIntOp::create(builder, loc, i64, pointer).getResult(); };
  Value base = table.base.pointer;
  if (const Table *around = findTable(base))
    base = around->found;
  if (!base)
    base = LLVM::AddressOfOp::create(builder, loc, ptr, table.base.global.getValue());
  Value begin = LLVM::TruncOp::create(builder, loc, i64, table.begin.materialize(builder, loc));
  Value start = move(move(base, begin), constant(table.step * table.least));
  Value one = constant(1), none = constant(0), step = constant(table.step);
  Value yes = LLVM::ConstantOp::create(builder, loc, i1, builder.getBoolAttr(true));
  Value lowest = load(start);
  if (!table.step) {
    table.found = lowest;
    results.push_back(lowest);
    if (table.stride)
      results.push_back(none);
    return yes;
  }
  lowest = toNumber(lowest);
  Value rows = LLVM::AddOp::create(builder, loc, count, constant(table.most - table.least));

  Block *before = builder.getInsertionBlock();
  auto makeBlock = [&](TypeRange types) {
    auto *block = new Block();
    after->getParent()->getBlocks().insert(Region::iterator(after), block);
    block->addArguments(types, SmallVector<Location>(types.size(), loc));
    return block;
  };
  Block *header = makeBlock({i64, i64, i64, i1}), *body = makeBlock({}), *done = makeBlock({});
  builder.setInsertionPointToEnd(before);
  LLVM::BrOp::create(builder, loc, ValueRange{one, lowest, none, yes}, header);
  Value number = header->getArgument(0), previous = header->getArgument(1), stride = header->getArgument(2),
        isEven = header->getArgument(3);
  builder.setInsertionPointToEnd(header);
  Value isMore = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, number, rows);
  LLVM::CondBrOp::create(builder, loc, isMore, body, ValueRange(), done, ValueRange());
  builder.setInsertionPointToEnd(body);
  Value row = toNumber(load(move(start, LLVM::MulOp::create(builder, loc, number, step))));
  Value distance = LLVM::SubOp::create(builder, loc, row, previous);
  Value isSecond = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, number, one);
  Value expected = LLVM::SelectOp::create(builder, loc, isSecond, distance, stride);
  Value isSame = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, distance, expected);
  Value next = LLVM::AddOp::create(builder, loc, number, one);
  Value areAll = LLVM::AndOp::create(builder, loc, isEven, isSame);
  LLVM::BrOp::create(builder, loc, ValueRange{next, row, expected, areAll}, header);

  builder.setInsertionPointToEnd(done);
  Value toFirst = LLVM::MulOp::create(builder, loc, stride, constant(-table.least));
  Value address = LLVM::AddOp::create(builder, loc, lowest, toFirst);
  table.found = LLVM::IntToPtrOp::create(builder, loc, ptr, address);
  results.append({table.found, stride});
  return isEven;
}

Operation *RowCheck::emit(bool asks) {
  Operation *entry = unit.op;
  Location loc = entry->getLoc();
  OpBuilder builder(entry);
  Type i64 = builder.getI64Type();
  DominanceInfo dominance(entry->getParentOfType<FunctionOpInterface>());
  Value mayLoad = (Predicate::lessOrEqual(Expr(1), loop.count) && Predicate::lessOrEqual(loop.count, Expr(kMostRows)))
                      .materialize(builder, loc);
  auto require = [&](Value condition) { mayLoad = LLVM::AndOp::create(builder, loc, mayLoad, condition); };
  auto requireGuard = [&](Value condition, bool isTrue, IRMapping &map) {
    Value computed = cloneBefore(condition, builder, entry, dominance, map);
    Value frozen = LLVM::FreezeOp::create(builder, loc, computed);
    Value expected = LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), builder.getBoolAttr(isTrue));
    require(LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, frozen, expected));
  };
  IRMapping map;
  for (const Guard &guard : guards) {
    if (!guard.bit)
      requireGuard(guard.condition, guard.isTrue, map);
    // The guard must hold in all iterations, whichever bits these have.
    for (int64_t value : guard.bit ? getPossibleBits(guard.bit) : ArrayRef<int64_t>()) {
      IRMapping ofBit;
      Type type = guard.bit.getType();
      ofBit.map(guard.bit, LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value)).getRes());
      requireGuard(guard.condition, guard.isTrue, ofBit);
    }
  }
  for (const Table &table : tables)
    require(table.holds.materialize(builder, loc));
  if (asks)
    require(askRuntime(builder, loc, mpi::kAskSpansNodes));
  SmallVector<Value> nothing, found;
  Value none = LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(0));

  for (const Table &table : tables) {
    nothing.push_back(LLVM::ZeroOp::create(builder, loc, table.type));
    if (table.stride)
      nothing.push_back(none);
  }
  nothing.push_back(none);

  Block *before = entry->getBlock(), *after = before->splitBlock(entry), *check = new Block();
  after->getParent()->getBlocks().insert(Region::iterator(after), check);
  for (Value value : nothing)
    results.push_back(after->addArgument(value.getType(), loc));
  builder.setInsertionPointToEnd(before);
  Operation *branch = LLVM::CondBrOp::create(builder, loc, mayLoad, check, ValueRange(), after, nothing);
  builder.setInsertionPointToEnd(check);
  Value count = LLVM::TruncOp::create(builder, loc, i64, loop.count.materialize(builder, loc)), areEven;
  for (Table &table : tables) {
    Value isEven = emitTable(table, builder, after, count, found);
    areEven = areEven ? LLVM::AndOp::create(builder, loc, areEven, isEven).getResult() : isEven;
  }
  found.push_back(LLVM::ZExtOp::create(builder, loc, i64, areEven));
  LLVM::BrOp::create(builder, loc, found, after);
  return branch;
}

void RowCheck::replaceResults() {
  SmallVector<Value> placeholders;
  for (Table &table : tables) {
    placeholders.push_back(table.first->getResult(0));
    if (table.stride)
      placeholders.push_back(table.stride->getResult(0));
  }
  placeholders.push_back(answer);
  for (auto [placeholder, result] : llvm::zip_equal(placeholders, results))
    placeholder.replaceAllUsesWith(result);
}
