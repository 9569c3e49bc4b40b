//===- Expr.cpp - Integers known before a loop ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Footprints/Expr.h"

#include "Ranges.h"

#include "Comm/Dialect/Comm/Utils/Markers.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <mutex>

using namespace mlir;
using namespace comm;

/// Ranges saturate here: large enough for products of 64-bit numbers, small enough to be added.
static constexpr Int128 kMost = Int128(1) << 125;

//===----------------------------------------------------------------------===//
// Order of atoms and products
//===----------------------------------------------------------------------===//

static int compare(const Expr &a, const Expr &b);

template <typename T> static int compareNumbers(T a, T b) { return a < b ? -1 : b < a ? 1 : 0; }

static int compare(const Atom &a, const Atom &b) {
  if (&a == &b)
    return 0;
  if (int order = compareNumbers(a.kind, b.kind))
    return order;
  if (int order = compareNumbers(a.number, b.number))
    return order;
  if (int order = compareNumbers(a.isSigned, b.isSigned))
    return order;
  if (int order = compare(a.first, b.first))
    return order;
  return compare(a.second, b.second);
}

/// Orders by degree, then by atoms. Multiplication preserves this order, which division requires.
static int compare(const Expr::Product &a, const Expr::Product &b) {
  if (int order = compareNumbers(a.size(), b.size()))
    return order;
  for (auto [x, y] : llvm::zip_equal(a, b))
    if (int order = compare(*x, *y))
      return -order;
  return 0;
}

static int compare(const Expr &a, const Expr &b) {
  if (int order = compareNumbers(a.isUnknown(), b.isUnknown()))
    return order;
  if (int order = compareNumbers(a.getTerms().size(), b.getTerms().size()))
    return order;
  for (auto [x, y] : llvm::zip_equal(a.getTerms(), b.getTerms())) {
    if (int order = compareNumbers(x.coefficient, y.coefficient))
      return order;
    if (int order = compare(x.atoms, y.atoms))
      return order;
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Expr::Expr(int64_t constant) {
  if (constant)
    terms.push_back({{}, constant});
}

Expr Expr::unknown() {
  Expr expr;
  expr.isBad = true;
  return expr;
}

Expr Expr::ofAtom(AtomRef atom) {
  Expr expr;
  expr.terms.push_back({{std::move(atom)}, 1});
  return expr;
}

/// Returns the unique atom of the value. Symbols are ordered by creation, not by address, so that results are
/// deterministic.
static AtomRef getSymbol(Value value) {
  static std::mutex mutex;
  static llvm::DenseMap<Value, std::weak_ptr<const Atom>> symbols;
  static unsigned next = 0;
  std::lock_guard<std::mutex> lock(mutex);
  std::weak_ptr<const Atom> &known = symbols[value];
  AtomRef symbol = known.lock();
  if (!symbol) {
    // Not make_shared: it would keep the atom's memory alive as long as the weak_ptr exists.
    symbol = AtomRef(new Atom{Atom::Kind::Symbol, value, next++, false, Expr(), Expr()});
    known = symbol;
  }
  return symbol;
}

Expr Expr::ofAtom(const Atom &atom) {
  return ofAtom(atom.kind == Atom::Kind::Symbol ? getSymbol(atom.value) : std::make_shared<Atom>(atom));
}

Expr Expr::symbol(Value value) {
  Type type = value.getType();
  bool isPointer = type.getDialect().getNamespace() == "llvm";
  auto integer = dyn_cast<IntegerType>(type);
  if (!isPointer && !type.isIndex() && !(integer && integer.getWidth() <= 64))
    return unknown();
  return ofAtom(getSymbol(value));
}

Expr Expr::iteration(unsigned loop) {
  return ofAtom(std::make_shared<Atom>(Atom{Atom::Kind::Iteration, Value(), loop, false, Expr(), Expr()}));
}

static Int128 power(unsigned bits) { return Int128(1) << bits; }

static Expr::Range getRangeOfWidth(unsigned width, bool isSigned) {
  if (isSigned)
    return {-power(width - 1), power(width - 1) - 1};
  return {0, power(width) - 1};
}

static Int128 reduce(Int128 value, unsigned width, bool isSigned) {
  Int128 rest = value % power(width);
  if (rest < 0)
    rest += power(width);
  return isSigned && rest >= power(width - 1) ? rest - power(width) : rest;
}

static Expr makeWrap(const Expr &inner, unsigned width, bool isSigned) {
  return Expr::ofAtom(std::make_shared<Atom>(Atom{Atom::Kind::Wrap, Value(), width, isSigned, inner, Expr()}));
}

/// Returns the last bit as an expression. Numbers that differ by an odd constant get `b` and `1 - b` (`u[t % 2]`, `u[1
/// - t % 2]`).
Expr Expr::getLastBit(const Expr &number) {
  Expr parity = number.getParity();
  if (parity.isUnknown())
    return makeWrap(number, 1, /*isSigned=*/false);
  bool isTurned = llvm::any_of(parity.terms, [](const Term &term) { return term.atoms.empty(); });
  Expr rest = isTurned ? parity - Expr(1) : parity;
  Range range = rest.getRange();
  Expr bit = range.least >= 0 && range.most <= 1 ? rest : makeWrap(rest, 1, /*isSigned=*/false);
  return isTurned ? Expr(1) - bit : bit;
}

Expr Expr::wrap(const Expr &inner, unsigned width, bool isSigned) {
  if (inner.isUnknown() || width == 0 || width > 64)
    return unknown();
  Range range = inner.getRange(), fits = getRangeOfWidth(width, isSigned);
  if (range.least >= fits.least && range.most <= fits.most)
    return inner;
  if (std::optional<int64_t> constant = inner.getConstant()) {
    Int128 value = reduce(*constant, width, isSigned);
    return value > INT64_MAX ? unknown() : Expr(static_cast<int64_t>(value));
  }
  if (width == 1)
    return isSigned ? Expr() - wrap(inner, 1, /*isSigned=*/false) : getLastBit(inner);
  return makeWrap(inner, width, isSigned);
}

Expr Expr::min(const Expr &a, const Expr &b) {
  if (a.isUnknown() || b.isUnknown())
    return unknown();
  Range difference = (b - a).getRange();
  if (difference.least >= 0)
    return a;
  if (difference.most <= 0)
    return b;
  bool inOrder = compare(a, b) < 0;
  return ofAtom(std::make_shared<Atom>(Atom{Atom::Kind::Min, Value(), 0, false, inOrder ? a : b, inOrder ? b : a}));
}

Expr Expr::max(const Expr &a, const Expr &b) {
  if (a.isUnknown() || b.isUnknown())
    return unknown();
  Range difference = (b - a).getRange();
  if (difference.least >= 0)
    return b;
  if (difference.most <= 0)
    return a;
  bool inOrder = compare(a, b) < 0;
  return ofAtom(std::make_shared<Atom>(Atom{Atom::Kind::Max, Value(), 0, false, inOrder ? a : b, inOrder ? b : a}));
}

static Int128 divideDown(Int128 a, Int128 b) { return a / b - (a % b < 0 ? 1 : 0); }

Expr Expr::floorDiv(const Expr &dividend, const Expr &divisor) {
  if (dividend.isUnknown() || divisor.isUnknown() || divisor.getRange().most <= 0)
    return unknown();
  if (Expr quotient = dividend.divideExactly(divisor); !quotient.isUnknown())
    return quotient;
  std::optional<int64_t> a = dividend.getConstant(), b = divisor.getConstant();
  if (a && b)
    return Expr(static_cast<int64_t>(divideDown(*a, *b)));
  return ofAtom(std::make_shared<Atom>(Atom{Atom::Kind::FloorDiv, Value(), 0, false, dividend, divisor}));
}

void Expr::add(Product product, Int128 coefficient) {
  auto it = std::lower_bound(terms.begin(), terms.end(), product,
                             [](const Term &term, const Product &p) { return compare(term.atoms, p) > 0; });
  bool exists = it != terms.end() && compare(it->atoms, product) == 0;
  Int128 sum = coefficient + (exists ? it->coefficient : 0);
  if (sum < INT64_MIN || sum > INT64_MAX || product.size() > 8 || terms.size() > 64) {
    *this = unknown();
    return;
  }
  if (exists && sum == 0)
    terms.erase(it);
  else if (exists)
    it->coefficient = static_cast<int64_t>(sum);
  else if (sum != 0)
    terms.insert(it, Term{std::move(product), static_cast<int64_t>(sum)});
}

Expr Expr::operator+(const Expr &other) const {
  if (isBad || other.isBad)
    return unknown();
  Expr sum = *this;
  for (const Term &term : other.terms)
    if (!sum.isBad)
      sum.add(term.atoms, term.coefficient);
  return sum;
}

Expr Expr::operator-(const Expr &other) const { return *this + other * Expr(-1); }

Expr Expr::operator*(const Expr &other) const {
  if (isBad || other.isBad)
    return unknown();
  Expr result;
  for (const Term &a : terms)
    for (const Term &b : other.terms) {
      Product product = a.atoms;
      product.append(b.atoms.begin(), b.atoms.end());
      llvm::sort(product, [](const AtomRef &x, const AtomRef &y) { return compare(*x, *y) < 0; });
      result.add(std::move(product), Int128(a.coefficient) * b.coefficient);
      if (result.isBad)
        return result;
    }
  return result;
}

bool Expr::operator<(const Expr &other) const { return compare(*this, other) < 0; }

mlir::Value Expr::getOnlySymbol() const {
  if (isUnknown() || terms.size() != 1 || terms.front().coefficient != 1 || terms.front().atoms.size() != 1)
    return {};
  const Atom &atom = *terms.front().atoms.front();
  return atom.kind == Atom::Kind::Symbol ? atom.value : mlir::Value();
}

bool Expr::operator==(const Expr &other) const { return !isBad && !other.isBad && compare(*this, other) == 0; }

std::optional<int64_t> Expr::getConstant() const {
  if (isBad || terms.size() > 1)
    return std::nullopt;
  if (terms.empty())
    return 0;
  return terms.front().atoms.empty() ? std::optional<int64_t>(terms.front().coefficient) : std::nullopt;
}

Expr Expr::divideExactly(const Expr &divisor) const {
  if (isBad || divisor.isBad || divisor.isZero())
    return unknown();
  Expr rest = *this, quotient;
  const Term &leading = divisor.terms.front();
  for (unsigned steps = 0; !rest.terms.empty(); ++steps) {
    const Term &term = rest.terms.front();
    Product product = term.atoms;
    if (steps == 64 || term.coefficient % leading.coefficient != 0)
      return unknown();
    for (const AtomRef &atom : leading.atoms) {
      auto it = llvm::find_if(product, [&](const AtomRef &other) { return compare(*atom, *other) == 0; });
      if (it == product.end())
        return unknown();
      product.erase(it);
    }
    Expr step;
    // `add` detects that INT64_MIN / -1 does not fit.
    step.add(std::move(product), Int128(term.coefficient) / leading.coefficient);
    quotient = quotient + step;
    rest = rest - step * divisor;
    if (rest.isBad || quotient.isBad)
      return unknown();
  }
  return quotient;
}

//===----------------------------------------------------------------------===//
// Looking into atoms
//===----------------------------------------------------------------------===//

Expr Expr::map(llvm::function_ref<Expr(const Atom &)> fn) const {
  if (isBad)
    return *this;
  Expr result;
  for (const Term &term : terms) {
    Expr product(term.coefficient);
    for (const AtomRef &atom : term.atoms)
      product = product * fn(*atom);
    result = result + product;
  }
  return result;
}

Expr Expr::substitute(unsigned loop, const Expr &value) const {
  if (!contains(loop))
    return *this;
  return map([&](const Atom &atom) -> Expr {
    switch (atom.kind) {
    case Atom::Kind::Symbol:
      return ofAtom(atom);
    case Atom::Kind::Iteration:
      return atom.number == loop ? value : iteration(atom.number);
    case Atom::Kind::Wrap:
      return wrap(atom.first.substitute(loop, value), atom.number, atom.isSigned);
    case Atom::Kind::Min:
      return min(atom.first.substitute(loop, value), atom.second.substitute(loop, value));
    case Atom::Kind::Max:
      return max(atom.first.substitute(loop, value), atom.second.substitute(loop, value));
    case Atom::Kind::FloorDiv:
      return floorDiv(atom.first.substitute(loop, value), atom.second.substitute(loop, value));
    }
    return unknown();
  });
}

template <typename Fn> static bool anyAtom(const Expr &expr, const Fn &fn) {
  for (const Expr::Term &term : expr.getTerms())
    for (const AtomRef &atom : term.atoms)
      if (fn(*atom) || anyAtom(atom->first, fn) || anyAtom(atom->second, fn))
        return true;
  return false;
}

bool Expr::contains(unsigned loop) const {
  return anyAtom(*this, [&](const Atom &atom) { return atom.kind == Atom::Kind::Iteration && atom.number == loop; });
}

bool Expr::containsIterations() const {
  return anyAtom(*this, [](const Atom &atom) { return atom.kind == Atom::Kind::Iteration; });
}

void Expr::forEachSymbol(llvm::function_ref<void(Value)> fn) const {
  anyAtom(*this, [&](const Atom &atom) {
    if (atom.kind == Atom::Kind::Symbol)
      fn(atom.value);
    return false;
  });
}

bool Expr::splitLinear(unsigned loop, Expr &factor, Expr &rest) const {
  if (isBad)
    return false;
  factor = rest = Expr();
  for (const Term &term : terms) {
    Product others;
    unsigned count = 0;
    for (const AtomRef &atom : term.atoms) {
      bool isLoop = atom->kind == Atom::Kind::Iteration && atom->number == loop;
      count += isLoop;
      if (!isLoop)
        others.push_back(atom);
    }
    (count ? factor : rest).add(std::move(others), term.coefficient);
    if (count > 1)
      return false;
  }
  return !factor.isBad && !rest.isBad && !factor.contains(loop) && !rest.contains(loop);
}

//===----------------------------------------------------------------------===//
// Ranges and values
//===----------------------------------------------------------------------===//

static Int128 saturate(Int128 value) { return std::clamp(value, -kMost, kMost); }

static Int128 multiply(Int128 a, Int128 b) {
  Int128 product;
  if (__builtin_mul_overflow(a, b, &product))
    return (a < 0) == (b < 0) ? kMost : -kMost;
  return saturate(product);
}

Expr::Range comm::multiply(Expr::Range a, Expr::Range b) {
  Int128 products[] = {::multiply(a.least, b.least), ::multiply(a.least, b.most), ::multiply(a.most, b.least),
                       ::multiply(a.most, b.most)};
  return {*std::min_element(std::begin(products), std::end(products)),
          *std::max_element(std::begin(products), std::end(products))};
}

Expr::Range comm::add(Expr::Range a, Expr::Range b) {
  // A saturated bound stays saturated, whatever is added.
  bool noLeast = a.least == -kMost || b.least == -kMost, noMost = a.most == kMost || b.most == kMost;
  return {noLeast ? -kMost : saturate(a.least + b.least), noMost ? kMost : saturate(a.most + b.most)};
}

Expr::Range comm::getRange(const Atom &atom, Expr::Range first, Expr::Range second) {
  switch (atom.kind) {
  case Atom::Kind::Symbol: {
    if (isAskedLength(atom.value))
      return {0, Int128(1) << 61};
    if (auto integer = dyn_cast<IntegerType>(atom.value.getType()))
      return getRangeOfWidth(integer.getWidth(), /*isSigned=*/true);
    return getRangeOfWidth(64, /*isSigned=*/atom.value.getType().isIndex());
  }
  case Atom::Kind::Iteration:
    return getRangeOfWidth(64, /*isSigned=*/false);
  case Atom::Kind::Wrap:
    return getRangeOfWidth(atom.number, atom.isSigned);
  case Atom::Kind::Min:
    return {std::min(first.least, second.least), std::min(first.most, second.most)};
  case Atom::Kind::Max:
    return {std::max(first.least, second.least), std::max(first.most, second.most)};
  case Atom::Kind::FloorDiv: {
    // A positive number divided by the largest divisor is least. Saturated bounds stay saturated.
    Int128 least = std::max<Int128>(second.least, 1), most = std::max(second.most, least);
    return {first.least == -kMost ? -kMost : divideDown(first.least, first.least < 0 ? least : most),
            first.most == kMost ? kMost : divideDown(first.most, first.most < 0 ? most : least)};
  }
  }
  return {-kMost, kMost};
}

Expr::Range comm::getRange(const Atom &atom) {
  bool isLeaf = atom.kind == Atom::Kind::Symbol || atom.kind == Atom::Kind::Iteration || atom.kind == Atom::Kind::Wrap;
  return isLeaf ? comm::getRange(atom, {}, {}) : comm::getRange(atom, atom.first.getRange(), atom.second.getRange());
}

Expr::Range Expr::getRange() const {
  if (isBad)
    return {-kMost, kMost};
  Range sum{0, 0};
  for (const Term &term : terms) {
    Range product{term.coefficient, term.coefficient};
    for (const AtomRef &atom : term.atoms)
      product = multiply(product, comm::getRange(*atom));
    sum = comm::add(sum, product);
  }
  return sum;
}

Expr Expr::getParity() const {
  if (isBad)
    return unknown();
  Expr exact =
      map([](const Atom &atom) { return atom.kind == Atom::Kind::Wrap ? atom.first.getParity() : ofAtom(atom); });
  if (exact.isBad)
    return unknown();
  llvm::erase_if(exact.terms, [](const Term &term) { return term.coefficient % 2 == 0; });
  for (Term &term : exact.terms)
    term.coefficient = 1;
  return exact;
}

std::optional<Int128> Expr::evaluate(SymbolValue symbolValue, IterationValue iterationValue) const {
  if (isBad)
    return std::nullopt;
  Int128 sum = 0;
  for (const Term &term : terms) {
    Int128 product = term.coefficient;
    for (const AtomRef &atom : term.atoms) {
      std::optional<Int128> value, first, second;
      if (atom->kind != Atom::Kind::Symbol && atom->kind != Atom::Kind::Iteration) {
        first = atom->first.evaluate(symbolValue, iterationValue);
        second = atom->second.evaluate(symbolValue, iterationValue);
        if (!first || !second)
          return std::nullopt;
      }
      switch (atom->kind) {
      case Atom::Kind::Symbol:
        if (std::optional<int64_t> number = symbolValue(atom->value))
          value = isa<IntegerType, IndexType>(atom->value.getType()) ? Int128(*number)
                                                                     : Int128(static_cast<uint64_t>(*number));
        break;
      case Atom::Kind::Iteration:
        if (std::optional<int64_t> number = iterationValue(atom->number))
          value = *number;
        break;
      case Atom::Kind::Wrap:
        value = reduce(*first, atom->number, atom->isSigned);
        break;
      case Atom::Kind::Min:
        value = std::min(*first, *second);
        break;
      case Atom::Kind::Max:
        value = std::max(*first, *second);
        break;
      case Atom::Kind::FloorDiv:
        if (*second > 0)
          value = divideDown(*first, *second);
        break;
      }
      if (!value || __builtin_mul_overflow(product, *value, &product))
        return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum))
      return std::nullopt;
  }
  return sum;
}
