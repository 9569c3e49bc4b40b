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

/// What can be said in front of a unit: which loops are in it (by number, outermost first), and which values are not.
struct Scope {
  llvm::ScalarEvolution &scalars;
  const llvm::LoopInfo &loops;
  llvm::DenseMap<const llvm::Loop *, unsigned> inUnit;
  /// The value outside of the unit, or null.
  llvm::function_ref<mlir::Value(const llvm::Value *)> getAvailable;
};

/// Values of a unit that are one of several, as branches of it decide. What is computed of them is looked at once for
/// each way to choose.
class Choices {
public:
  /// What the value is now; null if it is none of several.
  llvm::Value *choose(llvm::Value *value, const llvm::LoopInfo &loops);
  /// What the last bit of a number is now, of which the parity is known: 0 in some iterations, 1 in others. None if
  /// there are too many.
  std::optional<bool> chooseBit(const Expr &parity);
  /// Calls `fn` with numbers that are even where bits are what they are now.
  void forEachEven(llvm::function_ref<void(const Expr &)> fn) const;
  /// Calls `fn` with the conditions that chose, and what they are.
  void forEachCondition(llvm::function_ref<void(llvm::SelectInst &, bool)> fn) const;
  /// Goes on to the next way to choose. False after the last one, or if there are too many.
  bool advance();
  bool areTooMany() const { return tooMany; }

private:
  struct Choice {
    /// Null for a bit.
    llvm::Value *value;
    unsigned chosen, count;
    Expr parity;
  };
  llvm::SmallVector<Choice, 2> choices;
  unsigned depth = 0;
  bool tooMany = false;
};

/// Something that an expression counts: iterations of a loop around the instruction, or the numbers that a remainder
/// may be.
struct Counter {
  unsigned number;
  /// Null for a remainder.
  const llvm::Loop *loop;
  /// What a remainder is counted to, from 0.
  Expr last;
};

/// A bound below and one above.
struct Bounds {
  Expr least, most;
};

/// Integers of one instruction in expressions of the scope.
class ScalarTranslator {
public:
  ScalarTranslator(const Scope &scope, llvm::Instruction *context, Choices *choices = nullptr)
      : scope(scope), context(context), choices(choices) {}

  /// Asks for what loads of the unit find in all iterations.
  void askForLoads(llvm::function_ref<std::optional<Expr>(llvm::LoadInst &)> find) { findLoaded = find; }
  /// Takes remainders in the unit for all numbers that they may be (`(i + 1) % n` for 0 to n - 1), as if a loop went
  /// over them, and minima and maxima (`i > 0 ? i - 1 : 0`) likewise.
  void allowRanges() { usesRanges = asksConditions = true; }
  /// What the ranges need.
  const Predicate &getRangesHold() const { return rangesHold; }
  /// The signed value. With `modulo64`, a number that is equal to it modulo 2^64: sums and products of 64 bits are not
  /// cut, and isCut() tells whether that may matter.
  Expr translate(const llvm::SCEV *scev, bool modulo64);
  Expr translateUnsigned(const llvm::SCEV *scev);
  /// At the place of the instruction.
  Expr translate(llvm::Value *value, bool modulo64);
  bool isCut() const { return cut; }
  const llvm::Function &getFunction() const { return *context->getFunction(); }
  /// What the loop counts to: the number of times that its backedge is taken. In iterations of the loops around it.
  Expr getLastIteration(const llvm::Loop &loop);

  /// Takes arithmetic that wraps for arithmetic that does not, where iterations of a loop are in it, and adds what this
  /// needs to `holds`.
  Expr dropWraps(const Expr &expr, Predicate &holds);
  /// Over all iterations of the unit's loops around the instruction. None if the expression is not linear in one, or
  /// the sign of a factor is not known.
  std::optional<Bounds> getBounds(const Expr &expr, Predicate &holds);
  /// The ranges, and the loops of the unit around the instruction, innermost first.
  llvm::SmallVector<Counter, 4> getCounters() const;
  /// What the counter counts to, from 0. In iterations of the loops around it.
  Expr getLast(const Counter &counter);

  /// Whether the number is odd, as an expression that is odd where it is: linear forms of iterations whose last bit is
  /// known. None if nothing is known.
  std::optional<Expr> findParity(const llvm::SCEV *scev);
  std::optional<Expr> findParity(llvm::Value *value);
  /// Adds numbers that are even where the condition is true, or false.
  void findEvens(llvm::Value *condition, bool isTrue, llvm::SmallVectorImpl<Expr> &evens);
  /// Adds numbers that are not negative where it is true, or false, and that are others in other iterations.
  void findBounds(llvm::Value *condition, bool isTrue, llvm::SmallVectorImpl<Expr> &bounds);

private:
  /// The conditions that are true (or false) for sure where this one is: those of an and (or an or).
  static void forEachPart(llvm::Value *condition, bool isTrue, llvm::function_ref<void(llvm::Value *)> visit);
  void findEvenOfPart(llvm::Value *condition, bool isTrue, llvm::SmallVectorImpl<Expr> &evens);
  void findBoundsOfPart(llvm::Value *condition, bool isTrue, llvm::SmallVectorImpl<Expr> &bounds);
  std::optional<Expr> findParityOfLeaf(llvm::Instruction &leaf);
  std::optional<Expr> findParityOfVariable(llvm::PHINode &phi, const llvm::Loop &loop);
  std::optional<bool> chooseBit(std::optional<Expr> parity);
  std::optional<Expr> translateToggled(llvm::PHINode &phi);
  std::optional<Expr> findNestStep(llvm::PHINode &phi, const llvm::Loop &loop, const llvm::Loop &outermost);
  std::optional<Expr> translateNestCounter(llvm::PHINode &phi);
  Expr translateShift(llvm::BinaryOperator &shift);
  Expr translateBitOfRemainder(llvm::BinaryOperator &remainder);
  llvm::SmallVector<const llvm::Loop *, 4> getLoops() const;
  Expr addRange(const Expr &least, const Expr &most);
  bool wrapsForSure(const Expr &expr);
  Expr limitExtreme(const Expr &extreme, llvm::ArrayRef<Expr> operands, bool isMost);
  Expr translateRemainder(const Expr &dividend, const Expr &divisor, bool isSigned);
  std::optional<Expr> translateWithRemainder(const llvm::SCEVAddExpr *scev, bool modulo64);
  Expr findQuotient(const llvm::SCEVUDivExpr *division);
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
  /// Whether what ranges need may be asked: a loop may count up to a number that needs it, and has no range itself.
  bool asksConditions = false;
  /// Of what is chosen, the last bits of numbers alone.
  bool usesBitsAlone = false;
  /// Variables of which an iteration is looked at: each stands for itself.
  llvm::SmallVector<llvm::PHINode *, 2> assumed;
  unsigned parityWork = 0;
  llvm::SmallVector<Counter, 2> ranges;
  Predicate rangesHold = Predicate::always();
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_FOOTPRINTS_SCALARTRANSLATION_H
