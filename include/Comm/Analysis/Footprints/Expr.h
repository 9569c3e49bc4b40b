//===- Expr.h - Integers known before a loop --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressions over SSA values that stand for mathematical integers: they never overflow. Where a program's arithmetic
// wraps, the expression says so explicitly. A proof about two expressions therefore holds for the program, and the code
// that is generated for them uses a wide enough type.
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
  /// The value as a symbol: a signed integer of at most 64 bits, an index, or the address in a pointer (not negative).
  static Expr symbol(mlir::Value value);
  /// The number of completed iterations of a loop, from 0.
  static Expr iteration(unsigned loop);
  /// The low `width` bits of an expression, read as a signed or unsigned number. Returns the expression itself if its
  /// range shows that it fits.
  static Expr wrap(const Expr &inner, unsigned width, bool isSigned);
  static Expr min(const Expr &a, const Expr &b);
  static Expr max(const Expr &a, const Expr &b);
  /// Rounds down. The caller guarantees that the divisor is positive.
  static Expr floorDiv(const Expr &dividend, const Expr &divisor);

  bool isUnknown() const { return isBad; }
  std::optional<int64_t> getConstant() const;
  llvm::ArrayRef<Term> getTerms() const { return terms; }
  bool isZero() const { return !isBad && terms.empty(); }

  Expr operator+(const Expr &other) const;
  Expr operator-(const Expr &other) const;
  Expr operator*(const Expr &other) const;
  bool operator==(const Expr &other) const;
  /// Returns the value if the expression is one symbol, and null otherwise.
  mlir::Value getOnlySymbol() const;
  bool operator!=(const Expr &other) const { return !(*this == other); }
  /// An arbitrary but fixed order, for maps.
  bool operator<(const Expr &other) const;

  /// Returns the quotient if the division is exact, and unknown otherwise.
  Expr divideExactly(const Expr &divisor) const;

  /// Whether the number of an iteration of this loop occurs in the expression, including inside other atoms.
  bool contains(unsigned loop) const;
  bool containsIterations() const;
  /// Splits `*this == factor * iteration + rest`, where neither part mentions the loop. Returns false if that is
  /// impossible.
  bool splitLinear(unsigned loop, Expr &factor, Expr &rest) const;
  Expr substitute(unsigned loop, const Expr &value) const;
  /// Returns an expression with coefficients of 1 that has the same parity as this one. Wrapping keeps the last bit.
  Expr getParity() const;
  /// Replaces each atom with `fn(atom)` and returns the resulting polynomial.
  Expr map(llvm::function_ref<Expr(const Atom &)> fn) const;
  static Expr ofAtom(AtomRef atom);
  static Expr ofAtom(const Atom &atom);

  /// Bounds of the value, for all values of symbols and iterations.
  struct Range {
    Int128 least, most;
  };
  Range getRange() const;
  bool isNonNegative() const { return !isBad && getRange().least >= 0; }
  bool isPositive() const { return !isBad && getRange().least > 0; }

  void forEachSymbol(llvm::function_ref<void(mlir::Value)> fn) const;
  /// Evaluates the expression for the given symbols and iterations. Returns none if it is unknown or too large.
  using SymbolValue = llvm::function_ref<std::optional<int64_t>(mlir::Value)>;
  using IterationValue = llvm::function_ref<std::optional<int64_t>(unsigned)>;
  std::optional<Int128> evaluate(SymbolValue symbol, IterationValue iteration) const;
  /// Generates code that computes the expression as an i128, with operations of the llvm dialect in llvm functions and
  /// of arith elsewhere. Returns null and generates nothing if the expression is unknown, contains iterations, or may
  /// need more than 126 bits. Symbols must dominate the insertion point.
  bool isMaterializable() const;
  mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc) const;

  /// Prints symbols under the names that `name` returns.
  void print(llvm::raw_ostream &os, llvm::function_ref<std::string(mlir::Value)> name) const;

private:
  friend struct Atom;
  static Expr getLastBit(const Expr &number);
  void add(Product product, Int128 coefficient);

  std::vector<Term> terms;
  bool isBad = false;
};

/// Whether a number of this width is the result of masking (`x & 7`) rather than an integer of the program. An index of
/// 32 bits times 4, as that of a cell with four values, is 4 times a number of 30 bits.
inline bool isMaskWidth(unsigned width) { return width < 24 && width != 8 && width != 16; }

/// A factor of a term.
struct Atom {
  enum class Kind { Symbol, Iteration, Wrap, Min, Max, FloorDiv };
  Kind kind;
  mlir::Value value;  // Symbol
  unsigned number;    // Symbol: its place in the order of atoms; Iteration: the loop; Wrap: the width
  bool isSigned;      // Wrap
  Expr first, second; // Wrap has one
  /// Whether code can compute it, once that is known: operands occur in many expressions.
  mutable std::optional<bool> hasCode = std::nullopt;
};

/// A condition that can be decided before a loop runs.
class Predicate {
public:
  enum class Kind { False, True, NotNegative, Apart, Fits, And, Or };
  static Predicate never() { return Predicate(Kind::False); }
  static Predicate always() { return Predicate(Kind::True); }
  /// `a <= b`. Folds to a constant if the ranges decide it, and to False if either side is unknown.
  static Predicate lessOrEqual(const Expr &a, const Expr &b);
  static Predicate equal(const Expr &a, const Expr &b) { return lessOrEqual(a, b) && lessOrEqual(b, a); }
  /// No byte of an element of `layout` overlaps an element of `otherLayout`, where the first byte of the former is
  /// `distance` bytes after the first byte of the latter. The runtime decides it from what it knows about the layouts
  /// (AskedLayout).
  static Predicate apart(mlir::Value layout, mlir::Value otherLayout, const Expr &distance);
  /// Checked arithmetic computes this expression (Materializer). True in exact arithmetic.
  static Predicate fits(const Expr &expr);
  Predicate operator&&(const Predicate &other) const { return combine(Kind::And, other); }
  Predicate operator||(const Predicate &other) const { return combine(Kind::Or, other); }

  Kind getKind() const { return kind; }
  /// Whether both make the same comparisons and queries in the same order.
  bool operator==(const Predicate &other) const;
  bool isTrue() const { return kind == Kind::True; }
  bool isFalse() const { return kind == Kind::False; }
  /// The number of comparisons and layout queries.
  unsigned getSize() const;

  /// Replaces each expression that is compared with 0, and each distance, with the result of `fn`.
  Predicate map(llvm::function_ref<Expr(const Expr &)> fn) const;

  std::optional<bool> evaluate(Expr::SymbolValue symbol) const;
  void forEachSymbol(llvm::function_ref<void(mlir::Value)> fn) const;
  bool isMaterializable() const;
  /// Returns an i1, or null if some expression cannot be materialized. In functions of the llvm dialect the result is
  /// false if the arithmetic needs more than 64 bits, which it does for no sizes that memory can have.
  mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc) const;
  void print(llvm::raw_ostream &os, llvm::function_ref<std::string(mlir::Value)> name) const;

private:
  friend class Emitter;
  explicit Predicate(Kind kind) : kind(kind) {}
  Predicate combine(Kind wanted, const Predicate &other) const;
  /// Calls the function for each part that has an expression.
  void forEachLeaf(llvm::function_ref<void(const Predicate &)> fn) const;

  Kind kind;
  Expr difference;                 // NotNegative, Fits; the distance of Apart
  mlir::Value layout, otherLayout; // Apart
  std::vector<Predicate> parts;
};

/// How expressions are computed.
enum class Arithmetic {
  /// In 128 bits where 64 may not be enough.
  Exact,
  /// In 64 bits, which takes half the code and less time. Numbers are meaningless where `Predicate::fits` does not hold
  /// for them, and predicates are false where they need such numbers. In functions of other dialects than llvm the same
  /// as Exact.
  Checked
};

/// Generates code for several expressions and predicates at one place and computes common parts once. The builder may
/// only move forward.
class Materializer {
public:
  Materializer(mlir::OpBuilder &builder, mlir::Location loc, Arithmetic arithmetic = Arithmetic::Exact);
  ~Materializer();
  /// Returns an i128 or an i1, as the `materialize` functions do.
  mlir::Value get(const Expr &expr);
  mlir::Value get(const Predicate &predicate);
  /// Returns the low 64 bits.
  mlir::Value getNarrow(const Expr &expr);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace comm

#endif // COMM_ANALYSIS_FOOTPRINTS_EXPR_H
