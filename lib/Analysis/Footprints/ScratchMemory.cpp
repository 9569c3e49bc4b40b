//===- ScratchMemory.cpp - Objects that iterations fill first -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScratchMemory.h"

#include "Comm/Analysis/Footprints/Interior.h"

#include "llvm/IR/CFG.h"

using namespace mlir;
using namespace comm;

/// Limits on the accesses of one object that are compared, and on the ranges that follow each other.
static constexpr size_t kMostAccesses = 64, kMostRanges = 4;
/// Limit on the orders of ranges that are tried.
static constexpr unsigned kMostTrials = 100;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Returns the footprint of one iteration of the loop and of those around it, or null if its pieces are not those of
/// the other footprints.
const Footprint *ScratchReader::getFootprint(const llvm::Loop &kept) {
  auto *it = footprints.find(&kept);
  if (it == footprints.end()) {
    llvm::SmallVector<const llvm::Loop *> loops;
    for (const llvm::Loop *around = &kept; around && scope.inUnit.contains(around); around = around->getParentLoop())
      loops.insert(loops.begin(), around);
    it = footprints.insert({&kept, compute(loops)}).first;
  }
  const Footprint &first = footprints.front().second;
  bool isSame = llvm::equal(it->second.pieces, first.pieces,
                            [](const Piece &a, const Piece &b) { return a.op == b.op && a.base == b.base; });
  return isSame && !it->second.isUnknown ? &it->second : nullptr;
}

const Piece *ScratchReader::getPiece(const Access &access, const llvm::Loop &kept) {
  const Footprint *footprint = getFootprint(kept);
  const Piece *piece = footprint ? &footprint->pieces[access.number] : nullptr;
  return piece && !piece->isWhole && !piece->indices ? piece : nullptr;
}

/// Finds the accesses of the object. Returns false if there are too many, or some are not in the loop.
bool ScratchReader::collect(const Base &base) {
  const Footprint *footprint = getFootprint(loop);
  if (!footprint)
    return false;
  for (const auto &[number, piece] : llvm::enumerate(footprint->pieces)) {
    if (!(piece.base == base))
      continue;
    const llvm::BasicBlock *block = piece.op ? values.getBlock(piece.op->getBlock()) : nullptr;
    if (!block || !loop.contains(block) || accesses.size() == kMostAccesses)
      return false;
    accesses.push_back({number, piece.op, block, piece.reads, piece.writes});
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Returns the block itself, or the header of the loop inside `in` that contains it.
const llvm::BasicBlock *ScratchReader::getTop(const llvm::BasicBlock *block, const llvm::Loop &in) const {
  const llvm::Loop *inner = scope.loops.getLoopFor(block);
  if (inner == &in)
    return block;
  while (inner->getParentLoop() != &in)
    inner = inner->getParentLoop();
  return inner->getHeader();
}

/// Returns true if control may get from the loop's header to `target` past `via`, in one iteration and by other edges
/// than these.
bool ScratchReader::mayAvoid(const llvm::Loop &in, const llvm::BasicBlock *target, const llvm::BasicBlock *via,
                             ArrayRef<llvm::BasicBlockEdge> never) const {
  if (in.getHeader() == via)
    return false;
  llvm::SmallSetVector<const llvm::BasicBlock *, 16> reached;
  reached.insert(in.getHeader());
  for (size_t i = 0; i < reached.size(); ++i) {
    const llvm::BasicBlock *block = reached[i];
    if (block == target)
      return true;
    for (const llvm::BasicBlock *next : llvm::successors(block)) {
      bool isNever = llvm::any_of(
          never, [&](const llvm::BasicBlockEdge &edge) { return edge.getStart() == block && edge.getEnd() == next; });
      if (next != in.getHeader() && next != via && in.contains(next) && !isNever)
        reached.insert(next);
    }
  }
  return false;
}

/// Calls `fn` with the branches of the loop that control must take to reach the block, and the successors that lead to
/// it.
void ScratchReader::forEachGuard(const llvm::BasicBlock *block, const llvm::Loop &in,
                                 llvm::function_ref<void(llvm::BranchInst &branch, unsigned taken)> fn) const {
  const auto *node = dominance.getNode(block);
  for (node = node ? node->getIDom() : nullptr; node && in.contains(node->getBlock()); node = node->getIDom()) {
    llvm::BasicBlock *before = node->getBlock();
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(before->getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
      continue;
    for (unsigned i : {0, 1})
      if (dominance.dominates(llvm::BasicBlockEdge(before, branch->getSuccessor(i)), block))
        fn(*branch, i);
  }
}

/// Returns the condition under which the branch goes that way in all iterations.
Predicate ScratchReader::isAlwaysTaken(llvm::BranchInst &branch, unsigned successor) const {
  return ScalarTranslator(scope, &branch).holdsAlways(branch.getCondition(), /*isTrue=*/successor == 0);
}

/// Returns the condition under which control passes `via` on its way to `target`, in each iteration of the loop: guards
/// (`if (columns > 0)`) must hold in all of them.
Predicate ScratchReader::isPassed(const llvm::Loop &in, const llvm::BasicBlock *target, const llvm::BasicBlock *via) {
  if (target == via || !mayAvoid(in, target, via, {}))
    return Predicate::always();
  Predicate holds = Predicate::always();
  llvm::SmallVector<llvm::BasicBlockEdge> never;
  forEachGuard(via, in, [&](llvm::BranchInst &branch, unsigned taken) {
    Predicate isTaken = isAlwaysTaken(branch, taken);
    if (!mayHold(isTaken))
      return;
    holds = holds && isTaken;
    never.push_back({branch.getParent(), branch.getSuccessor(1 - taken)});
  });
  return mayAvoid(in, target, via, never) ? Predicate::never() : holds;
}

/// Returns the condition under which no iteration of the loop reaches the block: `if (columns < 2)` around it.
Predicate ScratchReader::isNeverReached(const llvm::BasicBlock *block) const {
  Predicate never = Predicate::never();
  forEachGuard(block, loop, [&](llvm::BranchInst &branch, unsigned taken) {
    Predicate isOther = isAlwaysTaken(branch, 1 - taken);
    if (never.isFalse() && mayHold(isOther))
      never = isOther;
  });
  return never;
}

/// Returns the condition under which the write is executed in all iterations of the loops between `from` and it, and
/// these loops end only as counted.
Predicate ScratchReader::runsInEach(const Access &write, const llvm::Loop &from) {
  Predicate holds = Predicate::always();
  for (const llvm::Loop *inner = scope.loops.getLoopFor(write.block); inner != &from; inner = inner->getParentLoop()) {
    const llvm::BasicBlock *latch = inner->getLoopLatch();
    if (!latch || inner->getExitingBlock() != latch)
      return Predicate::never();
    holds = holds && isPassed(*inner, latch, getTop(write.block, *inner));
  }
  return holds;
}

/// Returns the condition under which all of the write is executed before the read, in each iteration of the loop with a
/// read. The read may be in a loop inside of it that the write is not in.
Predicate ScratchReader::precedes(const Access &write, const Access &read, const llvm::Loop &in) {
  const llvm::BasicBlock *ofWrite = getTop(write.block, in), *ofRead = getTop(read.block, in);
  if (ofWrite != ofRead)
    return isPassed(in, ofRead, ofWrite) && runsInEach(write, in);
  bool isBefore = write.block == read.block && write.block == ofWrite && scope.loops.getLoopFor(write.block) == &in &&
                  write.op != read.op && write.op->isBeforeInBlock(read.op);
  return isBefore ? Predicate::always() : Predicate::never();
}

/// Returns what the write has written in earlier iterations of the loop: bytes without gaps, in terms of the number of
/// the iteration.
std::optional<ScratchReader::Filled> ScratchReader::findEarlier(const Access &write, const llvm::Loop &in) {
  const Piece *piece = getPiece(write, in);
  unsigned number = scope.inUnit.lookup(&in);
  Expr step, rest;
  if (!piece || !piece->isExact || !piece->levels.empty() || !piece->begin.splitLinear(number, step, rest) ||
      piece->size.contains(number) || !step.getConstant() || !piece->size.getConstant() || step.isZero())
    return std::nullopt;
  bool isUp = *step.getConstant() > 0;
  Expr walked = step * Expr::iteration(number), length = isUp ? step : Expr() - step;
  if (*length.getConstant() > *piece->size.getConstant())
    return std::nullopt;
  Filled earlier{*piece,
                 isPassed(in, in.getLoopLatch(), getTop(write.block, in)) && runsInEach(write, in) && piece->holds};
  earlier.piece.begin = isUp ? rest : rest + piece->size + walked;
  earlier.piece.size = isUp ? walked : Expr() - walked;
  return earlier;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

namespace {
/// Searches ranges that cover others, in all iterations around a place.
class CoverSearch {
public:
  CoverSearch(const Scope &scope, const llvm::BasicBlock *place)
      : scope(scope), scalars(scope, const_cast<llvm::Instruction *>(place->getTerminator())) {}

  /// Returns the condition under which a <= b in all iterations.
  Predicate isAtMost(const Expr &a, const Expr &b) {
    Predicate holds = Predicate::always();
    std::optional<Bounds> bounds = (b - a).isUnknown() ? std::nullopt : scalars.getBounds(b - a, holds);
    return bounds ? holds && Predicate::lessOrEqual(Expr(), bounds->least) : Predicate::never();
  }
  /// Returns the condition under which the ranges, one after the other, cover [begin, end).
  Predicate covers(const Expr &begin, const Expr &end, ArrayRef<std::pair<const Piece *, Predicate>> ranges,
                   size_t most = kMostRanges);
  /// Returns the condition under which the outer piece, which has gaps, contains all of the inner one.
  Predicate contains(const Piece &outer, const Piece &inner) {
    return inner.levels.empty() ? containsOne(outer, inner) : containsAll(outer, inner);
  }

private:
  Predicate containsAll(const Piece &outer, const Piece &inner);
  Predicate containsOne(const Piece &outer, const Piece &inner);

  const Scope &scope;
  ScalarTranslator scalars;
  unsigned tried = 0;
};
} // namespace

Predicate CoverSearch::covers(const Expr &begin, const Expr &end, ArrayRef<std::pair<const Piece *, Predicate>> ranges,
                              size_t most) {
  llvm::SmallVector<std::pair<size_t, Predicate>> possible;
  for (const auto &[number, range] : llvm::enumerate(ranges)) {
    Predicate starts = isAtMost(range.first->begin, begin) && range.second;
    if (!mayHold(starts))
      continue;
    if (Predicate ends = isAtMost(end, range.first->getEnd()); mayHold(starts && ends))
      return starts && ends;
    possible.push_back({number, starts});
  }
  for (const auto &[number, starts] : possible) {
    if (most == 0 || ++tried > kMostTrials)
      break;
    auto others = llvm::to_vector(ranges);
    others.erase(others.begin() + number);
    Predicate rest = covers(ranges[number].first->getEnd(), end, others, most - 1);
    if (mayHold(starts && rest))
      return starts && rest;
  }
  return Predicate::never();
}

/// Both repeat in the same steps: what all rows fill.
Predicate CoverSearch::containsAll(const Piece &outer, const Piece &inner) {
  if (outer.levels.empty() || outer.levels.size() != inner.levels.size())
    return Predicate::never();
  Predicate holds = isAtMost(outer.begin, inner.begin) && isAtMost(inner.begin + inner.size, outer.begin + outer.size);
  for (const auto &[ofOuter, ofInner] : llvm::zip_equal(outer.levels, inner.levels)) {
    if (ofOuter.stride != ofInner.stride)
      return Predicate::never();
    holds = holds && isAtMost(ofInner.count, ofOuter.count);
  }
  return holds;
}

/// One of the repetitions contains the bytes: `flux[i - 1].mass`, or `flux[v][i]` in a loop over `v`.
Predicate CoverSearch::containsOne(const Piece &outer, const Piece &inner) {
  if (outer.levels.empty() || !inner.levels.empty())
    return Predicate::never();
  Predicate holds = Predicate::always();
  Expr distance = inner.begin - outer.begin;
  for (const Level &level : outer.levels) {
    Expr number, factor, rest;
    for (const auto &[loop, iteration] : scope.inUnit)
      if (distance.splitLinear(iteration, factor, rest) && !factor.isZero())
        if (Expr steps = factor.divideExactly(level.stride); !steps.isUnknown() && !steps.containsIterations()) {
          number = number + steps * Expr::iteration(iteration);
          distance = rest;
        }
    std::optional<int64_t> constant = distance.getConstant(), stride = level.stride.getConstant();
    if (constant && stride && *stride > 0) {
      int64_t steps = (*constant - (*constant % *stride + *stride) % *stride) / *stride;
      number = number + Expr(steps);
      distance = distance - Expr(steps * *stride);
    }
    holds = holds && isAtMost(Expr(), number) && isAtMost(number + Expr(1), level.count);
  }
  return holds && isAtMost(Expr(), distance) && isAtMost(distance + inner.size, outer.size);
}

/// Returns the condition under which what has been filled contains the piece whenever control is at that place.
Predicate ScratchReader::covers(const FilledList &filled, const Piece &piece, const llvm::BasicBlock *place) {
  CoverSearch search(scope, place);
  llvm::SmallVector<std::pair<const Piece *, Predicate>> ranges;
  for (const Filled &each : filled) {
    if (Predicate holds = search.contains(each.piece, piece) && each.holds; mayHold(holds))
      return holds && piece.holds;
    if (each.piece.levels.empty())
      ranges.push_back({&each.piece, each.holds});
  }
  return search.covers(piece.begin, piece.getEnd(), ranges) && piece.holds;
}

/// Returns the condition under which each iteration of the loop reads there only what it has written before.
Predicate ScratchReader::isFilled(const Access &read) {
  const llvm::Loop *innermost = scope.loops.getLoopFor(read.block);
  const Piece *piece = getPiece(read, *innermost);
  if (!piece)
    return Predicate::never();
  FilledList filled;
  auto note = [&](const Piece *written, const Predicate &holds) {
    if (written && written->isExact && !holds.isFalse())
      filled.push_back({*written, holds && written->holds});
  };
  const llvm::Loop *inner = nullptr;
  for (const llvm::Loop *in = innermost;; inner = in, in = in->getParentLoop()) {
    for (const Access &write : accesses) {
      if (!write.writes || !in->contains(write.block))
        continue;
      if (!inner || !inner->contains(write.block))
        note(getPiece(write, *in), precedes(write, read, *in));
      if (in != &loop)
        if (std::optional<Filled> earlier = findEarlier(write, *in))
          filled.push_back(std::move(*earlier));
    }
    if (in == &loop)
      break;
  }
  return covers(filled, *piece, read.block);
}

static bool dependsOnIterations(const Piece &piece) {
  return piece.begin.containsIterations() || piece.size.containsIterations() ||
         llvm::any_of(piece.levels, [](const Level &level) {
           return level.stride.containsIterations() || level.count.containsIterations();
         });
}

/// Returns the condition under which all iterations of the loop write these bytes.
Predicate ScratchReader::isWrittenByAll(const Access &write) {
  const llvm::BasicBlock *latch = loop.getLoopLatch();
  const Piece *piece = getPiece(write, loop);
  if (!piece || !latch)
    return Predicate::never();
  FilledList filled;
  for (const Access &other : accesses) {
    const Piece *written = other.writes ? getPiece(other, loop) : nullptr;
    if (!written || !written->isExact || dependsOnIterations(*written))
      continue;
    Predicate runs = isPassed(loop, latch, getTop(other.block, loop)) && runsInEach(other, loop);
    if (!runs.isFalse())
      filled.push_back({*written, runs && written->holds});
  }
  return covers(filled, *piece, loop.getHeader());
}

FootprintAnalysis::Scratch ScratchReader::find(const Base &base) {
  FootprintAnalysis::Scratch scratch;
  if (!collect(base))
    return scratch;
  auto orNever = [&](const Predicate &holds, const Access &access) {
    return mayHold(holds) ? holds : isNeverReached(access.block);
  };
  scratch.isOwn = Predicate::always();
  for (const Access &access : accesses)
    if (access.reads && !scratch.isOwn.isFalse())
      scratch.isOwn = scratch.isOwn && orNever(isFilled(access), access);
  scratch.endsAlike = scratch.isOwn;
  for (const Access &access : accesses)
    if (access.writes && !scratch.endsAlike.isFalse())
      scratch.endsAlike = scratch.endsAlike && orNever(isWrittenByAll(access), access);
  return scratch;
}
