//===- InspectorSearch.cpp - Find a correct inspector ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/Inspector.h"

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/Dialect/Comm/Utils/Worksharing.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace comm;

/// Limit on the ranges, since each access of the loop is compared with each of them.
static constexpr size_t kMostRanges = 12;

//===----------------------------------------------------------------------===//
// What the loop touches
//===----------------------------------------------------------------------===//

bool InspectorSearch::readAccesses(const Unit &unit) {
  nest = analysis.getNest(unit);
  if (nest.loops.empty() || nest.loops.front().count.isUnknown() || !nest.loops.front().holds.isTrue() ||
      nest.footprints.size() < 2) {
    why = "may exit early, or has an unknown trip count";
    return false;
  }
  result.unit = unit;
  result.loop = nest.loops.front();
  SmallPtrSet<Block *, 16> blocks = findLoopBlocks(result.loop.header, result.loop.latch);
  llvm::MapVector<Operation *, SmallVector<NestedPieces, 1>> pieces;
  const Footprint &whole = nest.footprints[0], &ofIteration = nest.footprints[1];
  bool isOrdered = whole.pieces.size() == ofIteration.pieces.size();
  for (size_t i = 0; isOrdered && i < whole.pieces.size(); ++i) {
    isOrdered &= whole.pieces[i].op == ofIteration.pieces[i].op;
    pieces[whole.pieces[i].op].push_back({&whole.pieces[i], &ofIteration.pieces[i]});
  }
  SmallPtrSet<Block *, 4> around = findBlocksAround(unit, result.loop.header);
  unit.walk([&](Operation *op) {
    Behavior behavior = oracle.getBehavior(op);
    // Footprints do not include errno.
    bool touchesNothing = isOrdered && !whole.isUnknown && !ofIteration.isUnknown && !pieces.contains(op);
    if (!behavior.touchesMemory() || touchesNothing || around.contains(op->getBlock()))
      return;
    Access access{op, {}, isPlainAccess(op), behavior.writes};
    access.isKnown =
        isOrdered && pieces.contains(op) && !whole.unknownOps.contains(op) && !ofIteration.unknownOps.contains(op);
    if (access.isKnown)
      access.pieces = pieces.find(op)->second;
    if (access.writes && !blocks.contains(op->getBlock()) && why.empty())
      why = "writes memory outside of the loop that is split";
    accesses.push_back(std::move(access));
  });
  return why.empty();
}

//===----------------------------------------------------------------------===//
// What the loop must avoid
//===----------------------------------------------------------------------===//

/// Extends the known piece by the other one if they are always adjacent, as `force[3 * i]` and `force[3 * i + 1]`. Each
/// index is then checked only once.
static bool joinPieces(Piece &known, const Piece &piece) {
  auto isSame = [](const Level &a, const Level &b) { return a.stride == b.stride && a.count == b.count; };
  std::optional<int64_t> distance = (piece.begin - known.begin).getConstant(), size = piece.size.getConstant(),
                         knownSize = known.size.getConstant();
  bool isNext = distance && size && knownSize && *distance <= *knownSize && -*distance <= *size;
  if (!isNext || !(piece.base == known.base) || piece.writes != known.writes || !piece.holds.isTrue() ||
      !known.holds.isTrue() || !llvm::equal(piece.levels, known.levels, isSame))
    return false;
  int64_t end = std::max(*knownSize, *distance + *size), begin = std::min<int64_t>(0, *distance);
  known.begin = known.begin + Expr(begin);
  known.size = Expr(end - begin);
  return true;
}

/// Adds a range from the first to the last byte of a piece. Returns none if these are unknown.
std::optional<unsigned> InspectorSearch::addPiece(const Piece &piece) {
  Expr begin = piece.getBegin(), end = piece.getEnd();
  bool isKnown = !piece.isWhole && !piece.indices && piece.base.isKnown() && !begin.isUnknown() && !end.isUnknown() &&
                 !begin.containsIterations() && !end.containsIterations();
  if (!isKnown || !begin.isMaterializable() || !end.isMaterializable() || !piece.holds.isMaterializable() ||
      result.ranges.size() >= kMostRanges)
    return std::nullopt;
  DominanceInfo dominance(result.unit.op->getParentOfType<FunctionOpInterface>());
  bool isThere = true;
  auto check = [&](Value value) { isThere &= dominance.properlyDominates(value, result.unit.op); };
  begin.forEachSymbol(check);
  end.forEachSymbol(check);
  piece.holds.forEachSymbol(check);
  if (piece.base.pointer)
    check(piece.base.pointer);
  if (!isThere)
    return std::nullopt;
  for (auto [index, known] : llvm::enumerate(result.ranges))
    if (!known.start && joinPieces(known.piece, piece))
      return index;
  InspectedRange range;
  range.piece = piece;
  range.writes = piece.writes;
  result.ranges.push_back(std::move(range));
  return result.ranges.size() - 1;
}

/// Adds the buffers of a start. `isOfNow`: all buffers in flight were started since the chain was entered.
bool InspectorSearch::addStart(Operation *start, unsigned before, Operation *wait, bool isOfNow) {
  auto mpiOp = dyn_cast<MPIOpInterface>(start);
  if (!mpiOp || start->getParentOfType<FunctionOpInterface>() != wait->getParentOfType<FunctionOpInterface>())
    return false;
  int home = chain.findUnit(start);
  isOfNow &= home >= 0 && home < static_cast<int>(before);
  Other other{start, false, {}};
  for (const BufferAccess &access : mpiOp.getAccesses()) {
    if (access.param->role == mpi::Role::Request || access.param->role == mpi::Role::Status)
      continue;
    StringRef datatype = access.datatype ? getConstantName(access.datatype) : "";
    std::optional<unsigned> extent = access.datatype ? getDatatypeExtent(datatype, access.datatype) : std::nullopt;
    if (access.extent != BufferAccess::Extent::Elements || !extent || !access.count ||
        !access.count.getType().isSignlessInteger() || !isa<LLVM::LLVMPointerType>(access.buffer.getType()) ||
        !getConstantName(access.buffer).empty() || mayAccessAnything(mpiOp, access) ||
        result.ranges.size() >= kMostRanges) {
      why = "may touch data in flight whose location or size is unknown";
      return false;
    }
    InspectedRange range;
    range.start = start;
    range.home = isOfNow ? chain.getUnits()[home].op : nullptr;
    range.buffer = access.buffer;
    range.count = access.count;
    range.extent = *extent;
    range.writes = access.writes;
    other.ranges.push_back(result.ranges.size());
    result.ranges.push_back(std::move(range));
  }
  others.push_back(std::move(other));
  return true;
}

/// Adds the requests of a wait, which it touches, too.
void InspectorSearch::addArguments(MPIOpInterface wait) {
  Other other{wait, /*isByArguments=*/true, {}};
  // A program that has the address of followed requests as a number might store others there: only alias analysis can
  // tell.
  bool isKnown = !isWaitInMemory(wait);
  for (const BufferAccess &access : getArgumentAccesses(wait).accesses) {
    if (!isKnown)
      break;
    if (!getConstantName(access.buffer).empty())
      continue; // MPI_STATUSES_IGNORE
    Piece piece;
    piece.base.pointer = access.buffer;
    bool isScalar = access.extent == BufferAccess::Extent::Scalar;
    isKnown &= access.param->role == mpi::Role::Request && (isScalar || access.count) &&
               isa<LLVM::LLVMPointerType>(access.buffer.getType());
    if (!isKnown)
      break;
    piece.size = Expr(8) * (isScalar ? Expr(1) : Expr::max(Expr(), Expr::symbol(access.count)));
    piece.reads = piece.writes = true;
    std::optional<unsigned> range = addPiece(piece);
    isKnown &= range.has_value();
    if (range)
      other.ranges.push_back(*range);
  }
  if (!isKnown)
    other.ranges.clear();
  others.push_back(std::move(other));
}

/// Returns true if the wait of the start is avoided, too: that covers all that the start touches.
bool InspectorSearch::isWaitedFor(Operation *start, ArrayRef<unsigned> avoided) const {
  std::optional<Interval> interval = getInterval(start);
  int wait = interval && interval->start == start ? chain.findUnit(interval->wait) : -1;
  return wait >= 0 && llvm::is_contained(avoided, static_cast<unsigned>(wait));
}

bool InspectorSearch::findOthers(unsigned avoided, ArrayRef<unsigned> all) {
  const Unit &unit = chain.getUnits()[avoided];
  std::optional<Footprint> footprint;
  unit.walk([&](Operation *op) {
    if (!why.empty() || !oracle.getBehavior(op).touchesMemory())
      return;
    bool isKnown = true;
    if (auto completion = dyn_cast<CompletionOpInterface>(op)) {
      addArguments(cast<MPIOpInterface>(op));
      if (isWaitInMemory(op)) {
        const CompletedStarts *completed = oracle.getCompletedStarts(op);
        isKnown = completed && completed->isKnown();
        for (const InFlightStart &start : isKnown ? ArrayRef(completed->starts) : ArrayRef<InFlightStart>()) {
          int home = chain.findUnit(start.start);
          bool isOfNow = home >= 0 && !start.renewed->contains(chain.getUnits()[home].op->getBlock());
          isKnown = isKnown && addStart(start.start, avoided, op, isOfNow);
        }
      } else {
        for (Value request : completion.getRequests())
          isKnown = isKnown && request.getDefiningOp() && addStart(request.getDefiningOp(), avoided, op, true);
      }
      if (!isKnown && why.empty())
        why = "may touch data in flight whose start is unknown";
      return;
    }
    if (isa<MPIOpInterface>(op)) {
      if (!isWaitedFor(op, all))
        why = "depends on an earlier communication";
      return;
    }
    if (!footprint)
      footprint = analysis.getFootprint(unit);
    Other other{op, false, {}};
    bool isFound = !footprint->unknownOps.contains(op);
    for (const Piece &piece : footprint->pieces) {
      if (piece.op != op)
        continue;
      std::optional<unsigned> range = addPiece(piece);
      isFound &= range.has_value();
      if (range)
        other.ranges.push_back(*range);
    }
    if (!isFound)
      other.ranges.clear();
    others.push_back(std::move(other));
  });
  return why.empty();
}

InspectedAccess &InspectorSearch::ask(Operation *op) {
  for (InspectedAccess &known : result.accesses)
    if (known.op == op)
      return known;
  result.accesses.push_back({op, {}, {}});
  return result.accesses.back();
}

bool InspectorSearch::askOthers() {
  if (others.size() * accesses.size() > kMostInspectedPairs)
    why = "has too many accesses to compare";
  for (const Access &access : accesses)
    for (const Other &other : others) {
      if (!why.empty())
        return false;
      bool mayConflict = other.isByArguments
                             ? oracle.mayConflictAtArguments(cast<MPIOpInterface>(other.op), access.op,
                                                             /*acrossIterations=*/true)
                             : oracle.mayConflictInOrder(other.op, access.op, /*acrossIterations=*/true);
      if (!mayConflict)
        continue;
      if (other.ranges.empty() || !access.isPlain)
        why = "may touch data in flight, or depends on it, in a way that cannot be checked at run time";
      else
        for (unsigned range : other.ranges)
          if (access.writes || result.ranges[range].writes)
            ask(access.op).avoided.push_back(range);
    }
  return why.empty();
}

//===----------------------------------------------------------------------===//
// Dependences between iterations
//===----------------------------------------------------------------------===//

/// Returns all that the access touches, whenever the loop runs, or none if that is unknown.
const std::optional<SmallVector<unsigned, 4>> &InspectorSearch::getWritten(const Access &access) {
  auto [it, isNew] = written.try_emplace(access.op);
  if (!isNew || !access.isKnown)
    return it->second;
  SmallVector<unsigned, 4> ranges;
  for (const NestedPieces &pieces : access.pieces) {
    std::optional<unsigned> range = addPiece(*pieces[0]);
    if (!range)
      return it->second;
    ranges.push_back(*range);
  }
  it->second = std::move(ranges);
  return it->second;
}

/// Returns true if both accesses begin at one pointer: one iteration most likely reads what another one writes.
bool InspectorSearch::isInPlace(const Access &writer, const Access &reader) const {
  auto store = dyn_cast<LLVM::StoreOp>(writer.op);
  auto load = dyn_cast<LLVM::LoadOp>(reader.op);
  return store && load && getBasePointer(store.getAddr()) == getBasePointer(load.getAddr());
}

/// Lets the iterations depend on each other: the first ones run before the wait, all others after it. (Threads of a
/// team would share out the iterations of each part differently.)
bool InspectorSearch::keepOrder() {
  why.clear();
  if (isWorksharing(result.loop.latch->getTerminator())) {
    why = "has iterations that depend on each other";
    return false;
  }
  result.keepsOrder = true;
  result.holds = Predicate::always();
  for (InspectedAccess &access : result.accesses)
    access.forbidden.clear();
  return true;
}

/// Ensures that no iteration touches what another one writes. Where expressions cannot tell, the inspector checks that
/// the loop writes nothing that it reads through indices. If iterations depend on each other, they keep their order.
bool InspectorSearch::compareIterations() {
  if (accesses.size() * accesses.size() > kMostInspectedPairs)
    return keepOrder();
  auto areApart = [&](const Access &a, const Access &b) {
    Predicate apart = Predicate::always();
    if (!a.isKnown || !b.isKnown)
      return Predicate::never();
    for (const NestedPieces &x : a.pieces)
      for (const NestedPieces &y : b.pieces)
        if (x[0]->writes || y[0]->writes)
          apart = apart && areIterationsIndependent(x, y, result.loop.count, areDifferentObjects);
    return apart;
  };
  for (size_t i = 0; i < accesses.size(); ++i)
    for (size_t j = i; j < accesses.size(); ++j) {
      const Access &a = accesses[i], &b = accesses[j];
      bool mayDepend = (a.writes || b.writes) && (i == j || oracle.mayConflict(a.op, b.op, /*acrossIterations=*/true));
      if (!mayDepend)
        continue;
      const Access &writer = a.writes ? a : b, &reader = a.writes ? b : a;
      bool isOneBase = a.isKnown && b.isKnown && a.pieces.front()[0]->base == b.pieces.front()[0]->base;
      const auto &ranges = getWritten(writer);
      // Checked once if the result is kept, otherwise whenever the loop is entered.
      bool isKept = !isOneBase && !reader.writes && reader.isPlain && ranges;
      Predicate apart = isKept ? Predicate::never() : areApart(a, b);
      if (mayHold(apart)) {
        result.holds = result.holds && apart;
        continue;
      }
      if (reader.writes || !reader.isPlain || !ranges || isInPlace(writer, reader))
        return keepOrder();
      llvm::append_range(ask(reader.op).forbidden, *ranges);
    }
  constexpr unsigned mostComparisons = 64;
  return result.holds.getSize() <= mostComparisons || keepOrder();
}

//===----------------------------------------------------------------------===//
// What the inspector reads
//===----------------------------------------------------------------------===//

/// Ensures that the inspector loads what the loop will load: nothing in flight, and nothing that the loop writes.
bool InspectorSearch::askLoads() {
  SmallVector<Operation *> asked;
  for (const InspectedAccess &access : result.accesses)
    asked.push_back(access.op);
  PostDominanceInfo postDominance(result.unit.op->getParentOfType<FunctionOpInterface>());
  result.slice = std::make_shared<UnitSlice>(result.unit);
  why = result.slice->add(asked, postDominance);
  if (!why.empty())
    return false;
  for (Value input : result.slice->getInputs())
    if (!isa<LLVM::LLVMPointerType>(input.getType()) &&
        !(input.getType().isSignlessInteger() && input.getType().getIntOrFloatBitWidth() <= 64)) {
      why = "computes addresses from values of an unsupported type";
      return false;
    }
  // If addresses follow from the loop's counters, expressions have already shown that every iteration touches the
  // memory.
  if (result.slice->getLoads().empty()) {
    why = "reads no indices";
    return false;
  }
  if (takesLonger()) {
    why = "computes less than an inspection of its addresses would cost";
    return false;
  }
  for (Operation *load : result.slice->getLoads()) {
    for (InspectedAccess &access : result.accesses)
      if (access.op == load) // not loaded at all while it is in flight
        llvm::append_range(access.forbidden, access.avoided);
    for (const Access &access : accesses) {
      if (!access.writes || !oracle.mayConflict(access.op, load, /*acrossIterations=*/true))
        continue;
      const std::optional<SmallVector<unsigned, 4>> &ranges = getWritten(access);
      if (!ranges) {
        why = "may write the indices that it reads";
        return false;
      }
      llvm::append_range(ask(load).forbidden, *ranges);
    }
  }
  return true;
}

/// Returns true if the inspector takes longer than a loop that reads no index itself: its addresses follow from its
/// counter (a plane that a table chooses), but the inspector compares each of them.
bool InspectorSearch::takesLonger() {
  DominanceInfo dominance(result.unit.op->getParentOfType<FunctionOpInterface>());
  CFGLoopInfo loops(dominance.getDomTree(result.loop.header->getParent()));
  // Adjacent accesses through one pointer are checked together.
  llvm::DenseMap<CFGLoop *, llvm::SmallSet<std::pair<void *, unsigned>, 8>> comparisons;
  for (const InspectedAccess &access : result.accesses) {
    Value base = getBasePointer(access.getPointer());
    if (CFGLoop *loop = loops.getLoopFor(access.op->getBlock()))
      for (ArrayRef<unsigned> ranges : {ArrayRef(access.avoided), ArrayRef(access.forbidden)})
        for (unsigned range : ranges)
          comparisons[loop].insert({base.getAsOpaquePointer(), range});
  }
  for (Operation *load : result.slice->getLoads())
    comparisons.erase(loops.getLoopFor(load->getBlock()));
  constexpr unsigned opsOfComparison = 4;
  return llvm::any_of(comparisons, [&](const auto &entry) {
    unsigned ops = 0;
    for (Block *block : entry.first->blocks())
      ops += block->getOperations().size();
    return entry.second.size() * opsOfComparison > ops;
  });
}

/// Finds variables that an iteration loads for the next one. What the inspector loads is valid and does not change, so
/// each part of the loop may load it again. (What else the loop carries, findCarried judges.)
void InspectorSearch::findReloads() {
  Block *header = result.loop.header, *latch = result.loop.latch;
  DominanceInfo dominance(result.unit.op->getParentOfType<FunctionOpInterface>());
  SmallPtrSet<Block *, 16> blocks = findLoopBlocks(header, latch);
  auto end = dyn_cast<LLVM::CondBrOp>(latch->getTerminator());
  for (auto [index, step] : llvm::enumerate(result.loop.steps)) {
    if (!step.isUnknown() && !step.containsIterations())
      continue;
    BlockArgument argument = header->getArgument(index);
    if (!end)
      return;
    Reload reload{
        argument, (end.getTrueDest() == header ? end.getTrueDestOperands() : end.getFalseDestOperands()) [index], {}};
    DenseSet<Operation *> seen;
    auto visit = [&](auto &&self, Value value) -> bool {
      if (!blocks.contains(value.getParentBlock()))
        return true;
      if (auto other = dyn_cast<BlockArgument>(value)) {
        if (other.getOwner() != header)
          return false;
        const Expr &grows = result.loop.steps[other.getArgNumber()];
        return !grows.isUnknown() && !grows.containsIterations();
      }
      Operation *op = value.getDefiningOp();
      if (!seen.insert(op).second)
        return true;
      if (!result.slice->contains(op) || !dominance.dominates(op->getBlock(), latch) ||
          !llvm::all_of(op->getOperands(), [&](Value operand) { return self(self, operand); }))
        return false;
      reload.ops.push_back(op);
      return true;
    };
    if (visit(visit, reload.next))
      result.reloads.push_back(std::move(reload));
  }
}

bool Inspection::isAllInLoop() const {
  SmallPtrSet<Block *, 16> blocks = findLoopBlocks(loop.header, loop.latch);
  return llvm::all_of(accesses,
                      [&](const InspectedAccess &access) { return blocks.contains(access.op->getBlock()); }) &&
         llvm::all_of(slice->getLoads(), [&](Operation *load) { return blocks.contains(load->getBlock()); });
}

std::optional<Inspection> InspectorSearch::find(unsigned unit, ArrayRef<unsigned> avoided, std::string &whyNot) {
  result = Inspection();
  accesses.clear();
  others.clear();
  written.clear();
  why.clear();
  bool isFound = readAccesses(chain.getUnits()[unit]);
  for (unsigned other : avoided)
    isFound = isFound && findOthers(other, avoided);
  isFound = isFound && askOthers() && compareIterations() && askLoads() && findLoopAround();
  if (!isFound) {
    whyNot = why;
    return std::nullopt;
  }
  findReloads();
  return std::move(result);
}
