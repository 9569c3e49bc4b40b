//===- Expr.h - Integers that are known before a loop runs ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressions over SSA values that stand for mathematical integers: they never overflow. Where a program's arithmetic
// wraps, the expression says so. So what is proved of two expressions holds of the program, and code that is made of
// them is wide enough.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_FOOTPRINTS_EXPR_H
#define COMM_ANALYSIS_FOOTPRINTS_EXPR_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace comm {

using Int128 = __int128;

struct Atom;
using AtomRef = std::shared_ptr<const Atom>;

/// A polynomial of atoms with integer coefficients, or unknown. Equal polynomials have equal representations.
class Expr {
public:
  /// Sorted; the empty product is 1.
  using Product = llvm::SmallVector<AtomRef, 2>;
  struct Term {
    Product atoms;
    int64_t coefficient;
  };

  Expr(int64_t constant = 0);
  static Expr unknown();
  /// An integer of at most 64 bits, signed, an index, or the address in a pointer (not negative).
  static Expr symbol(mlir::Value value);
  /// The number of iterations of a loop that have been completed, from 0.
  static Expr iteration(unsigned loop);
  /// What is left of an expression in `width` bits, read as a signed or unsigned number. The expression itself where
  /// its range shows that nothing is lost.
  static Expr wrap(const Expr &inner, unsigned width, bool isSigned);
  static Expr min(const Expr &a, const Expr &b);
  static Expr max(const Expr &a, const Expr &b);
  /// Rounded downwards; the divisor is positive, which the caller vouches for.
  static Expr floorDiv(const Expr &dividend, const Expr &divisor);

  bool isUnknown() const { return isBad; }
  std::optional<int64_t> getConstant() const;
  llvm::ArrayRef<Term> getTerms() const { return terms; }
  bool isZero() const { return !isBad && terms.empty(); }

  Expr operator+(const Expr &other) const;
  Expr operator-(const Expr &other) const;
  Expr operator*(const Expr &other) const;
  bool operator==(const Expr &other) const;
  bool operator!=(const Expr &other) const { return !(*this == other); }
  /// An order for maps, without a meaning.
  bool operator<(const Expr &other) const;

  /// The quotient where the division leaves no rest; unknown elsewhere.
  Expr divideExactly(const Expr &divisor) const;

  /// Whether an iteration number occurs in it, within other atoms too.
  bool contains(unsigned loop) const;
  bool containsIterations() const;
  /// `*this == factor * iteration + rest`, where the loop occurs in neither. False if that is not so.
  bool splitLinear(unsigned loop, Expr &factor, Expr &rest) const;
  Expr substitute(unsigned loop, const Expr &value) const;
  /// An expression that is odd where this one is, with coefficients of 1: what wraps keeps its last bit.
  Expr getParity() const;
  /// The same polynomial of what `fn` makes of each atom.
  Expr map(llvm::function_ref<Expr(const Atom &)> fn) const;
  static Expr ofAtom(AtomRef atom);
  static Expr ofAtom(const Atom &atom);

  /// No value is outside of that range, whatever symbols and iterations are.
  struct Range {
    Int128 least, most;
  };
  Range getRange() const;
  bool isNonNegative() const { return !isBad && getRange().least >= 0; }
  bool isPositive() const { return !isBad && getRange().least > 0; }

  void forEachSymbol(llvm::function_ref<void(mlir::Value)> fn) const;
  /// The value for given values of symbols and iterations; none if it is unknown or too large.
  using SymbolValue = llvm::function_ref<std::optional<int64_t>(mlir::Value)>;
  using IterationValue = llvm::function_ref<std::optional<int64_t>(unsigned)>;
  std::optional<Int128> evaluate(SymbolValue symbol, IterationValue iteration) const;
  /// Makes an i128 of the expression: operations of the llvm dialect in functions of it, of arith elsewhere. Null, and
  /// nothing made, if it is unknown, contains iterations, or may need more than 126 bits. Symbols must dominate the
  /// place.
  bool isMaterializable() const;
  mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc) const;

  /// Symbols by the name that `name` gives them.
  void print(llvm::raw_ostream &os, llvm::function_ref<std::string(mlir::Value)> name) const;

private:
  friend struct Atom;
  static Expr getLastBit(const Expr &number);
  void add(Product product, Int128 coefficient);

  std::vector<Term> terms;
  bool isBad = false;
};

/// Whether a number of that many bits is what a mask leaves of another (`x & 7`), rather than a number of the program.
inline bool isMaskWidth(unsigned width) { return width < 32 && width != 8 && width != 16; }

/// What an expression is made of.
struct Atom {
  enum class Kind { Symbol, Iteration, Wrap, Min, Max, FloorDiv };
  Kind kind;
  mlir::Value value;  // Symbol
  unsigned number;    // Symbol: its place in the order of atoms; Iteration: the loop; Wrap: the width
  bool isSigned;      // Wrap
  Expr first, second; // Wrap has one
};

/// A condition that can be decided before a loop runs.
class Predicate {
public:
  enum class Kind { False, True, NotNegative, Apart, And, Or };
  static Predicate never() { return Predicate(Kind::False); }
  static Predicate always() { return Predicate(Kind::True); }
  /// `a <= b`: decided if ranges decide it, False if one of them is unknown.
  static Predicate lessOrEqual(const Expr &a, const Expr &b);
  static Predicate equal(const Expr &a, const Expr &b) { return lessOrEqual(a, b) && lessOrEqual(b, a); }
  /// No byte of one element of a datatype is one of another one, of which the first byte is `distance` bytes after the
  /// first one of that: the runtime is asked, with what it knows the layouts by (AskedLayout).
  static Predicate apart(mlir::Value layout, mlir::Value otherLayout, const Expr &distance);
  Predicate operator&&(const Predicate &other) const { return combine(Kind::And, other); }
  Predicate operator||(const Predicate &other) const { return combine(Kind::Or, other); }

  Kind getKind() const { return kind; }
  /// Whether both ask the same in the same order.
  bool operator==(const Predicate &other) const;
  bool isTrue() const { return kind == Kind::True; }
  bool isFalse() const { return kind == Kind::False; }
  /// Comparisons and questions in it.
  unsigned getSize() const;

  /// The same of what `fn` makes of each expression that is compared with 0, and of each distance.
  Predicate map(llvm::function_ref<Expr(const Expr &)> fn) const;

  std::optional<bool> evaluate(Expr::SymbolValue symbol) const;
  void forEachSymbol(llvm::function_ref<void(mlir::Value)> fn) const;
  bool isMaterializable() const;
  /// An i1; null where an expression cannot be made.
  mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc) const;
  void print(llvm::raw_ostream &os, llvm::function_ref<std::string(mlir::Value)> name) const;

private:
  friend class Emitter;
  explicit Predicate(Kind kind) : kind(kind) {}
  Predicate combine(Kind wanted, const Predicate &other) const;
  /// Comparisons and questions.
  void forEachLeaf(llvm::function_ref<void(const Predicate &)> fn) const;

  Kind kind;
  Expr difference;                 // NotNegative; the distance of Apart
  mlir::Value layout, otherLayout; // Apart
  std::vector<Predicate> parts;
};

/// Code of several expressions and predicates at one place, where no part is computed twice. The builder must stay
/// where it is, or after that.
class Materializer {
public:
  Materializer(mlir::OpBuilder &builder, mlir::Location loc);
  ~Materializer();
  /// An i128 and an i1, as `materialize` of both.
  mlir::Value get(const Expr &expr);
  mlir::Value get(const Predicate &predicate);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace comm

#endif // COMM_ANALYSIS_FOOTPRINTS_EXPR_H
