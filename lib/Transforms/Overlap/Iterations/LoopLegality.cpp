//===- LoopLegality.cpp - Whether iterations can be reordered -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/LoopLegality.h"
#include "Iterations/Folds.h"
#include "Units/PrivateVariable.h"

#include "Comm/Transforms/Utils/HandOver.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace comm;

/// A loop of at most this many cycles, with all data in main memory, is faster than the two that it would become.
static constexpr uint64_t kShortLoop = 1000;
/// Give up beyond this many pairs of accesses.
static constexpr size_t kMostPairs = 4000;

std::string comm::whyNotSplit(const Unit &unit, MemoryOracle &oracle) {
  std::string why;
  if (unit.leavesAbnormally())
    why = "may end with an exception or a call that does not return";
  HandOver leaving([](Value) { return false; });
  unit.walk([&](Operation *op) {
    Behavior behavior = oracle.getBehavior(op);
    if (!why.empty())
      return;
    if (isa<MPIOpInterface>(op) || behavior.communicates || behavior.changesMPIState)
      why = "communicates";
    else if (behavior.mayNotContinue())
      why = "calls a function that may not return normally";
    else if (behavior.synchronizes || behavior.isObservable || behavior.readsTime)
      why = "has effects whose order is observable";
    else if (isa<LLVM::AllocaOp, LLVM::StackSaveOp, LLVM::StackRestoreOp>(op))
      why = "allocates variables on the stack";
    else if (!llvm::all_of(op->getResults(), [&](Value result) { return leaving.add(result); }))
      why = "computes a value that branches cannot pass";
  });
  return why;
}

/// Returns true if the trip counts are constants and the loops are short.
bool LoopAccesses::isShort(const Unit &unit) {
  if (llvm::any_of(nest.loops, [](const FootprintAnalysis::Loop &loop) { return !loop.count.getConstant(); }))
    return false;
  WorkEstimate work;
  unit.walk([&](Operation *op) { work.add(oracle.estimateWork(op, unit.op)); });
  return work.isAtMost(kShortLoop);
}

LoopAccesses::LoopAccesses(const Unit &unit, FootprintAnalysis &analysis, MemoryOracle &oracle, RowTables *rows)
    : oracle(oracle), nest(analysis.getNest(unit, rows)) {
  if (nest.loops.empty()) {
    unknown = "has several loops, or no loop with a single entry";
    return;
  }
  if (nest.loops.front().count.isUnknown() || (rows && !nest.loops.front().holds.isTrue())) {
    unknown = "may exit early, or has an unknown trip count";
    return;
  }
  if (isShort(unit)) {
    unknown = "is too short to be worth splitting";
    return;
  }
  const Footprint &first = nest.footprints.front();
  llvm::MapVector<Operation *, SmallVector<NestedPieces, 2>> byOp;
  for (size_t i = 0; i < first.pieces.size(); ++i) {
    NestedPieces pieces;
    for (const Footprint &footprint : nest.footprints) {
      bool isSame = footprint.pieces.size() == first.pieces.size() && footprint.pieces[i].op == first.pieces[i].op;
      if (footprint.isUnknown || !isSame || !first.pieces[i].op) {
        unknown = "may touch any memory";
        areAddressesUnknown = true;
        return;
      }
      pieces.push_back(&footprint.pieces[i]);
    }
    byOp[first.pieces[i].op].push_back(std::move(pieces));
  }
  if (first.isUnknown) {
    unknown = "may touch any memory";
    areAddressesUnknown = true;
  }
  SmallVector<SmallPtrSet<Block *, 16>> loops;
  for (const FootprintAnalysis::Loop &loop : nest.loops)
    loops.push_back(findLoopBlocks(loop.header, loop.latch));
  for (auto &[op, pieces] : byOp) {
    Access access{op, std::move(pieces)};
    for (const NestedPieces &piece : access.pieces)
      access.writes |= piece[0]->writes;
    for (const SmallPtrSet<Block *, 16> &blocks : loops)
      access.depth += blocks.contains(op->getBlock());
    accesses.push_back(std::move(access));
  }
  findPrivateMemory(loops);
}

void LoopAccesses::addStrides(TypicalStrides &strides) const {
  for (const Access &access : accesses)
    for (const NestedPieces &pieces : access.pieces)
      strides.add(pieces);
}

bool LoopAccesses::hasUnknownBytes() const {
  return llvm::any_of(accesses, [](const Access &access) {
    return isa<LLVM::LoadOp, LLVM::StoreOp>(access.op) &&
           llvm::any_of(access.pieces, [](const NestedPieces &pieces) { return pieces[0]->isWhole; });
  });
}

void LoopAccesses::findPrivateMemory(ArrayRef<SmallPtrSet<Block *, 16>> loops) {
  llvm::MapVector<Value, SmallVector<const Access *>> byVariable;
  for (const Access &access : accesses)
    for (const NestedPieces &pieces : access.pieces)
      if (Value pointer = pieces[0]->base.pointer; pointer && pointer.getDefiningOp<LLVM::AllocaOp>())
        byVariable[pointer].push_back(&access);
  if (byVariable.empty())
    return;
  DominanceInfo dominance(accesses.front().op->getParentOfType<FunctionOpInterface>());
  for (auto &[variable, all] : byVariable) {
    auto isStart = [](const Access *access) { return isa<LLVM::LifetimeStartOp>(access->op); };
    const Access *const *start = llvm::find_if(all, isStart);
    if (start == all.end() || (*start)->depth == 0 ||
        !PrivateVariable(variable.getDefiningOp<LLVM::AllocaOp>()).isNeverKnown())
      continue;
    // Every access of the unit follows the only start of the lifetime, in the same iteration.
    unsigned depth = (*start)->depth;
    bool isPrivate = llvm::all_of(all, [&](const Access *access) {
      return access == *start || (loops[depth - 1].contains(access->op->getBlock()) &&
                                  dominance.properlyDominates((*start)->op, access->op) && !isStart(access));
    });
    if (isPrivate)
      privateDepths[variable] = depth;
  }
}

/// Returns true if the piece is the variable that a completion writes its status to and alias analysis says that the
/// access does not touch it. The size of a status is unknown.
static bool isOtherStatus(MemoryOracle &oracle, const Piece &piece, Operation *completion, Operation *access) {
  return piece.isWhole && piece.base.pointer && isa<CompletionOpInterface>(completion) &&
         llvm::is_contained(completion->getOperands(), piece.base.pointer) &&
         !oracle.mayConflictAtArguments(cast<MPIOpInterface>(completion), access, /*acrossIterations=*/true);
}

bool Avoided::mayMeet(Operation *other, bool isFirst, MemoryOracle &oracle) const {
  if (arguments)
    return oracle.mayConflictAtArguments(cast<MPIOpInterface>(op), other, /*acrossIterations=*/true, *arguments);
  return oracle.mayConflictInOrder(isFirst ? other : op, isFirst ? op : other, /*acrossIterations=*/true);
}

/// Returns false if the access may conflict with the other operation in every iteration.
bool LoopAccesses::avoid(Interior &interior, const Access &access, const Avoided &other, bool areBefore) {
  if (!other.mayMeet(access.op, /*isFirst=*/!areBefore, oracle))
    return true;
  if (!other.footprint || other.footprint->unknownOps.contains(other.op))
    return false;
  bool isKnown = false;
  for (const Piece &piece : other.footprint->pieces) {
    if (piece.op != other.op)
      continue;
    isKnown = true;
    if (isOtherStatus(oracle, piece, other.op, access.op))
      continue;
    for (const NestedPieces &mine : access.pieces)
      if ((mine[0]->writes || piece.writes) &&
          (access.depth == 0 || !interior.avoid(mine, piece, areDifferentObjects, other.isEntered)))
        return false;
  }
  return isKnown;
}

Operation *LoopAccesses::avoid(Interior &interior, ArrayRef<Avoided> others, bool areBefore,
                               llvm::function_ref<bool(Operation *)> isApart) {
  if (others.size() * accesses.size() > kMostPairs)
    return accesses.front().op;
  for (const Access &access : accesses)
    for (const Avoided &other : others)
      if (!isApart(access.op) && !avoid(interior, access, other, areBefore))
        return access.op;
  return nullptr;
}

/// Returns the condition under which the ranges accessed through one pointer are all before those accessed through the
/// other.
static Predicate arePointersApart(ArrayRef<const Piece *> a, ArrayRef<const Piece *> b) {
  Predicate holds = Predicate::always();
  auto getRange = [&](ArrayRef<const Piece *> pieces) {
    Expr begin, end;
    for (const Piece *piece : pieces) {
      holds = holds && piece->holds;
      begin = piece == pieces.front() ? piece->getBegin() : Expr::min(begin, piece->getBegin());
      end = piece == pieces.front() ? piece->getEnd() : Expr::max(end, piece->getEnd());
    }
    Expr pointer = Expr::symbol(pieces.front()->base.getAddress());
    return std::pair(begin + pointer, end + pointer);
  };
  auto [beginA, endA] = getRange(a);
  auto [beginB, endB] = getRange(b);
  return (Predicate::lessOrEqual(endA, beginB) || Predicate::lessOrEqual(endB, beginA)) && holds;
}

/// Returns true if the piece consists of ranges at known offsets from a pointer.
static bool isPlain(const Piece &piece) { return piece.base.getAddress() && !piece.isWhole && !piece.indices; }

bool LoopAccesses::isPrivate(const Base &base, unsigned depth) const {
  return (depth > 0 && privateDepths.lookup(base.pointer) >= depth) ||
         (depth == 1 && llvm::is_contained(scratch, base));
}

Predicate LoopAccesses::areIndependent(const Access &a, const Access &b, ArrayRef<Expr> counts, PointerPairs &pairs) {
  Predicate result = Predicate::always();
  size_t depth = counts.size();
  for (const NestedPieces &x : a.pieces)
    for (const NestedPieces &y : b.pieces) {
      const Piece &first = *x[0], &second = *y[0];
      bool isOwn = first.base == second.base && isPrivate(first.base, depth);
      if (isOwn || (!first.writes && !second.writes))
        continue;
      Predicate condition = depth > 0 && a.depth >= depth && b.depth >= depth
                                ? areIterationsIndependent(x, y, counts, areDifferentObjects)
                                : areDisjoint(first, second, areDifferentObjects);
      bool isAsked = !condition.isTrue() && !(first.base == second.base) && isPlain(first) && isPlain(second);
      if (!isAsked) {
        result = result && condition;
        continue;
      }
      bool isTurned = pairs.contains({second.base.getAddress(), first.base.getAddress()});
      const Piece *one = isTurned ? &second : &first, *other = isTurned ? &first : &second;
      PointerPair &pair = pairs[{one->base.getAddress(), other->base.getAddress()}];
      pair.first.insert(one);
      pair.second.insert(other);
      pair.conditions.push_back(std::move(condition));
    }
  return result;
}

/// Returns true if the operation loads or stores an address. A program that reads rows through pointers does not
/// overwrite them with numbers meanwhile.
static bool isOfPointer(Operation *op) {
  auto load = dyn_cast<LLVM::LoadOp>(op);
  auto store = dyn_cast<LLVM::StoreOp>(op);
  Type type = load ? load.getType() : store ? store.getValue().getType() : Type();
  return isa_and_nonnull<LLVM::LLVMPointerType>(type);
}

/// Returns true if one access may touch in one iteration what the other access touches in another one. A store of a
/// later iteration may change the type of memory, so do not rely on types where a run-time check is possible.
bool LoopAccesses::mayMeet(const Access &a, const Access &b) {
  if (oracle.mayConflict(a.op, b.op, /*acrossIterations=*/true))
    return true;
  auto isKnown = [](const Access &access) {
    return !isOfPointer(access.op) &&
           llvm::all_of(access.pieces, [](const NestedPieces &pieces) { return isPlain(*pieces[0]); });
  };
  return isKnown(a) && isKnown(b) &&
         (oracle.mayConflictInOrder(a.op, b.op, /*acrossIterations=*/true) ||
          oracle.mayConflictInOrder(b.op, a.op, /*acrossIterations=*/true));
}

/// Compares many accesses through two unrelated pointers as a whole.
Predicate LoopAccesses::arePairsApart(PointerPairs &pairs) {
  constexpr unsigned mostOfPointers = 8;
  Predicate result = Predicate::always();
  for (auto &[pointers, pair] : pairs) {
    unsigned comparisons = 0;
    for (const Predicate &condition : pair.conditions)
      comparisons += condition.getSize();
    if (comparisons > mostOfPointers)
      result = result && arePointersApart(pair.first.getArrayRef(), pair.second.getArrayRef());
    else
      for (const Predicate &condition : pair.conditions)
        result = result && condition;
  }
  return result;
}

/// A condition is evaluated whenever the loop is entered and is built pair by pair here, so limit its size. Four fields
/// in one array, where each point reads four values and writes one, take 127 comparisons; nine arrays of a lattice
/// Boltzmann method that become nine others take 325.
static constexpr unsigned kMostOfCondition = 400;

Predicate LoopAccesses::areIndependent(unsigned depth) {
  Predicate result = Predicate::always();
  if (accesses.size() * accesses.size() > kMostPairs)
    return Predicate::never();
  SmallVector<Expr> counts;
  for (const FootprintAnalysis::Loop &loop : ArrayRef(nest.loops).take_front(depth))
    counts.push_back(loop.count);
  PointerPairs pairs;
  for (size_t i = 0; i < accesses.size() && result.getSize() <= kMostOfCondition; ++i)
    for (size_t j = i; j < accesses.size(); ++j)
      if ((accesses[i].writes || accesses[j].writes) && (i == j || mayMeet(accesses[i], accesses[j])))
        result = result && areIndependent(accesses[i], accesses[j], counts, pairs);
  result = result && arePairsApart(pairs);
  return result.getSize() <= kMostOfCondition ? result : Predicate::never();
}

/// Returns the objects that iterations of the first loop share, for typical numbers: one writes what another one
/// touches.
SmallVector<Base> LoopAccesses::findShared() {
  SmallVector<Base> shared;
  auto note = [&](const NestedPieces &a, const NestedPieces &b) {
    const Base &base = a[0]->base;
    if (base == b[0]->base && (a[0]->writes || b[0]->writes) && !llvm::is_contained(shared, base) &&
        !mayHold(areIterationsIndependent(a, b, nest.loops.front().count, areDifferentObjects)))
      shared.push_back(base);
  };
  for (const Access &a : accesses)
    for (const Access &b : accesses)
      if (a.depth > 0 && b.depth > 0)
        for (const NestedPieces &ofA : a.pieces)
          for (const NestedPieces &ofB : b.pieces)
            note(ofA, ofB);
  return shared;
}

Predicate LoopAccesses::areIndependentButForScratch(const Unit &unit, FootprintAnalysis &analysis, RowTables *rows) {
  if (accesses.size() * accesses.size() > kMostPairs)
    return Predicate::never();
  Predicate holds = Predicate::always();
  for (const Base &base : findShared()) {
    holds = holds && analysis.findScratch(unit, base, rows).endsAlike;
    if (!mayHold(holds))
      return Predicate::never();
    scratch.push_back(base);
  }
  return areIndependent(/*depth=*/1) && holds;
}

Predicate LoopAccesses::readsNothingWritten() {
  Predicate result = Predicate::always();
  PointerPairs pairs;
  for (const Access &write : accesses) {
    if (!write.writes)
      continue;
    if (!isa<LLVM::StoreOp>(write.op))
      return Predicate::never();
    for (const Access &read : accesses)
      if (!read.writes && result.getSize() <= kMostOfCondition && mayMeet(write, read))
        result = result && areIndependent(write, read, /*counts=*/{}, pairs);
  }
  result = result && arePairsApart(pairs);
  return result.getSize() <= kMostOfCondition ? result : Predicate::never();
}

Predicate LoopAccesses::writesNothingOf(const Piece &bytes, ArrayRef<Operation *> loads) {
  Predicate result = Predicate::always();
  for (const Access &access : accesses) {
    bool mayConflict = access.writes && llvm::any_of(loads, [&](Operation *load) {
                         return oracle.mayConflict(load, access.op, /*acrossIterations=*/true);
                       });
    if (!mayConflict)
      continue;
    for (const NestedPieces &pieces : access.pieces)
      if (pieces[0]->writes)
        result = result && areDisjoint(bytes, *pieces[0], areDifferentObjects);
  }
  return result;
}

StringRef LoopAccesses::whyNotTwice(unsigned depth) {
  for (const Access &access : accesses)
    if (access.writes && access.depth < depth)
      return "writes outside of its innermost loop that is split";
  return "";
}

/// Restricts the piece to what iterations [first, first + number) of the loop at that level touch in all iterations of
/// the loops around it: one range in each of these. Returns false if that is unknown.
static bool restrictTo(Piece &piece, unsigned level, const Expr &first, const Expr &number,
                       ArrayRef<FootprintAnalysis::Loop> loops) {
  auto makeRange = [&]() {
    piece.size = piece.getEnd() - piece.getBegin();
    piece.levels.clear();
  };
  auto repeat = [&](unsigned loop, const Expr &from, const Expr &count) {
    Expr step, rest;
    if (!piece.begin.splitLinear(loop, step, rest) || step.containsIterations() || piece.size.contains(loop))
      return false;
    piece.begin = rest + step * from;
    if (goesDown(step)) {
      piece.begin = piece.begin + step * (count - Expr(1));
      step = Expr() - step;
    }
    piece.holds = piece.holds && Predicate::lessOrEqual(Expr(), step);
    if (!step.isZero())
      piece.levels.push_back({step, count});
    return true;
  };
  if (piece.isWhole || piece.indices || piece.begin.isUnknown() || piece.getEnd().isUnknown())
    return false;
  makeRange();
  if (!repeat(level, first, number))
    return false;
  makeRange();
  for (unsigned outer = level; outer-- > 0;)
    if (loops[outer].count.isUnknown() || !repeat(outer, Expr(), loops[outer].count))
      return false;
  return !piece.begin.containsIterations() && !piece.size.containsIterations();
}

Footprint LoopAccesses::getRest(ArrayRef<std::pair<Expr, Expr>> ends) {
  Footprint rest;
  for (const Access &access : accesses)
    for (const NestedPieces &pieces : access.pieces) {
      // The code around the loops runs for all parts.
      bool isKnown = access.depth >= ends.size();
      SmallVector<Piece, 0> parts;
      for (unsigned level = 0; level < ends.size() && isKnown; ++level) {
        const auto &[before, after] = ends[level];
        Piece low = *pieces[level + 1], high = low;
        isKnown = restrictTo(low, level, Expr(), before, nest.loops) &&
                  restrictTo(high, level, nest.loops[level].count - after, after, nest.loops);
        parts.append({low, high});
      }
      if (isKnown)
        rest.pieces.append(parts);
      else
        rest.pieces.push_back(*pieces[0]);
    }
  return rest;
}
