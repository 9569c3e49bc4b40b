//===- Symbols.h - Numbers in terms of rank and size ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Polynomials over the rank, the number of processes, iterations of loops and values that are not known, with
// remainders modulo the number of processes: enough to say which block goes to whom, for any number of processes. All
// are integers without overflow; whoever makes one of a machine integer proves that it is one.
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

/// One indeterminate, by its number in Symbols.
using Atom = unsigned;

/// A polynomial with integer coefficients, or "unknown", which equals nothing, not even itself.
class Poly {
public:
  /// Atoms in ascending order, with repetitions; none for the constant term.
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
  /// True if the atom occurs, in any monomial. Remainders are atoms of their own.
  bool mentions(Atom atom) const;
  /// The coefficient of the atom alone, if it occurs in no other monomial.
  std::optional<int64_t> getLinear(Atom atom) const;
  const std::map<Monomial, int64_t> &getTerms() const { return terms; }

  Poly operator-() const { return *this * Poly(-1); }
  Poly operator+(const Poly &other) const;
  Poly operator-(const Poly &other) const { return *this + -other; }
  Poly operator*(const Poly &other) const;
  /// False if one of the two is unknown.
  bool operator==(const Poly &other) const { return known && other.known && terms == other.terms; }
  bool operator!=(const Poly &other) const { return !(*this == other); }

private:
  bool known = false;
  std::map<Monomial, int64_t> terms;
};

/// The atoms and what is known of them. The number of processes P is at least `minSize`, and never above 2^28.
class Symbols {
public:
  enum class Kind { Rank, Size, Peer, Iteration, Opaque, Mod, Phi };
  static constexpr Atom rank = 0, size = 1, peer = 2;
  static constexpr int64_t maxSize = int64_t(1) << 28;

  Symbols();

  /// A value that nothing is known about; it may differ between processes.
  Poly getOpaque(mlir::Value value);
  /// The same, or unknown if there was no question about it before.
  Poly findOpaque(mlir::Value value) const;
  /// A new iteration number, from 0 up. Its end is set once it is known.
  Atom addIteration();
  void setTrips(Atom iteration, Poly trips) { atoms[iteration].trips = std::move(trips); }
  const Poly &getTrips(Atom iteration) const { return atoms[iteration].trips; }
  /// A new unknown number; `isRank` if it is at least 0 and less than the number of processes.
  Poly addPhi(bool isRank);
  /// The least nonnegative number that is congruent modulo the number of processes.
  Poly mod(const Poly &value);
  /// The dividend, if the atom is a remainder.
  const Poly &getModulo(Atom atom) const { return atoms[atom].inner; }
  Kind getKind(Atom atom) const { return atoms[atom].kind; }
  mlir::Value getValue(Atom atom) const { return atoms[atom].value; }

  /// The polynomial with another in the place of an atom, inside of remainders too.
  Poly substitute(const Poly &value, Atom atom, const Poly &replacement);
  /// The same for each atom for which `get` has something known.
  Poly substitute(const Poly &value, llvm::function_ref<Poly(Atom)> get);
  /// The value for given values of all atoms but remainders, which are computed.
  std::optional<int64_t> evaluate(const Poly &value, llvm::function_ref<std::optional<int64_t>(Atom)> get) const;

  bool isNonNegative(const Poly &value) const;
  bool isPositive(const Poly &value) const { return isNonNegative(value - Poly(1)); }
  /// In 0 to P - 1.
  bool isRank(const Poly &value) const {
    return isNonNegative(value) && isNonNegative(Poly::of(size) - Poly(1) - value);
  }
  /// A signed integer of that many bits holds it.
  bool fits(const Poly &value, unsigned bits) const;
  /// The same number in all processes: only of the number of processes and constants.
  bool isUniform(const Poly &value) const;
  bool mentionsKind(const Poly &value, Kind kind) const;
  /// Calls `fn` for each atom, inside of remainders too.
  void forEachAtom(const Poly &value, llvm::function_ref<void(Atom)> fn) const;
  /// "2 * rank + 1", for messages.
  std::string toString(const Poly &value) const;

  /// The facts that hold at the moment.
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
