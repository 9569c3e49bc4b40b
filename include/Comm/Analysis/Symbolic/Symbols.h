//===- Symbols.h - Numbers in terms of rank and size ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Polynomials over the rank, the number of processes, iterations of loops and unknown values, with remainders modulo
// the number of processes. They express which block goes to whom for any number of processes. All numbers are integers
// without overflow; code that converts a machine integer proves that it does not wrap.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_SYMBOLIC_SYMBOLS_H
#define COMM_ANALYSIS_SYMBOLIC_SYMBOLS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace comm {

/// An indeterminate, by its index in Symbols.
using Atom = unsigned;

/// A polynomial with integer coefficients, or "unknown", which equals nothing, not even itself.
class Poly {
public:
  /// Atoms in ascending order, with repetitions. Empty for the constant term.
  using Monomial = std::vector<Atom>;

  Poly() = default; // unknown
  Poly(int64_t constant) : known(true) {
    if (constant)
      terms[{}] = constant;
  }
  static Poly of(Atom atom) {
    Poly poly(0);
    poly.terms[{atom}] = 1;
    return poly;
  }

  explicit operator bool() const { return known; }
  std::optional<int64_t> getConstant() const;
  bool isZero() const { return known && terms.empty(); }
  /// Whether the atom occurs in any monomial. Does not look into remainders, which are atoms of their own.
  bool mentions(Atom atom) const;
  /// Returns the coefficient of the atom if it occurs only as a linear term.
  std::optional<int64_t> getLinear(Atom atom) const;
  const std::map<Monomial, int64_t> &getTerms() const { return terms; }

  Poly operator-() const { return *this * Poly(-1); }
  Poly operator+(const Poly &other) const;
  Poly operator-(const Poly &other) const { return *this + -other; }
  Poly operator*(const Poly &other) const;
  /// Returns false if either is unknown.
  bool operator==(const Poly &other) const { return known && other.known && terms == other.terms; }
  bool operator!=(const Poly &other) const { return !(*this == other); }

private:
  bool known = false;
  std::map<Monomial, int64_t> terms;
};

/// The atoms and what is known about them. The number of processes P is at least `minSize` and at most 2^28.
class Symbols {
public:
  enum class Kind { Rank, Size, Peer, Iteration, Opaque, Mod, Phi };
  static constexpr Atom rank = 0, size = 1, peer = 2;
  static constexpr int64_t maxSize = int64_t(1) << 28;

  Symbols();

  /// Returns an atom for a value about which nothing is known. It may differ between processes.
  Poly getOpaque(mlir::Value value);
  /// Returns the existing atom for the value, or unknown if there is none.
  Poly findOpaque(mlir::Value value) const;
  /// Adds the number of an iteration, which starts at 0. The trip count is set once it is known.
  Atom addIteration();
  void setTrips(Atom iteration, Poly trips) { atoms[iteration].trips = std::move(trips); }
  const Poly &getTrips(Atom iteration) const { return atoms[iteration].trips; }
  /// Adds an unknown number. `isRank`: it is at least 0 and less than the number of processes.
  Poly addPhi(bool isRank);
  /// Returns the least nonnegative number that is congruent modulo the number of processes.
  Poly mod(const Poly &value);
  /// Returns the dividend of a remainder.
  const Poly &getModulo(Atom atom) const { return atoms[atom].inner; }
  Kind getKind(Atom atom) const { return atoms[atom].kind; }
  mlir::Value getValue(Atom atom) const { return atoms[atom].value; }

  /// Replaces an atom in the polynomial, including inside remainders.
  Poly substitute(const Poly &value, Atom atom, const Poly &replacement);
  /// Replaces each atom for which `get` returns a known polynomial.
  Poly substitute(const Poly &value, llvm::function_ref<Poly(Atom)> get);
  /// Evaluates the polynomial for given values of all atoms except remainders, which are computed.
  std::optional<int64_t> evaluate(const Poly &value, llvm::function_ref<std::optional<int64_t>(Atom)> get) const;

  bool isNonNegative(const Poly &value) const;
  bool isPositive(const Poly &value) const { return isNonNegative(value - Poly(1)); }
  /// Whether the value is in the range from 0 to P - 1.
  bool isRank(const Poly &value) const {
    return isNonNegative(value) && isNonNegative(Poly::of(size) - Poly(1) - value);
  }
  /// Whether the value fits into a signed integer of this width.
  bool fits(const Poly &value, unsigned bits) const;
  /// Whether the value is the same in all processes: it consists of the number of processes and constants.
  bool isUniform(const Poly &value) const;
  bool mentionsKind(const Poly &value, Kind kind) const;
  /// Calls `fn` for each atom, including those inside remainders.
  void forEachAtom(const Poly &value, llvm::function_ref<void(Atom)> fn) const;
  /// Returns the text for messages: "2 * rank + 1".
  std::string toString(const Poly &value) const;

  /// The facts that currently hold.
  int64_t minSize = 1;
  Poly minRank = Poly(0), maxRank = Poly::of(size) - Poly(1);

private:
  struct Info {
    Kind kind;
    mlir::Value value = {};
    Poly inner = {};
    Poly trips = {};
    bool isRank = false;
  };
  std::optional<std::pair<int64_t, int64_t>> bound(Poly value, bool upper) const;
  std::optional<Poly> getLimit(Atom atom, bool upper) const;

  std::vector<Info> atoms;
};

} // namespace comm

#endif // COMM_ANALYSIS_SYMBOLIC_SYMBOLS_H
