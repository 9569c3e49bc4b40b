//===- Symbols.cpp - Numbers in terms of rank and size ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Symbolic/Symbols.h"

#include "llvm/ADT/Twine.h"

#include <algorithm>

using namespace comm;

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

std::optional<int64_t> Poly::getConstant() const {
  if (!known || terms.size() > 1 || (terms.size() == 1 && !terms.begin()->first.empty()))
    return std::nullopt;
  return terms.empty() ? 0 : terms.begin()->second;
}

bool Poly::mentions(Atom atom) const {
  return std::any_of(terms.begin(), terms.end(),
                     [&](const auto &term) { return llvm::is_contained(term.first, atom); });
}

std::optional<int64_t> Poly::getLinear(Atom atom) const {
  int64_t coefficient = 0;
  for (const auto &[monomial, factor] : terms) {
    if (!llvm::is_contained(monomial, atom))
      continue;
    if (monomial.size() != 1)
      return std::nullopt;
    coefficient = factor;
  }
  return coefficient;
}

/// Polynomials with more terms than this are of no use.
static constexpr size_t maxTerms = 64, maxDegree = 8;

Poly Poly::operator+(const Poly &other) const {
  if (!known || !other.known || terms.size() + other.terms.size() > 2 * maxTerms)
    return Poly();
  Poly sum = *this;
  for (const auto &[monomial, factor] : other.terms) {
    int64_t &entry = sum.terms[monomial];
    if (__builtin_add_overflow(entry, factor, &entry))
      return Poly();
    if (entry == 0)
      sum.terms.erase(monomial);
  }
  return sum;
}

Poly Poly::operator*(const Poly &other) const {
  if (!known || !other.known || terms.size() * other.terms.size() > maxTerms)
    return Poly();
  Poly product(0);
  for (const auto &[a, x] : terms)
    for (const auto &[b, y] : other.terms) {
      Monomial monomial;
      std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(monomial));
      int64_t factor;
      if (monomial.size() > maxDegree || __builtin_mul_overflow(x, y, &factor))
        return Poly();
      int64_t &entry = product.terms[monomial];
      if (__builtin_add_overflow(entry, factor, &entry))
        return Poly();
      if (entry == 0)
        product.terms.erase(monomial);
    }
  return product;
}

//===----------------------------------------------------------------------===//
// Atoms
//===----------------------------------------------------------------------===//

Symbols::Symbols() : atoms{{Kind::Rank}, {Kind::Size}, {Kind::Peer}} {}

Poly Symbols::findOpaque(mlir::Value value) const {
  for (Atom atom = 0; atom < atoms.size(); ++atom)
    if (atoms[atom].kind == Kind::Opaque && atoms[atom].value == value)
      return Poly::of(atom);
  return Poly();
}

Poly Symbols::getOpaque(mlir::Value value) {
  if (Poly known = findOpaque(value))
    return known;
  atoms.push_back({Kind::Opaque, value});
  return Poly::of(atoms.size() - 1);
}

Atom Symbols::addIteration() {
  atoms.push_back({Kind::Iteration});
  return atoms.size() - 1;
}

Poly Symbols::addPhi(bool isRank) {
  atoms.push_back({Kind::Phi});
  atoms.back().isRank = isRank;
  return Poly::of(atoms.size() - 1);
}

Poly Symbols::mod(const Poly &value) {
  if (!value)
    return Poly();
  // Multiples of P are congruent to 0, and a remainder to its dividend.
  Poly reduced(0);
  for (const auto &[monomial, factor] : value.getTerms()) {
    if (llvm::is_contained(monomial, size))
      continue;
    Poly term(factor);
    bool first = true;
    for (Atom atom : monomial) {
      term =
          term * (first && monomial.size() == 1 && atoms[atom].kind == Kind::Mod ? atoms[atom].inner : Poly::of(atom));
      first = false;
    }
    reduced = reduced + term;
  }
  if (!reduced)
    return Poly();
  for (int64_t times : {0, 1, -1})
    if (Poly candidate = reduced + Poly(times) * Poly::of(size); isRank(candidate))
      return candidate;
  for (Atom atom = 0; atom < atoms.size(); ++atom)
    if (atoms[atom].kind == Kind::Mod && atoms[atom].inner == reduced)
      return Poly::of(atom);
  atoms.push_back({Kind::Mod, {}, reduced});
  return Poly::of(atoms.size() - 1);
}

Poly Symbols::substitute(const Poly &value, llvm::function_ref<Poly(Atom)> get) {
  if (!value)
    return Poly();
  Poly result(0);
  for (const auto &[monomial, factor] : value.getTerms()) {
    Poly term(factor);
    for (Atom atom : monomial) {
      if (Poly replacement = get(atom))
        term = term * replacement;
      else if (atoms[atom].kind == Kind::Mod)
        term = term * mod(substitute(Poly(atoms[atom].inner), get));
      else
        term = term * Poly::of(atom);
    }
    result = result + term;
  }
  return result;
}

Poly Symbols::substitute(const Poly &value, Atom which, const Poly &replacement) {
  if (!replacement)
    return Poly();
  return substitute(value, [&](Atom atom) { return atom == which ? replacement : Poly(); });
}

std::optional<int64_t> Symbols::evaluate(const Poly &value,
                                         llvm::function_ref<std::optional<int64_t>(Atom)> get) const {
  if (!value)
    return std::nullopt;
  int64_t result = 0;
  for (const auto &[monomial, factor] : value.getTerms()) {
    int64_t term = factor;
    for (Atom atom : monomial) {
      std::optional<int64_t> number;
      if (atoms[atom].kind == Kind::Mod) {
        std::optional<int64_t> inner = evaluate(atoms[atom].inner, get), processes = get(size);
        if (inner && processes && *processes > 0)
          number = (*inner % *processes + *processes) % *processes;
      } else {
        number = get(atom);
      }
      if (!number || __builtin_mul_overflow(term, *number, &term))
        return std::nullopt;
    }
    if (__builtin_add_overflow(result, term, &result))
      return std::nullopt;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Known facts
//===----------------------------------------------------------------------===//

std::optional<Poly> Symbols::getLimit(Atom atom, bool upper) const {
  const Info &info = atoms[atom];
  switch (info.kind) {
  case Kind::Rank:
    return upper ? maxRank : minRank;
  case Kind::Peer:
  case Kind::Mod:
    return upper ? Poly::of(size) - Poly(1) : Poly(0);
  case Kind::Iteration:
    if (upper && !info.trips)
      return std::nullopt;
    return upper ? info.trips - Poly(1) : Poly(0);
  case Kind::Phi:
    if (!info.isRank)
      return std::nullopt;
    return upper ? Poly::of(size) - Poly(1) : Poly(0);
  case Kind::Size:
  case Kind::Opaque:
    return std::nullopt;
  }
  return std::nullopt;
}

/// Returns a bound a * P + b, as (a, b). Each atom except P must occur linearly, so that the extreme is at the atom's
/// extremes.
std::optional<std::pair<int64_t, int64_t>> Symbols::bound(Poly value, bool upper) const {
  // Iterations go first, since their ranges may mention the rank.
  static constexpr Kind order[] = {Kind::Iteration, Kind::Phi, Kind::Mod, Kind::Peer, Kind::Rank};
  for (Kind kind : order)
    for (bool changed = true; changed;) {
      changed = false;
      if (!value)
        return std::nullopt;
      for (const auto &[monomial, factor] : value.getTerms()) {
        auto *it = std::find_if(monomial.data(), monomial.data() + monomial.size(),
                                [&](Atom atom) { return atoms[atom].kind == kind; });
        if (it == monomial.data() + monomial.size())
          continue;
        if (monomial.size() != 1 || !value.getLinear(*it))
          return std::nullopt;
        std::optional<Poly> limit = getLimit(*it, (factor > 0) == upper);
        if (!limit)
          return std::nullopt;
        value = value + (*limit - Poly::of(*it)) * Poly(factor);
        changed = true;
        break;
      }
    }
  int64_t slope = 0, constant = 0;
  for (const auto &[monomial, factor] : value.getTerms()) {
    if (monomial.empty())
      constant = factor;
    else if (monomial == Poly::Monomial{size})
      slope = factor;
    else
      return std::nullopt;
  }
  if (std::abs(slope) > maxSize || std::abs(constant) > (int64_t(1) << 60))
    return std::nullopt;
  return std::make_pair(slope, constant);
}

bool Symbols::isNonNegative(const Poly &value) const {
  if (!value)
    return false;
  auto least = bound(value, /*upper=*/false);
  return least && least->first >= 0 && least->first * minSize + least->second >= 0;
}

bool Symbols::fits(const Poly &value, unsigned bits) const {
  if (!value)
    return false;
  auto least = bound(value, false), most = bound(value, true);
  if (!least || !most || bits < 2 || bits > 64)
    return false;
  auto extreme = [&](std::pair<int64_t, int64_t> line, bool upper) {
    int64_t first = line.first * minSize + line.second, last = line.first * maxSize + line.second;
    return upper ? std::max(first, last) : std::min(first, last);
  };
  int64_t limit = std::numeric_limits<int64_t>::max() >> (64 - bits);
  return extreme(*least, false) >= -limit - 1 && extreme(*most, true) <= limit;
}

void Symbols::forEachAtom(const Poly &value, llvm::function_ref<void(Atom)> fn) const {
  for (const auto &[monomial, factor] : value.getTerms())
    for (Atom atom : monomial) {
      fn(atom);
      if (atoms[atom].kind == Kind::Mod)
        forEachAtom(atoms[atom].inner, fn);
    }
}

bool Symbols::isUniform(const Poly &value) const {
  if (!value)
    return false;
  bool uniform = true;
  forEachAtom(value, [&](Atom atom) { uniform &= atoms[atom].kind == Kind::Size || atoms[atom].kind == Kind::Mod; });
  return uniform;
}

bool Symbols::mentionsKind(const Poly &value, Kind kind) const {
  bool found = false;
  forEachAtom(value, [&](Atom atom) { found |= atoms[atom].kind == kind; });
  return found;
}

std::string Symbols::toString(const Poly &value) const {
  if (!value)
    return "unknown";
  std::string text;
  for (const auto &[monomial, factor] : llvm::reverse(value.getTerms())) {
    std::string term = factor == 1 && !monomial.empty() ? "" : std::to_string(factor);
    for (Atom atom : monomial) {
      if (!term.empty())
        term += " * ";
      switch (atoms[atom].kind) {
      case Kind::Rank:
        term += "rank";
        break;
      case Kind::Size:
        term += "size";
        break;
      case Kind::Peer:
        term += "peer";
        break;
      case Kind::Mod:
        term += "((" + toString(atoms[atom].inner) + ") mod size)";
        break;
      default:
        term += "v" + std::to_string(atom);
      }
    }
    text += (text.empty() ? "" : " + ") + term;
  }
  return text.empty() ? "0" : text;
}
