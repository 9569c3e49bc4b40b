//===- ExprPrinting.cpp - Printing expressions and predicates -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Footprints/Expr.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace comm;

using Naming = llvm::function_ref<std::string(Value)>;

static void print(llvm::raw_ostream &os, const Atom &atom, Naming name) {
  auto pair = [&](llvm::StringRef what) {
    os << what << "(";
    atom.first.print(os, name);
    os << ", ";
    atom.second.print(os, name);
    os << ")";
  };
  switch (atom.kind) {
  case Atom::Kind::Symbol:
    os << name(atom.value);
    break;
  case Atom::Kind::Iteration:
    os << "#" << atom.number;
    break;
  case Atom::Kind::Wrap:
    os << (atom.isSigned ? "s" : "u") << atom.number << "(";
    atom.first.print(os, name);
    os << ")";
    break;
  case Atom::Kind::Min:
    pair("min");
    break;
  case Atom::Kind::Max:
    pair("max");
    break;
  case Atom::Kind::FloorDiv:
    pair("floordiv");
    break;
  }
}

void Expr::print(llvm::raw_ostream &os, Naming name) const {
  if (isBad || terms.empty()) {
    os << (isBad ? "?" : "0");
    return;
  }
  for (auto [index, term] : llvm::enumerate(terms)) {
    bool isNegative = term.coefficient < 0;
    os << (index ? (isNegative ? " - " : " + ") : (isNegative ? "-" : ""));
    uint64_t size = isNegative ? -static_cast<uint64_t>(term.coefficient) : term.coefficient;
    // Atoms are in the order of creation, but the text is sorted by name.
    llvm::SmallVector<std::string> factors;
    if (size != 1 || term.atoms.empty())
      factors.push_back(std::to_string(size));
    size_t first = factors.size();
    for (const AtomRef &atom : term.atoms)
      ::print(*std::make_unique<llvm::raw_string_ostream>(factors.emplace_back()), *atom, name);
    std::sort(factors.begin() + first, factors.end());
    os << llvm::join(factors, " * ");
  }
}

void Predicate::print(llvm::raw_ostream &os, Naming name) const {
  switch (kind) {
  case Kind::False:
    os << "never";
    return;
  case Kind::True:
    os << "always";
    return;
  case Kind::NotNegative:
    os << "0 <= ";
    difference.print(os, name);
    return;
  case Kind::Apart:
    os << name(layout) << " and " << name(otherLayout) << " are apart at ";
    difference.print(os, name);
    return;
  case Kind::Fits:
    difference.print(os, name);
    os << " fits";
    return;
  case Kind::And:
  case Kind::Or:
    for (auto [index, part] : llvm::enumerate(parts)) {
      os << (index ? (kind == Kind::And ? " && " : " || ") : "");
      bool nested = part.kind == Kind::And || part.kind == Kind::Or;
      os << (nested ? "(" : "");
      part.print(os, name);
      os << (nested ? ")" : "");
    }
  }
}
