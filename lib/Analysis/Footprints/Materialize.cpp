//===- Materialize.cpp - Code generation for expressions ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No result is wrong because of an overflow. Exact arithmetic uses 128 bits where the ranges of expressions do not show
// that 64 bits are enough. Checked arithmetic uses 64 bits only. It knows what has to hold for each number: numbers of
// the program have sizes that memory can have, and the rest does not overflow.
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Footprints/Expr.h"

#include "Ranges.h"

#include "Comm/Dialect/Comm/Utils/Markers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <iterator>
#include <map>

using namespace mlir;
using namespace comm;

/// Limit of 64-bit symbols and of products in checked arithmetic: beyond all addresses of processes, and small enough
/// for sums of multiples.
static constexpr int64_t kMostChecked = int64_t(1) << 50;

namespace {
/// A set of conditions, by their indices, sorted.
using Checks = std::vector<unsigned>;

/// A computed number, and bounds of it. Both are right if all of the checks hold.
struct Number {
  Value value;
  Expr::Range range;
  Checks checks = {};
};
} // namespace

static Checks unite(const Checks &a, const Checks &b) {
  Checks all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

namespace comm {
/// Emits integer operations in one of two dialects.
class Emitter {
public:
  Emitter(OpBuilder &builder, Location loc, Arithmetic arithmetic)
      : builder(builder), loc(loc), narrow(builder.getI64Type()), wide(builder.getIntegerType(128)),
        isLLVM(isa_and_nonnull<LLVM::LLVMFuncOp>(getFunction())),
        isChecked(isLLVM && arithmetic == Arithmetic::Checked) {}

  /// Returns a value of 64 or 128 bits.
  Value emit(const Expr &expr) { return emitNumber(expr).value; }
  Value emit(const Predicate &predicate) {
    Checks checks;
    Value holds = emit(predicate, checks);
    return checks.empty() ? holds : combine(/*isAnd=*/true, holds, emit(checks));
  }
  /// Returns the low 64 bits.
  Value truncate(Value value) {
    return value.getType() == narrow ? value : cast<LLVM::TruncOp, arith::TruncIOp>(narrow, value);
  }
  /// Returns the value in 128 bits.
  Value widen(Value value) { return value.getType() == wide ? value : cast<LLVM::SExtOp, arith::ExtSIOp>(wide, value); }
  Value combine(bool isAnd, Value a, Value b) {
    if (a == b || a == truths[isAnd] || b == truths[!isAnd])
      return b;
    if (b == truths[isAnd] || a == truths[!isAnd])
      return a;
    Value &known = combined[{unsigned(isAnd), a, b}];
    if (!known)
      known = isAnd ? binary<LLVM::AndOp, arith::AndIOp>(a, b) : binary<LLVM::OrOp, arith::OrIOp>(a, b);
    return known;
  }
  Value truth(bool value) {
    if (!truths[value])
      truths[value] = make(builder.getIntegerAttr(builder.getI1Type(), value));
    return truths[value];
  }

private:
  /// Returns a value that is right if the checks hold that it adds.
  Value emit(const Predicate &predicate, Checks &checks);
  /// Returns whether all of them hold, of which there is one at least.
  Value emit(const Checks &checks);
  Operation *getFunction() {
    Operation *op = builder.getInsertionBlock()->getParentOp();
    while (op && !isa<FunctionOpInterface>(op))
      op = op->getParentOp();
    return op;
  }
  static bool isNarrow(Expr::Range range) { return INT64_MIN <= range.least && range.most <= INT64_MAX; }
  /// Widens the narrower one of the two.
  void matchWidths(Value &a, Value &b) {
    if (a.getType() == b.getType())
      return;
    a = widen(a);
    b = widen(b);
  }
  /// Computes a result in the given range: in as few bits as possible, or checked.
  template <typename LLVMOp, typename ArithOp, typename CheckedOp>
  Number compute(Number a, Number b, Expr::Range range) {
    if (isChecked && !isNarrow(range))
      return computeChecked<CheckedOp>(a, b);
    if (!isNarrow(range) || a.value.getType() != b.value.getType()) {
      a.value = widen(a.value);
      b.value = widen(b.value);
    }
    Value result = binary<LLVMOp, ArithOp>(a.value, b.value);
    return {isNarrow(range) ? truncate(result) : result, range, unite(a.checks, b.checks)};
  }
  template <typename CheckedOp> Number computeChecked(const Number &a, const Number &b) {
    auto type = LLVM::LLVMStructType::getLiteral(builder.getContext(), {narrow, builder.getI1Type()});
    Value both = CheckedOp::create(builder, loc, type, a.value, b.value);
    Number result{LLVM::ExtractValueOp::create(builder, loc, both, ArrayRef<int64_t>{0}), {INT64_MIN, INT64_MAX}};
    Value overflows = LLVM::ExtractValueOp::create(builder, loc, both, ArrayRef<int64_t>{1});
    result.checks = unite(a.checks, b.checks);
    require(result, LLVM::XOrOp::create(builder, loc, overflows, truth(true)));
    return result;
  }
  void require(Number &number, Value condition) {
    conditions.push_back(condition);
    number.checks.push_back(static_cast<unsigned>(conditions.size() - 1)); // the largest index
  }
  Number add(Number a, Number b) {
    return compute<LLVM::AddOp, arith::AddIOp, LLVM::SAddWithOverflowOp>(a, b, comm::add(a.range, b.range));
  }
  Number multiply(Number a, Number b) {
    return compute<LLVM::MulOp, arith::MulIOp, LLVM::SMulWithOverflowOp>(a, b, comm::multiply(a.range, b.range));
  }
  Number limit(Number number);
  template <typename LLVMOp, typename ArithOp> Value binary(Value a, Value b) {
    return isLLVM ? LLVMOp::create(builder, loc, a, b).getResult() : ArithOp::create(builder, loc, a, b).getResult();
  }
  template <typename LLVMOp, typename ArithOp> Value cast(Type type, Value value) {
    return isLLVM ? LLVMOp::create(builder, loc, type, value).getResult()
                  : ArithOp::create(builder, loc, type, value).getResult();
  }
  Value make(IntegerAttr attr) {
    return isLLVM ? LLVM::ConstantOp::create(builder, loc, attr.getType(), attr).getResult()
                  : arith::ConstantOp::create(builder, loc, attr).getResult();
  }
  Number constant(int64_t value) {
    Value &known = constants[value];
    if (!known)
      known = make(builder.getI64IntegerAttr(value));
    return {known, {value, value}};
  }
  Value compare(Value a, Value b, bool isLess) {
    matchWidths(a, b);
    if (isLLVM)
      return LLVM::ICmpOp::create(builder, loc, isLess ? LLVM::ICmpPredicate::slt : LLVM::ICmpPredicate::sge, a, b);
    return arith::CmpIOp::create(builder, loc, isLess ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sge, a, b);
  }
  /// The smaller or the greater one of the two.
  template <typename LLVMOp, typename ArithOp> Value choose(Value a, Value b) {
    matchWidths(a, b);
    return binary<LLVMOp, ArithOp>(a, b);
  }
  Value select(Value condition, Value a, Value b) {
    matchWidths(a, b);
    return isLLVM ? LLVM::SelectOp::create(builder, loc, condition, a, b).getResult()
                  : arith::SelectOp::create(builder, loc, condition, a, b).getResult();
  }
  /// Extends a value of at most 64 bits.
  Value extend(Value value, bool isSigned) {
    unsigned width = value.getType().getIntOrFloatBitWidth();
    if (width == 64 && (isSigned || isChecked))
      return value;
    if (isSigned)
      return cast<LLVM::SExtOp, arith::ExtSIOp>(narrow, value);
    return cast<LLVM::ZExtOp, arith::ExtUIOp>(width == 64 ? wide : narrow, value);
  }
  Number emitNumber(const Expr &expr) {
    auto known = made.find(expr);
    return known != made.end() ? known->second : emitNew(expr);
  }
  Number emitNew(const Expr &expr);
  Number emitNew(const Atom &atom);
  std::optional<Number> emitProduct(llvm::ArrayRef<AtomRef> atoms);
  Value compareWithZero(const Expr &expr, Checks &checks);
  Value divide(Number first, Number second);
  Value emitSymbol(Value value);
  /// Returns the number computed for an equal expression, or computes it now.
  template <typename Fn> Number once(const Expr &expr, const Fn &make) {
    if (auto known = made.find(expr); known != made.end())
      return known->second;
    Number number = make();
    made.emplace(expr, number);
    return number;
  }
  Number emitAtom(const AtomRef &atom) {
    return once(Expr::ofAtom(atom), [&] { return emitNew(*atom); });
  }

  OpBuilder &builder;
  Location loc;
  std::map<Expr, Number> made;
  /// Whether the expression is at least 0, if the checks hold.
  std::map<Expr, std::pair<Value, Checks>> compared;
  llvm::DenseMap<std::tuple<unsigned, Value, Value>, Value> combined;
  std::map<int64_t, Value> constants;
  /// False and true.
  Value truths[2];
  /// Of divisors that may not be positive: those that divisions use.
  llvm::DenseMap<Value, Value> divisors;
  Type narrow, wide;
  bool isLLVM, isChecked;
  /// Of checked arithmetic: what must hold for some numbers.
  SmallVector<Value> conditions;
  std::map<Checks, Value> met;
};
} // namespace comm

Value Emitter::emit(const Checks &checks) {
  Value last = conditions[checks.back()];
  if (checks.size() == 1)
    return last;
  Value &known = met[checks];
  if (!known)
    known = combine(/*isAnd=*/true, emit(Checks(checks.begin(), std::prev(checks.end()))), last);
  return known;
}

/// Requires that the number is small, unless its range shows it. The number may be meant as an unsigned one of 64 bits.
Number Emitter::limit(Number number) {
  auto [least, most] = number.range;
  if (!isChecked || (least >= -kMostChecked && most <= kMostChecked))
    return number;
  least = std::max<Int128>(least, -kMostChecked);
  Value moved = number.value;
  if (least < 0)
    moved = LLVM::SubOp::create(builder, loc, moved, constant(static_cast<int64_t>(least)).value);
  Value length = constant(kMostChecked - static_cast<int64_t>(least)).value;
  Number limited{number.value, {least, kMostChecked}, number.checks};
  require(limited, LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, moved, length));
  return limited;
}

Value Emitter::emitSymbol(Value value) {
  Type type = value.getType();
  // Freeze the symbol, so that poison cannot reach the branch. Either the memory is not touched then, or the program is
  // in error.
  if (isLLVM)
    value = LLVM::FreezeOp::create(builder, loc, value);
  if (isa<LLVM::LLVMPointerType>(type))
    return extend(LLVM::PtrToIntOp::create(builder, loc, narrow, value), /*isSigned=*/false);
  if (type.isIndex())
    value = arith::IndexCastOp::create(builder, loc, narrow, value);
  return extend(value, /*isSigned=*/true);
}

/// Rounds down.
Value Emitter::divide(Number first, Number second) {
  // Do not trap if the divisor is not positive, against the caller's promise or because checked arithmetic overflowed.
  bool isKnown = !isChecked || second.value.getDefiningOp<LLVM::ConstantOp>();
  if (second.range.least < 1 || !isKnown) {
    Value &positive = divisors[second.value];
    if (!positive)
      positive = choose<LLVM::SMaxOp, arith::MaxSIOp>(second.value, constant(1).value);
    second.value = positive;
  }
  matchWidths(first.value, second.value);
  Value quotient = binary<LLVM::SDivOp, arith::DivSIOp>(first.value, second.value);
  if (first.range.least >= 0)
    return quotient;
  Value rest =
      binary<LLVM::SubOp, arith::SubIOp>(first.value, binary<LLVM::MulOp, arith::MulIOp>(quotient, second.value));
  Value isBelow = compare(rest, constant(0).value, /*isLess=*/true),
        less = select(isBelow, constant(1).value, constant(0).value);
  matchWidths(quotient, less);
  return binary<LLVM::SubOp, arith::SubIOp>(quotient, less);
}

Number Emitter::emitNew(const Atom &atom) {
  assert(atom.kind != Atom::Kind::Iteration && "iterations are not materialized");
  if (atom.kind == Atom::Kind::Symbol) {
    Number symbol{emitSymbol(atom.value), getRange(atom, {}, {})};
    // What is asked about layouts may be far beyond all memory.
    return isAskedLength(atom.value) ? symbol : limit(symbol);
  }
  Number first = emitNumber(atom.first);
  if (atom.kind == Atom::Kind::Wrap) {
    Type kept = builder.getIntegerType(atom.number);
    Value value = first.value;
    if (value.getType() != kept)
      value = cast<LLVM::TruncOp, arith::TruncIOp>(kept, value);
    return limit({extend(value, atom.isSigned), getRange(atom, {}, {}), first.checks});
  }
  Number second = emitNumber(atom.second);
  Value value = atom.kind == Atom::Kind::Min   ? choose<LLVM::SMinOp, arith::MinSIOp>(first.value, second.value)
                : atom.kind == Atom::Kind::Max ? choose<LLVM::SMaxOp, arith::MaxSIOp>(first.value, second.value)
                                               : divide(first, second);
  return {value, getRange(atom, first.range, second.range), unite(first.checks, second.checks)};
}

/// Returns none for the empty product.
std::optional<Number> Emitter::emitProduct(ArrayRef<AtomRef> atoms) {
  std::optional<Number> product;
  Expr soFar(1);
  for (const AtomRef &atom : atoms) {
    Number factor = emitAtom(atom);
    soFar = soFar * Expr::ofAtom(atom);
    product = product ? once(soFar, [&] { return limit(multiply(*product, factor)); }) : factor;
  }
  return product;
}

Number Emitter::emitNew(const Expr &expr) {
  std::optional<Number> sum;
  Expr sumSoFar; // Expressions often have their first terms in common.
  for (const Expr::Term &term : expr.getTerms()) {
    std::optional<Number> product = emitProduct(term.atoms);
    Expr ofTerm(term.coefficient);
    for (const AtomRef &atom : term.atoms)
      ofTerm = ofTerm * Expr::ofAtom(atom);
    if (!product)
      product = constant(term.coefficient);
    else if (term.coefficient != 1)
      product = once(ofTerm, [&] { return multiply(*product, constant(term.coefficient)); });
    sumSoFar = sumSoFar + ofTerm;
    sum = sum ? once(sumSoFar, [&] { return add(*sum, *product); }) : product;
  }
  return sum ? *sum : constant(0);
}

/// Returns whether the expression is at least zero, and adds the checks of its numbers.
Value Emitter::compareWithZero(const Expr &expr, Checks &checks) {
  auto [it, isNew] = compared.try_emplace(expr);
  auto &[known, itsChecks] = it->second;
  if (isNew) {
    // The limits of checked arithmetic decide many comparisons.
    Expr::Range range{0, 0};
    for (const Expr::Term &term : expr.getTerms()) {
      std::optional<Number> product = emitProduct(term.atoms);
      Expr::Range factor{term.coefficient, term.coefficient};
      range = comm::add(range, product ? comm::multiply(product->range, factor) : factor);
      if (product)
        itsChecks = unite(itsChecks, product->checks);
    }
    if (range.least >= 0 || range.most < 0) {
      known = truth(range.least >= 0);
    } else {
      Number number = emitNumber(expr);
      itsChecks = number.checks;
      known = compare(number.value, constant(0).value, /*isLess=*/false);
    }
  }
  checks = unite(checks, itsChecks);
  return known;
}

static bool isInSight(Expr::Range range) {
  constexpr Int128 most = Int128(1) << 125;
  return -most < range.least && range.most < most;
}

static bool hasValue(const Atom &atom);

/// Whether the low bits can be computed; sums and products may overflow on the way.
static bool hasLastBits(const Expr &expr) {
  return !expr.isUnknown() && llvm::all_of(expr.getTerms(), [](const Expr::Term &term) {
    return llvm::all_of(term.atoms, [](const AtomRef &atom) { return hasValue(*atom); });
  });
}

static bool canCompute(const Atom &atom) {
  if (!atom.second.isMaterializable())
    return false;
  return atom.kind == Atom::Kind::Wrap ? hasLastBits(atom.first) : atom.first.isMaterializable();
}

static bool hasValue(const Atom &atom) {
  if (atom.kind == Atom::Kind::Symbol || atom.kind == Atom::Kind::Iteration)
    return atom.kind == Atom::Kind::Symbol;
  if (!atom.hasCode)
    atom.hasCode = canCompute(atom);
  return *atom.hasCode;
}

/// Checks the range of each product and partial sum.
bool Expr::isMaterializable() const {
  Range sum{0, 0};
  for (const Term &term : terms) {
    Range product{1, 1}, scaled{term.coefficient, term.coefficient};
    for (const AtomRef &atom : term.atoms) {
      Range range = comm::getRange(*atom);
      product = multiply(product, range);
      scaled = multiply(scaled, range);
      if (!hasValue(*atom) || !isInSight(product))
        return false;
    }
    sum = comm::add(sum, scaled);
    if (!isInSight(sum))
      return false;
  }
  return !isBad;
}

Value Expr::materialize(OpBuilder &builder, Location loc) const { return Materializer(builder, loc).get(*this); }

Value Predicate::materialize(OpBuilder &builder, Location loc) const {
  return Materializer(builder, loc, Arithmetic::Checked).get(*this);
}

Value Emitter::emit(const Predicate &predicate, Checks &checks) {
  switch (predicate.kind) {
  case Predicate::Kind::True:
  case Predicate::Kind::False:
    return truth(predicate.kind == Predicate::Kind::True);
  case Predicate::Kind::NotNegative:
    return compareWithZero(predicate.difference, checks);
  case Predicate::Kind::Fits:
    checks = unite(checks, emitNumber(predicate.difference).checks);
    return truth(true);
  case Predicate::Kind::Apart: {
    // (The distance between two addresses fits into 64 bits.)
    Number distance = emitNumber(predicate.difference);
    checks = unite(checks, distance.checks);
    return areLayoutsApart(builder, loc, predicate.layout, predicate.otherLayout, truncate(distance.value));
  }
  case Predicate::Kind::And:
  case Predicate::Kind::Or:
    break;
  }
  bool isAnd = predicate.kind == Predicate::Kind::And;
  Value result;
  for (const Predicate &part : predicate.parts) {
    Value value = isAnd ? emit(part, checks) : emit(part);
    result = result ? combine(isAnd, result, value) : value;
  }
  return result;
}

struct Materializer::Impl : public Emitter {
  using Emitter::Emitter;
};

Materializer::Materializer(OpBuilder &builder, Location loc, Arithmetic arithmetic)
    : impl(std::make_unique<Impl>(builder, loc, arithmetic)) {}
Materializer::~Materializer() = default;
Value Materializer::get(const Expr &expr) { return expr.isMaterializable() ? impl->widen(impl->emit(expr)) : Value(); }
Value Materializer::getNarrow(const Expr &expr) {
  return expr.isMaterializable() ? impl->truncate(impl->emit(expr)) : Value();
}
Value Materializer::get(const Predicate &predicate) {
  return predicate.isMaterializable() ? impl->emit(predicate) : Value();
}
