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
#include "Comm/MPI/Markers.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace comm;

/// More rows than that are in no table.
static constexpr int64_t kMostRows = int64_t(1) << 40;
/// What a stride may be, for questions about typical numbers: more than a typical row is long.
static constexpr int64_t kTypicalStride = int64_t(1) << 16;
/// Operations that a guard is computed by.
static constexpr unsigned kMostSteps = 16;

LLVM::ConstantOp RowCheck::makeNumber(int64_t number) {
  auto function = unit.op->getParentOfType<FunctionOpInterface>();
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getFunctionBody().front());
  return LLVM::ConstantOp::create(builder, function.getLoc(), builder.getI64Type(), builder.getI64IntegerAttr(number));
}

RowCheck::RowCheck(const Unit &unit) : unit(unit), answer(makeNumber(1)) {}

RowCheck::~RowCheck() {
  SmallVector<Operation *> placeholders{answer};
  for (Table &table : tables)
    placeholders.append({table.first.getOperation(), table.stride.getOperation()});
  for (Operation *op : placeholders)
    if (op->use_empty())
      op->erase();
}

const RowCheck::Table *RowCheck::findTable(Value first) const {
  auto it = llvm::find_if(tables, [&](const Table &table) { return first && table.first == first.getDefiningOp(); });
  return it == tables.end() ? nullptr : &*it;
}

RowTables::Row RowCheck::getRow(Operation *load, const Base &base, const Expr &begin, int64_t step,
                                const Predicate &holds) {
  auto findNumber = [&](const Table &table) -> std::optional<int64_t> {
    std::optional<int64_t> distance = (begin - table.begin).getConstant();
    if (!(table.base == base) || table.step != step || !distance || (step ? *distance % step : *distance))
      return std::nullopt;
    return step ? *distance / step : 0;
  };
  auto it = llvm::find_if(tables, findNumber);
  if (it == tables.end()) {
    Table table;
    table.base = base;
    table.begin = begin;
    table.step = step;
    table.stride = makeNumber(kTypicalStride);
    OpBuilder builder(table.stride);
    table.first =
        LLVM::ZeroOp::create(builder, table.stride.getLoc(), LLVM::LLVMPointerType::get(builder.getContext()));
    tables.push_back(std::move(table));
    it = std::prev(tables.end());
  }
  int64_t number = *findNumber(*it);
  it->least = std::min(it->least, number);
  it->most = std::max(it->most, number);
  if (!llvm::is_contained(it->loads, load)) {
    it->loads.push_back(load);
    it->holds = it->holds && holds;
  }
  return {it->first, it->stride, number};
}

/// All entries that the loop looks at, as one range.
Piece RowCheck::getEntries(const Table &table) const {
  Piece piece;
  piece.base = table.base;
  piece.begin = table.begin + Expr(table.step * table.least);
  constexpr int64_t pointerSize = 8;
  Expr rows = loop.count + Expr(table.most - table.least);
  piece.size = table.step ? rows * Expr(table.step) : Expr(pointerSize);
  piece.reads = true;
  return piece;
}

bool RowCheck::keepOff(ArrayRef<Avoided> others, bool areBefore, MemoryOracle &oracle) {
  for (Table &table : tables)
    for (const Avoided &other : others) {
      auto mayConflict = [&](Operation *load) {
        if (other.isByArguments)
          return oracle.mayConflictAtArguments(cast<MPIOpInterface>(other.op), load, /*acrossIterations=*/true);
        return oracle.mayConflictInOrder(areBefore ? other.op : load, areBefore ? load : other.op,
                                         /*acrossIterations=*/true);
      };
      if (llvm::none_of(table.loads, mayConflict))
        continue;
      // Where a row is that has the pointers to others, is not known yet.
      if (!other.footprint || other.footprint->unknownOps.contains(other.op) || findTable(table.base.pointer))
        return false;
      for (const Piece &piece : other.footprint->pieces)
        if (piece.op == other.op && piece.writes)
          table.holds = table.holds && areDisjoint(getEntries(table), piece, areDifferentObjects);
      if (table.holds.isFalse())
        return false;
    }
  return true;
}

Predicate RowCheck::areEntriesKept(LoopAccesses &accesses) const {
  Predicate result = Predicate::always();
  for (const Table &table : tables)
    result = result && accesses.writesNothingOf(getEntries(table), table.loads);
  return result;
}

//===----------------------------------------------------------------------===//
// Whether the loop comes to its loads
//===----------------------------------------------------------------------===//

/// Whether the value can be computed in front of `place`, and how: by operations that may be executed anywhere.
static bool isComputableBefore(Value value, Operation *place, DominanceInfo &dominance, unsigned &steps) {
  if (dominance.properlyDominates(value, place))
    return true;
  Operation *op = value.getDefiningOp();
  return op && ++steps <= kMostSteps && isPure(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isComputableBefore(operand, place, dominance, steps); });
}

/// Where several ways meet that all come from one branch: the block of that branch. Null for other blocks.
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

/// Notes what has to hold for control to come from the unit's beginning to the block. False if that depends on more
/// than is known before the unit.
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
      // The ends of loops around it. An inner one is entered under conditions of its own.
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
      unsigned steps = 0;
      if (isTrue == (condition.getFalseDest() == block) ||
          !isComputableBefore(condition.getCondition(), unit.op, dominance, steps))
        return false;
      guards.push_back({condition.getCondition(), isTrue});
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
  auto isThere = [&](Value value) { return dominance.properlyDominates(value, unit.op); };
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
    if (!areThere || (table.base.pointer && !isThere(table.base.pointer)) || !table.begin.isMaterializable() ||
        !table.holds.isMaterializable())
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

/// Goes over the entries of one table from where the builder is, and leaves it where that is done: the first row and
/// the stride are added to the results. Returns whether the rows are evenly spaced.
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
    auto row = LLVM::LoadOp::create(builder, loc, ptr, entry);
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
    results.append({lowest, none});
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
  Type i64 = builder.getI64Type(), ptr = LLVM::LLVMPointerType::get(builder.getContext());
  DominanceInfo dominance(entry->getParentOfType<FunctionOpInterface>());
  Value mayLoad = (Predicate::lessOrEqual(Expr(1), loop.count) && Predicate::lessOrEqual(loop.count, Expr(kMostRows)))
                      .materialize(builder, loc);
  auto require = [&](Value condition) { mayLoad = LLVM::AndOp::create(builder, loc, mayLoad, condition); };
  IRMapping map;
  for (auto [condition, isTrue] : guards) {
    Value computed = cloneBefore(condition, builder, entry, dominance, map);
    Value frozen = LLVM::FreezeOp::create(builder, loc, computed);
    Value expected = LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), builder.getBoolAttr(isTrue));
    require(LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, frozen, expected));
  }
  for (const Table &table : tables)
    require(table.holds.materialize(builder, loc));
  if (asks)
    require(askRuntime(builder, loc, mpi::kAskSpansNodes));
  SmallVector<Value> nothing, found;
  Value null = LLVM::ZeroOp::create(builder, loc, ptr);
  Value none = LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(0));

  Block *before = entry->getBlock(), *after = before->splitBlock(entry), *check = new Block();
  after->getParent()->getBlocks().insert(Region::iterator(after), check);
  for (size_t i = 0; i < tables.size(); ++i) {
    results.append({after->addArgument(ptr, loc), after->addArgument(i64, loc)});
    nothing.append({null, none});
  }
  results.push_back(after->addArgument(i64, loc));
  nothing.push_back(none);
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
  SmallVector<Operation *> placeholders;
  for (Table &table : tables)
    placeholders.append({table.first.getOperation(), table.stride.getOperation()});
  placeholders.push_back(answer);
  for (auto [placeholder, result] : llvm::zip_equal(placeholders, results))
    placeholder->replaceAllUsesWith(ValueRange(result));
}
