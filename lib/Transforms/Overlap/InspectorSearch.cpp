//===- InspectorSearch.cpp - What an inspector asks, and whether it is right -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inspector.h"

#include "Comm/Dialect/Comm/IR/Comm.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/MPI/ABI.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace comm;

/// More pairs of operations are not compared.
static constexpr size_t kMostPairs = 40000;
/// Each access of the loop is compared with each range.
static constexpr size_t kMostRanges = 12;

//===----------------------------------------------------------------------===//
// What the loop touches
//===----------------------------------------------------------------------===//

static bool isPlainAccess(Operation *op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return !load.getVolatile_() && load.getOrdering() == LLVM::AtomicOrdering::not_atomic;
  if (auto store = dyn_cast<LLVM::StoreOp>(op))
    return !store.getVolatile_() && store.getOrdering() == LLVM::AtomicOrdering::not_atomic;
  return false;
}

bool InspectorSearch::readAccesses(const Unit &unit) {
  nest = analysis.getNest(unit);
  if (nest.loops.empty() || nest.loops.front().count.isUnknown() || nest.footprints.size() < 2) {
    why = "may end early, or in a way that is not known before it";
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
    if (!behavior.touchesMemory() || around.contains(op->getBlock()))
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
// What it keeps off
//===----------------------------------------------------------------------===//

/// The bytes of a piece from its first to its last one. None if they are not known.
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
  InspectedRange range;
  range.piece = piece;
  range.writes = piece.writes;
  result.ranges.push_back(std::move(range));
  return result.ranges.size() - 1;
}

/// The buffers of a start of this chain that ran since the chain was entered.
bool InspectorSearch::addStart(Operation *start, unsigned before, Operation *wait) {
  int home = chain.findUnit(start);
  auto mpiOp = dyn_cast<MPIOpInterface>(start);
  if (!mpiOp || home < 0 || home >= static_cast<int>(before))
    return false;
  Other other{start, false, {}};
  for (const BufferAccess &access : mpiOp.getAccesses()) {
    if (access.param->role == mpi::Role::Request || access.param->role == mpi::Role::Status)
      continue;
    StringRef datatype = access.datatype ? getConstantName(access.datatype) : "";
    const mpi::ABI &abi = mpi::ABI::all().front();
    std::optional<unsigned> extent = abi.getDatatypeExtent(datatype);
    if (access.extent != BufferAccess::Extent::Elements || !extent || !access.count ||
        !access.count.getType().isSignlessInteger() || !isa<LLVM::LLVMPointerType>(access.buffer.getType()) ||
        !getConstantName(access.buffer).empty() || mayAccessAnything(access) || result.ranges.size() >= kMostRanges) {
      why = "may touch what is in flight, of which it is not known which bytes it is";
      return false;
    }
    InspectedRange range;
    range.start = start;
    range.home = chain.getUnits()[home].op;
    range.buffer = access.buffer;
    range.count = access.count;
    range.extent = *extent;
    range.writes = access.writes;
    other.ranges.push_back(result.ranges.size());
    result.ranges.push_back(std::move(range));
  }
  others.push_back({wait, /*isByArguments=*/true, {}});
  others.push_back(std::move(other));
  return true;
}

bool InspectorSearch::findOthers(unsigned avoided) {
  const Unit &unit = chain.getUnits()[avoided];
  std::optional<Footprint> footprint;
  unit.walk([&](Operation *op) {
    if (!why.empty() || !oracle.getBehavior(op).touchesMemory())
      return;
    bool isKnown = true;
    if (auto completion = dyn_cast<CompletionOpInterface>(op)) {
      if (isWaitInMemory(op)) {
        const CompletedStarts *completed = oracle.getCompletedStarts(op);
        isKnown = completed && completed->isKnown();
        for (const InFlightStart &start : isKnown ? ArrayRef(completed->starts) : ArrayRef<InFlightStart>()) {
          int home = chain.findUnit(start.start);
          isKnown = isKnown && home >= 0 && !start.renewed->contains(chain.getUnits()[home].op->getBlock()) &&
                    addStart(start.start, avoided, op);
        }
      } else {
        for (Value request : completion.getRequests())
          isKnown = isKnown && request.getDefiningOp() && addStart(request.getDefiningOp(), avoided, op);
      }
      if (!isKnown && why.empty())
        why = "may touch what is in flight since an earlier iteration, or was started elsewhere";
      return;
    }
    if (isa<MPIOpInterface>(op)) {
      why = "depends on a communication before it";
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
  if (others.size() * accesses.size() > kMostPairs)
    why = "has too many accesses to be compared";
  for (const Access &access : accesses)
    for (const Other &other : others) {
      if (!why.empty())
        return false;
      bool mayConflict = other.isByArguments ? oracle.mayConflictAtArguments(cast<MPIOpInterface>(other.op), access.op,
                                                                             /*acrossIterations=*/true)
                                             : oracle.mayConflict(access.op, other.op, /*acrossIterations=*/true);
      if (!mayConflict)
        continue;
      if (other.ranges.empty() || !access.isPlain)
        why = "may touch what is in flight, or depends on it, in a way that cannot be asked";
      else
        for (unsigned range : other.ranges)
          if (access.writes || result.ranges[range].writes)
            ask(access.op).avoided.push_back(range);
    }
  return why.empty();
}

//===----------------------------------------------------------------------===//
// Iterations among themselves
//===----------------------------------------------------------------------===//

/// All that the access touches, whenever the loop runs. None if it is not known.
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

/// No iteration may touch what another one writes. Where expressions do not tell, the inspector sees to it that what is
/// read by indices is nothing that the loop writes.
bool InspectorSearch::compareIterations() {
  if (accesses.size() * accesses.size() > kMostPairs) {
    why = "has too many accesses to be compared";
    return false;
  }
  auto areApart = [&](const Access &a, const Access &b) {
    Predicate apart = Predicate::always();
    if (!a.isKnown || !b.isKnown)
      return Predicate::never();
    for (const NestedPieces &x : a.pieces)
      for (const NestedPieces &y : b.pieces)
        if (x[0]->writes || y[0]->writes)
          apart = apart && areIterationsIndependent(x, y, 1, areDifferentObjects);
    return apart;
  };
  for (size_t i = 0; i < accesses.size(); ++i)
    for (size_t j = i; j < accesses.size(); ++j) {
      const Access &a = accesses[i], &b = accesses[j];
      bool mayDepend = (a.writes || b.writes) && (i == j || oracle.mayConflict(a.op, b.op, /*acrossIterations=*/true));
      if (!mayDepend)
        continue;
      Predicate apart = areApart(a, b);
      if (mayHold(apart)) {
        result.holds = result.holds && apart;
        continue;
      }
      const Access &writer = a.writes ? a : b, &reader = a.writes ? b : a;
      const auto &ranges = getWritten(writer);
      if (reader.writes || !reader.isPlain || !ranges) {
        why = "has iterations that depend on each other";
        return false;
      }
      llvm::append_range(ask(reader.op).forbidden, *ranges);
    }
  constexpr unsigned mostComparisons = 64;
  if (result.holds.getSize() > mostComparisons)
    why = "has too many accesses to be compared";
  return why.empty();
}

//===----------------------------------------------------------------------===//
// What the inspector reads
//===----------------------------------------------------------------------===//

/// What the inspector loads must be what the loop will load: nothing in flight, nothing that the loop writes.
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
      why = "computes addresses from numbers of another kind";
      return false;
    }
  for (Operation *load : result.slice->getLoads()) {
    for (InspectedAccess &access : result.accesses)
      if (access.op == load) // not to be loaded at all, as long as it is on its way
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

/// Variables that an iteration loads for the next one. What the inspector loads is there and stays as it is, so that it
/// may be loaded again where another part of the loop begins.
bool InspectorSearch::findReloads() {
  Block *header = result.loop.header, *latch = result.loop.latch;
  DominanceInfo dominance(result.unit.op->getParentOfType<FunctionOpInterface>());
  SmallPtrSet<Block *, 16> blocks = findLoopBlocks(header, latch);
  auto end = dyn_cast<LLVM::CondBrOp>(latch->getTerminator());
  for (auto [index, step] : llvm::enumerate(result.loop.steps)) {
    if (!step.isUnknown() && !step.containsIterations())
      continue;
    BlockArgument argument = header->getArgument(index);
    why = "carries a value from one iteration to the next";
    if (!end)
      return false;
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
    if (!visit(visit, reload.next))
      return false;
    result.reloads.push_back(std::move(reload));
    why.clear();
  }
  return true;
}

/// The starts that a completion completes, if they are all known.
static std::optional<SmallVector<Operation *>> findCompletedStarts(Operation *op, MemoryOracle &oracle) {
  SmallVector<Operation *> starts;
  auto completion = dyn_cast<CompletionOpInterface>(op);
  if (!completion)
    return std::nullopt;
  if (isWaitInMemory(op)) {
    const CompletedStarts *completed = oracle.getCompletedStarts(op);
    if (!completed || !completed->isKnown())
      return std::nullopt;
    for (const InFlightStart &start : completed->starts)
      starts.push_back(start.start);
    return starts;
  }
  for (Value request : completion.getRequests()) {
    if (!isa_and_nonnull<MPIOpInterface>(request.getDefiningOp()))
      return std::nullopt;
    starts.push_back(request.getDefiningOp());
  }
  return starts;
}

/// The outermost loop around the unit in which nothing changes what the inspector reads, apart from what it asks about,
/// and from operations that are not executed in each iteration: those make it forget.
bool InspectorSearch::findLoopAround() {
  auto function = result.unit.op->getParentOfType<FunctionOpInterface>();
  DominanceInfo dominance(function);
  Block *here = result.unit.op->getBlock();
  CFGLoopInfo loops(dominance.getDomTree(here->getParent()));
  CFGLoop *innermost = loops.getLoopFor(here);
  SmallVector<Block *> latches;
  if (innermost)
    innermost->getLoopLatches(latches);
  DenseSet<Operation *> inUnit, asked;
  result.unit.walk([&](Operation *op) { inUnit.insert(op); });
  for (const InspectedRange &range : result.ranges)
    if (range.start)
      asked.insert(range.start);
  ArrayRef<Operation *> loads = result.slice->getLoads();
  DenseMap<Operation *, bool> changes;
  size_t pairs = 0;
  Operation *culprit = nullptr;
  auto meetsLoad = [&](Operation *op, bool isByArguments) {
    pairs += loads.size();
    return llvm::any_of(loads, [&](Operation *load) {
      return isByArguments ? oracle.mayConflictAtArguments(cast<MPIOpInterface>(op), load, /*acrossIterations=*/true)
                           : oracle.mayConflict(op, load, /*acrossIterations=*/true);
    });
  };
  // What is asked about at run time is not looked at: starts of this chain, and what the loop itself writes.
  auto mayChange = [&](Operation *op) {
    if (inUnit.contains(op) || asked.contains(op) || !oracle.getBehavior(op).writes)
      return false;
    auto [it, isNew] = changes.try_emplace(op, false);
    if (!isNew)
      return it->second;
    std::optional<SmallVector<Operation *>> starts = findCompletedStarts(op, oracle);
    bool doesChange = meetsLoad(op, /*isByArguments=*/starts.has_value());
    for (Operation *start : starts.value_or(SmallVector<Operation *>()))
      doesChange = doesChange || (!asked.contains(start) && meetsLoad(start, /*isByArguments=*/false));
    return changes[op] = doesChange;
  };
  for (CFGLoop *loop = innermost; loop; loop = loop->getParentLoop()) {
    SmallVector<Operation *> forgetting;
    bool isRight = true;
    for (Block *block : loop->blocks()) {
      // In each iteration, or in an inner loop: it would be forgotten all the time.
      bool isOften = loops.getLoopFor(block) != innermost ||
                     llvm::any_of(latches, [&](Block *latch) { return dominance.dominates(block, latch); });
      for (Operation &op : *block) {
        if (pairs > kMostPairs || !isRight)
          break;
        bool doesChange = mayChange(&op);
        op.walk([&](Operation *inner) {
          if (inner != &op)
            doesChange |= mayChange(inner);
        });
        if (!doesChange)
          continue;
        if (isOften || op.hasTrait<OpTrait::IsTerminator>()) {
          isRight = false;
          culprit = culprit ? culprit : &op;
        } else {
          forgetting.push_back(&op);
        }
      }
    }
    if (!isRight || pairs > kMostPairs)
      break;
    result.around = loop->getHeader();
    result.forgetting = std::move(forgetting);
  }
  if (result.around) {
    DenseSet<Block *> inside;
    for (CFGLoop *loop = innermost; loop; loop = loop->getParentLoop())
      if (loop->getHeader() == result.around)
        inside.insert(loop->block_begin(), loop->block_end());
    for (Value input : result.slice->getInputs())
      if (inside.contains(input.getParentBlock()) && !matchPattern(input, m_Constant()))
        result.keys.push_back(input);
    return true;
  }
  why = innermost ? "reads indices that may change from one time to the next"
                  : "reads indices, and is not in a loop: to look at them would take as long as it saves";
  if (culprit && getSourcePosition(culprit->getLoc()).line)
    why += " (" + toString(getSourcePosition(culprit->getLoc())) + ")";
  return false;
}

std::optional<Inspection> InspectorSearch::find(unsigned unit, ArrayRef<unsigned> avoided, std::string &whyNot) {
  result = Inspection();
  accesses.clear();
  others.clear();
  written.clear();
  why.clear();
  bool isFound = readAccesses(chain.getUnits()[unit]);
  for (unsigned other : avoided)
    isFound = isFound && findOthers(other);
  isFound = isFound && askOthers() && compareIterations() && askLoads() && findReloads() && findLoopAround();
  if (!isFound) {
    whyNot = why;
    return std::nullopt;
  }
  return std::move(result);
}
