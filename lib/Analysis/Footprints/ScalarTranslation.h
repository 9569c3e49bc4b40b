//===- ScalarTranslation.h - Scalar evolution as expressions ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_FOOTPRINTS_SCALARTRANSLATION_H
#define COMM_LIB_ANALYSIS_FOOTPRINTS_SCALARTRANSLATION_H

#include "Comm/Analysis/Footprints/Expr.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

namespace comm {

/// The context of a unit: which loops are in it (numbered, outermost first), and which values are available before it.
struct Scope {
  llvm::ScalarEvolution &scalars;
  const llvm::LoopInfo &loops;
  llvm::DenseMap<const llvm::Loop *, unsigned> inUnit;
  /// Returns the value outside of the unit, or null.
  llvm::function_ref<mlir::Value(const llvm::Value *)> getAvailable;
};

/// Values of a unit that its branches select from several. Everything computed from them is analyzed once for each
/// combination of choices.
class Choices {
public:
  /// Returns the current choice for the value, or null if it is not a choice.
  llvm::Value *choose(llvm::Value *value, const llvm::LoopInfo &loops);
  /// Returns the current choice for the last bit of a number with the given parity, which varies with the iterations.
  /// None if there are too many choices.
  std::optional<bool> chooseBit(const Expr &parity);
  /// Calls `fn` with numbers that are even under the current choices of bits.
  void forEachEven(llvm::function_ref<void(const Expr &)> fn) const;
  /// Calls `fn` with each select condition and its current value.
  void forEachCondition(llvm::function_ref<void(llvm::SelectInst &, bool)> fn) const;
  /// Advances to the next combination. Returns false after the last one, or if there are too many.
  bool advance();
  bool areTooMany() const { return tooMany; }
  /// Returns true if nothing has been chosen.
  bool isEmpty() const { return choices.empty() && !tooMany; }

private:
  struct Choice {
    /// Null if the choice is a bit.
    llvm::Value *value;
    unsigned chosen, count;
    Expr parity;
  };
  llvm::SmallVector<Choice, 2> choices;
  unsigned depth = 0;
  bool tooMany = false;
};

/// A counter of an expression: the iterations of a loop around the instruction, or the possible values of a remainder.
struct Counter {
  unsigned number;
  /// Null if this is a remainder.
  const llvm::Loop *loop;
  /// The last value of a remainder's counter, which starts from 0.
  Expr last;
};

/// A lower and an upper bound.
struct Bounds {
  Expr least, most;
};

/// Translates integers at one instruction into expressions of the scope.
class ScalarTranslator {
public:
  ScalarTranslator(const Scope &scope, llvm::Instruction *context, Choices *choices = nullptr)
      : scope(scope), context(context), choices(choices) {}

  /// Uses `find` for loads in the unit that read the same number in all iterations.
  void askForLoads(llvm::function_ref<std::optional<Expr>(llvm::LoadInst &)> find) { findLoaded = find; }
  /// Treats remainders in the unit as ranges over all their possible values (`(i + 1) % n` as 0 to n - 1), as if a loop
  /// counted them, and likewise minima and maxima (`i > 0 ? i - 1 : 0`) and entries of constant tables (`cx[q]`).
  void allowRanges() { usesRanges = asksConditions = true; }
  /// The conditions that the ranges require.
  const Predicate &getRangesHold() const { return rangesHold; }
  /// Returns the signed value. With `modulo64`, returns a number congruent to it modulo 2^64: sums and products of 64
  /// bits are not wrapped, and isCut() tells whether that may matter.
  Expr translate(const llvm::SCEV *scev, bool modulo64);
  Expr translateUnsigned(const llvm::SCEV *scev);
  /// The value at the instruction.
  Expr translate(llvm::Value *value, bool modulo64);
  bool isCut() const { return cut; }
  const llvm::Function &getFunction() const { return *context->getFunction(); }
  /// Returns the backedge-taken count of the loop, in terms of iterations of the outer loops. If conditions may be
  /// added, also of a loop whose counter might wrap.
  Expr getLastIteration(const llvm::Loop &loop);
  /// Likewise for a loop whose narrow counter might wrap: exact if it does not, which is added as a condition.
  Expr getLastOfNarrow(const llvm::Loop &loop);

  /// Assumes that arithmetic that depends on iterations does not wrap, and adds the conditions for this to `holds`.
  Expr dropWraps(const Expr &expr, Predicate &holds);
  /// Returns bounds over all iterations of the unit's loops around the instruction. None if the expression is not
  /// linear in one of them, or the sign of a factor is unknown.
  std::optional<Bounds> getBounds(const Expr &expr, Predicate &holds);
  /// Returns a bound over all values of these counters, in terms of the others. A minimum that changes with the
  /// iterations (the end of a tile, `min(first + 16, n)`) is at most either operand: prefers one that does not change.
  std::optional<Expr> getBound(const Expr &expr, bool isMost, llvm::ArrayRef<Counter> counters, Predicate &holds);
  /// Whether the expression has a minimum or maximum that changes with the iterations.
  static bool hasExtreme(const Expr &expr);
  /// Returns the ranges, and the unit's loops around the instruction, innermost first.
  llvm::SmallVector<Counter, 4> getCounters() const;
  /// Returns the last value of the counter, which starts from 0, in terms of iterations of the outer loops.
  Expr getLast(const Counter &counter);

  /// Returns an expression with the same parity as the number: a sum of products of iterations and symbols. None if the
  /// parity is unknown.
  std::optional<Expr> findParity(const llvm::SCEV *scev);
  std::optional<Expr> findParity(llvm::Value *value);
  /// Returns the condition under which the condition is true (or false) in each iteration of the unit's loops up to
  /// their counts.
  Predicate holdsAlways(llvm::Value *condition, bool isTrue);
  /// Counts the iterations of loops up to their latches, as if they had no other exits.
  void ignoreOtherExits() { countsToLatch = true; }
  /// Adds numbers that are even if the condition is true (or false).
  void findEvens(llvm::Value *condition, bool isTrue, llvm::SmallVectorImpl<Expr> &evens);
  /// Adds numbers that are not negative if the condition is true (or false) and that change with the iterations.
  void findBounds(llvm::Value *condition, bool isTrue, llvm::SmallVectorImpl<Expr> &bounds);

private:
  /// Visits the conditions that this one implies: the operands of a true "and", or of a false "or".
  static void forEachPart(llvm::Value *condition, bool isTrue, llvm::function_ref<void(llvm::Value *)> visit);
  Predicate holdsAlwaysOfPart(llvm::Value *condition, bool isTrue);
  void findEvenOfPart(llvm::Value *condition, bool isTrue, llvm::SmallVectorImpl<Expr> &evens);
  void findBoundsOfPart(llvm::Value *condition, bool isTrue, llvm::SmallVectorImpl<Expr> &bounds);
  std::optional<Expr> findParityOfLeaf(llvm::Instruction &leaf);
  std::optional<Expr> findParityOfVariable(llvm::PHINode &phi, const llvm::Loop &loop);
  std::optional<bool> chooseBit(std::optional<Expr> parity);
  std::optional<Expr> translateToggled(llvm::PHINode &phi);
  std::optional<Expr> findNestStep(llvm::PHINode &phi, const llvm::Loop &loop, const llvm::Loop &outermost);
  std::optional<Expr> translateNestCounter(llvm::PHINode &phi);
  std::optional<Expr> translateNarrowCounter(llvm::Value *leaf, llvm::Type *type);
  std::optional<Expr> translateTableEntry(llvm::LoadInst &load);
  template <typename Number> Expr divideMultiple(Number *number, int64_t divisor);
  Expr translateShift(llvm::BinaryOperator &shift);
  std::optional<Expr> translateMasked(const llvm::SCEVUDivExpr *division, unsigned width);
  Expr translateBitOfRemainder(llvm::BinaryOperator &remainder);
  llvm::SmallVector<const llvm::Loop *, 4> getLoops() const;
  Expr addRange(const Expr &least, const Expr &most);
  bool wrapsForSure(const Expr &expr);
  Expr limitExtreme(const Expr &extreme, llvm::ArrayRef<Expr> operands, bool isMost);
  Expr translateRemainder(const Expr &dividend, const Expr &divisor, bool isSigned);
  std::optional<Expr> translateWithRemainder(const llvm::SCEVAddExpr *scev, bool modulo64);
  Expr findQuotient(const llvm::SCEVUDivExpr *division);
  std::optional<Expr> getLinearBound(Expr bound, bool isMost, llvm::ArrayRef<Counter> counters, Predicate &holds);
  std::optional<Expr> getBoundOfExtreme(const Expr &expr, const Expr::Term &extreme, bool isMost,
                                        llvm::ArrayRef<Counter> counters, Predicate &holds);
  Expr translateLeaf(llvm::Value *leaf, bool modulo64);
  Expr combine(const llvm::SCEVNAryExpr *scev, bool isProduct, bool modulo64);
  Expr translateRecurrence(const llvm::SCEVAddRecExpr *scev, bool modulo64);
  Expr translateOuterRecurrence(const llvm::SCEVAddRecExpr *scev);
  Expr limit(const Expr &expr, unsigned width, bool modulo64);

  const Scope &scope;
  llvm::Instruction *context;
  Choices *choices;
  llvm::function_ref<std::optional<Expr>(llvm::LoadInst &)> findLoaded;
  bool cut = false;
  bool usesRanges = false;
  /// Whether conditions may be added: a trip count may depend on them even where ranges are not used.
  bool asksConditions = false;
  /// Use choices only for the last bits of numbers.
  bool usesBitsAlone = false;
  bool countsToLatch = false;
  /// Variables whose iteration is being analyzed. Each stands for itself.
  llvm::SmallVector<llvm::PHINode *, 2> assumed;
  unsigned parityWork = 0;
  unsigned nestedExtremes = 0;
  llvm::SmallVector<Counter, 2> ranges;
  Predicate rangesHold = Predicate::always();
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_FOOTPRINTS_SCALARTRANSLATION_H
