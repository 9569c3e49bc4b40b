//===- SymbolicEvaluator.cpp - Symbolic evaluation of operations ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine integer is represented by its exact value: the result of an operation that may wrap is known only if a flag
// or its bounds show that it does not. 64 bits are assumed to be enough; addresses are the same modulo 2^64.
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/CommQueries.h"
#include "SymbolicExecutor.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <utility>

using namespace mlir;
using namespace comm;
using LLVM::ICmpPredicate;

/// A value computed through a longer chain of operations becomes opaque.
constexpr unsigned maxDepth = 64;

SymbolicEvaluator::SymbolicEvaluator(CDagOp op, Symbols &symbols, const ProcessClass *processes)
    : op(op), symbols(symbols), processes(processes), layout(DataLayout::closest(op)),
      rank(processes ? Poly::of(Symbols::rank) : Poly(0)), size(processes ? Poly::of(Symbols::size) : Poly(1)) {
  if (processes)
    for (const ProcessClass::Member &member : processes->members)
      if (member.isEqual)
        rank = member.process;
}

SymbolicValue SymbolicEvaluator::get(Value value, const SymbolicEnv &env) {
  if (auto it = env.find(value); it != env.end())
    return it->second;
  if (op.getBody().isAncestor(value.getParentRegion()))
    return {};
  if (auto it = outside.find(value); it != outside.end())
    return it->second;
  // The cache must not contain guesses.
  bool wasLenient = std::exchange(isLenient, false);
  SymbolicValue result;
  if (Operation *definition = value.getDefiningOp(); definition && depth < maxDepth) {
    ++depth;
    result = compute(definition, value, env);
    --depth;
  }
  isLenient = wasLenient;
  if (!result && value.getType().isIntOrIndex())
    result.integer = symbols.getOpaque(value);
  if (!result && isa<LLVM::LLVMPointerType>(value.getType()))
    result.address = {value, Poly(0)};
  return outside[value] = result;
}

SymbolicValue SymbolicEvaluator::substitute(const SymbolicValue &value, Atom atom, const Poly &replacement) {
  SymbolicValue result = value;
  if (value.address.base)
    result.address.offset = symbols.substitute(value.address.offset, atom, replacement);
  else
    result.integer = symbols.substitute(value.integer, atom, replacement);
  return result;
}

//===----------------------------------------------------------------------===//
// Integers and addresses
//===----------------------------------------------------------------------===//

SymbolicValue SymbolicEvaluator::computeAddress(LLVM::GEPOp gep, const SymbolicEnv &env) {
  SymbolicValue known = get(gep.getBase(), env);
  if (!known.address.base)
    return {};
  Type type = gep.getElemType();
  bool isFirst = true;
  for (auto index : gep.getIndices()) {
    Poly number;
    if (auto value = dyn_cast<Value>(index))
      number = get(value, env).integer;
    else
      number = Poly(cast<IntegerAttr>(index).getInt());
    if (!isFirst) {
      // Offsets of fields depend on the data layout: only the first one is 0 in any layout.
      if (auto structure = dyn_cast<LLVM::LLVMStructType>(type)) {
        if (!number.isZero() || structure.getBody().empty())
          return {};
        type = structure.getBody().front();
        continue;
      }
      auto array = dyn_cast<LLVM::LLVMArrayType>(type);
      if (!array)
        return {};
      type = array.getElementType();
    }
    isFirst = false;
    known.address.offset =
        known.address.offset + number * Poly(static_cast<int64_t>(layout.getTypeSize(type).getFixedValue()));
  }
  return known.address.offset ? known : SymbolicValue();
}

Poly SymbolicEvaluator::computeRemainder(const Poly &a, const Poly &b) {
  if (std::optional<int64_t> x = a.getConstant(), y = b.getConstant(); x && y)
    return *x >= 0 && *y > 0 ? Poly(*x % *y) : Poly();
  if (a.isZero())
    return a;
  if (b.getConstant() == 1)
    return Poly(0);
  return b == size && symbols.isNonNegative(a) ? symbols.mod(a) : Poly();
}

/// Whether one number is at least 0, given that the other one is.
bool SymbolicEvaluator::isNonNegativeGiven(const Poly &value, const Poly &nonNegative) {
  return symbols.isNonNegative(value) || symbols.isNonNegative(value - nonNegative);
}

/// `x >= size ? x - size : x`, `rank == 0 ? size - 1 : rank - 1`: remainders written as a select.
Poly SymbolicEvaluator::computeSelect(LLVM::SelectOp op, const SymbolicEnv &env) {
  Poly onTrue = get(op.getTrueValue(), env).integer, onFalse = get(op.getFalseValue(), env).integer;
  SymbolicDecision decision = decide(op.getCondition(), env);
  if (decision.kind == SymbolicDecision::Kind::True)
    return onTrue;
  if (decision.kind == SymbolicDecision::Kind::False)
    return onFalse;
  if (!onTrue || !onFalse)
    return Poly();
  if (onTrue == onFalse)
    return onTrue;
  std::optional<SymbolicCompare> compare = decodeCompare(op.getCondition(), env);
  if (!compare)
    return Poly();
  // Expressions that are at least 0 if the comparison holds, and if it does not.
  Poly d = compare->difference, held, notHeld;
  bool isEquality = false;
  switch (compare->predicate) {
  case ICmpPredicate::slt:
    held = -d - Poly(1), notHeld = d;
    break;
  case ICmpPredicate::sle:
    held = -d, notHeld = d - Poly(1);
    break;
  case ICmpPredicate::sgt:
    held = d - Poly(1), notHeld = -d;
    break;
  case ICmpPredicate::sge:
    held = d, notHeld = -d - Poly(1);
    break;
  case ICmpPredicate::eq:
  case ICmpPredicate::ne: {
    isEquality = true;
    Poly nonZero = symbols.isNonNegative(d) ? d - Poly(1) : symbols.isNonNegative(-d) ? -d - Poly(1) : Poly(0);
    bool onZero = compare->predicate == ICmpPredicate::eq;
    held = onZero ? Poly(0) : nonZero;
    notHeld = onZero ? nonZero : Poly(0);
    break;
  }
  default:
    return Poly();
  }
  auto isRankGiven = [&](const Poly &value, const Poly &given) {
    return isNonNegativeGiven(value, given) && isNonNegativeGiven(size - Poly(1) - value, given);
  };
  // `(rank == 0 ? size : rank) - 1`: a remainder, up to a shift.
  bool isEqual = compare->predicate == ICmpPredicate::eq;
  for (int64_t shift : {0, 1, -1}) {
    Poly first = onTrue - Poly(shift), second = onFalse - Poly(shift);
    if (!isRankGiven(first, held) || !isRankGiven(second, notHeld))
      continue;
    Poly modTrue = symbols.mod(first), modFalse = symbols.mod(second);
    if (modTrue == modFalse)
      return modTrue + Poly(shift);
    // If the comparison is an equality, the difference is 0 there, so any multiple of it may be added.
    for (int64_t times : {1, -1})
      if (isEquality && symbols.mod((isEqual ? first : second) + Poly(times) * d) == (isEqual ? modFalse : modTrue))
        return (isEqual ? modFalse : modTrue) + Poly(shift);
  }
  return Poly();
}

Poly SymbolicEvaluator::computeInteger(Operation *op, const SymbolicEnv &env) {
  unsigned width = op->getResult(0).getType().getIntOrFloatBitWidth();
  auto operand = [&](unsigned i) { return get(op->getOperand(i), env).integer; };
  // Returns the exact value, unless the operation may have wrapped.
  auto exact = [&](const Poly &value, LLVM::IntegerOverflowFlags flags) {
    bool noWrap = bitEnumContainsAny(flags, LLVM::IntegerOverflowFlags::nsw);
    return width == 64 || noWrap || isLenient || symbols.fits(value, width) ? value : Poly();
  };
  return llvm::TypeSwitch<Operation *, Poly>(op)
      .Case([&](LLVM::AddOp add) { return exact(operand(0) + operand(1), add.getOverflowFlags()); })
      .Case([&](LLVM::SubOp sub) { return exact(operand(0) - operand(1), sub.getOverflowFlags()); })
      .Case([&](LLVM::MulOp mul) { return exact(operand(0) * operand(1), mul.getOverflowFlags()); })
      .Case([&](LLVM::ShlOp shift) {
        std::optional<int64_t> by = operand(1).getConstant();
        return by && *by >= 0 && *by < 32 ? exact(operand(0) * Poly(int64_t(1) << *by), shift.getOverflowFlags())
                                          : Poly();
      })
      .Case([&](LLVM::OrOp disjunction) {
        return disjunction.getIsDisjoint() ? exact(operand(0) + operand(1), LLVM::IntegerOverflowFlags::none) : Poly();
      })
      .Case([&](LLVM::XOrOp) { return operand(1).getConstant() == -1 ? Poly(-1) - operand(0) : Poly(); })
      .Case([&](LLVM::SExtOp) { return operand(0); })
      .Case([&](LLVM::ZExtOp extension) {
        return extension.getNonNeg() || isLenient || symbols.isNonNegative(operand(0)) ? operand(0) : Poly();
      })
      .Case([&](LLVM::TruncOp truncation) { return exact(operand(0), truncation.getOverflowFlags()); })
      .Case([&](LLVM::FreezeOp) { return operand(0); })
      .Case<LLVM::SRemOp, LLVM::URemOp>([&](Operation *) { return computeRemainder(operand(0), operand(1)); })
      .Case<LLVM::SMaxOp, LLVM::SMinOp>([&](Operation *) {
        bool isMax = isa<LLVM::SMaxOp>(op);
        if (symbols.isNonNegative(operand(0) - operand(1)))
          return operand(isMax ? 0 : 1);
        return symbols.isNonNegative(operand(1) - operand(0)) ? operand(isMax ? 1 : 0) : Poly();
      })
      .Case([&](LLVM::SelectOp select) { return computeSelect(select, env); })
      .Default(Poly());
}

SymbolicValue SymbolicEvaluator::compute(Operation *definition, Value value, const SymbolicEnv &env) {
  SymbolicValue result;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    if (constant.getBitWidth() > 1 && constant.getBitWidth() <= 64)
      result.integer = Poly(constant.getSExtValue());
    return result;
  }
  if (std::optional<CommQuery> query = getCommQuery(value)) {
    if (isSameHandle(query->communicator, op.getComm()))
      result.integer = query->isRank ? rank : size;
    return result;
  }
  if (definition->getNumResults() != 1 || definition->getNumRegions() != 0)
    return result;
  if (auto gep = dyn_cast<LLVM::GEPOp>(definition))
    return computeAddress(gep, env);
  if (auto select = dyn_cast<LLVM::SelectOp>(definition); select && isa<LLVM::LLVMPointerType>(value.getType())) {
    SymbolicDecision decision = decide(select.getCondition(), env);
    if (decision.kind == SymbolicDecision::Kind::True)
      return get(select.getTrueValue(), env);
    return decision.kind == SymbolicDecision::Kind::False ? get(select.getFalseValue(), env) : result;
  }
  if (value.getType().isInteger() && value.getType().getIntOrFloatBitWidth() > 1 &&
      value.getType().getIntOrFloatBitWidth() <= 64)
    result.integer = computeInteger(definition, env);
  return result;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

std::optional<SymbolicCompare> SymbolicEvaluator::decodeCompare(Value condition, const SymbolicEnv &env) {
  auto compare = condition.getDefiningOp<LLVM::ICmpOp>();
  if (!compare || !compare.getLhs().getType().isInteger())
    return std::nullopt;
  Poly a = get(compare.getLhs(), env).integer, b = get(compare.getRhs(), env).integer;
  if (!a || !b)
    return std::nullopt;
  // If the values may have wrapped, only equality can be decided.
  bool isEquality = compare.getPredicate() == ICmpPredicate::eq || compare.getPredicate() == ICmpPredicate::ne;
  if (!isEquality && (symbols.mentionsKind(a, Symbols::Kind::Opaque) || symbols.mentionsKind(b, Symbols::Kind::Opaque)))
    return std::nullopt;
  auto makeSigned = [&](ICmpPredicate predicate) -> std::optional<SymbolicCompare> {
    if (!isLenient && (!symbols.isNonNegative(a) || !symbols.isNonNegative(b)))
      return std::nullopt;
    return SymbolicCompare{predicate, a - b};
  };
  switch (compare.getPredicate()) {
  case ICmpPredicate::ult:
    return makeSigned(ICmpPredicate::slt);
  case ICmpPredicate::ule:
    return makeSigned(ICmpPredicate::sle);
  case ICmpPredicate::ugt:
    return makeSigned(ICmpPredicate::sgt);
  case ICmpPredicate::uge:
    return makeSigned(ICmpPredicate::sge);
  default:
    return SymbolicCompare{compare.getPredicate(), a - b};
  }
}

bool SymbolicEvaluator::isKnownNonZero(const Poly &difference) {
  if (symbols.isPositive(difference) || symbols.isPositive(-difference))
    return true;
  if (!processes)
    return false;
  return llvm::any_of(processes->members, [&](const ProcessClass::Member &member) {
    Poly other = Poly::of(Symbols::rank) - member.process;
    return !member.isEqual && (difference == other || -difference == other);
  });
}

/// A remainder equals a number from 0 to P - 1 iff the difference of the dividend and that number is a multiple of P.
/// If its absolute value is less than P, iff it is 0.
static Poly withoutRemainder(Symbols &symbols, const Poly &difference) {
  for (const auto &[monomial, factor] : difference.getTerms()) {
    if (monomial.size() != 1 || symbols.getKind(monomial.front()) != Symbols::Kind::Mod || std::abs(factor) != 1)
      continue;
    Poly remainder = Poly::of(monomial.front());
    Poly other = factor == 1 ? remainder - difference : difference + remainder;
    if (!symbols.isRank(other))
      continue;
    Poly inner = symbols.getModulo(monomial.front()) - other, size = Poly::of(Symbols::size);
    for (int64_t times : {0, 1, -1}) {
      Poly candidate = inner + Poly(times) * size;
      if (symbols.isPositive(size - candidate) && symbols.isPositive(size + candidate))
        return candidate;
    }
  }
  return difference;
}

SymbolicDecision SymbolicEvaluator::decideTest(const SymbolicCompare &compare) {
  using Kind = SymbolicDecision::Kind;
  Poly d = compare.difference;
  auto known = [](bool holds) { return SymbolicDecision{holds ? Kind::True : Kind::False, {}}; };
  auto equality = [&](bool whenZero) {
    Poly difference = withoutRemainder(symbols, d);
    if (difference.isZero())
      return known(whenZero);
    if (isKnownNonZero(difference))
      return known(!whenZero);
    return SymbolicDecision{Kind::Test, {difference, whenZero}};
  };
  switch (compare.predicate) {
  case ICmpPredicate::eq:
    return equality(true);
  case ICmpPredicate::ne:
    return equality(false);
  case ICmpPredicate::sgt:
  case ICmpPredicate::sge: {
    ICmpPredicate swapped = compare.predicate == ICmpPredicate::sgt ? ICmpPredicate::slt : ICmpPredicate::sle;
    return decideTest({swapped, -d});
  }
  case ICmpPredicate::sle:
    d = d - Poly(1);
    [[fallthrough]];
  case ICmpPredicate::slt:
    // d < 0
    if (symbols.isNonNegative(d))
      return known(false);
    if (symbols.isPositive(-d))
      return known(true);
    if (symbols.isNonNegative(-d)) // at most 0
      return equality(false);
    if (symbols.isNonNegative(d + Poly(1))) { // at least -1
      d = d + Poly(1);
      return equality(true);
    }
    return {};
  default:
    return {};
  }
}

SymbolicDecision SymbolicEvaluator::decide(Value condition, const SymbolicEnv &env) {
  using Kind = SymbolicDecision::Kind;
  APInt constant;
  if (matchPattern(condition, m_ConstantInt(&constant)))
    return {constant.isZero() ? Kind::False : Kind::True, {}};
  if (std::optional<SymbolicCompare> compare = decodeCompare(condition, env))
    return decideTest(*compare);
  Operation *definition = condition.getDefiningOp();
  auto negate = [](SymbolicDecision decision) {
    if (decision.kind == Kind::True || decision.kind == Kind::False)
      decision.kind = decision.kind == Kind::True ? Kind::False : Kind::True;
    decision.condition.isZero = !decision.condition.isZero;
    return decision;
  };
  // Conjunctions, and disjunctions as their negation.
  auto both = [&](SymbolicDecision a, SymbolicDecision b) -> SymbolicDecision {
    if (a.kind == Kind::False || b.kind == Kind::True)
      return a;
    if (b.kind == Kind::False || a.kind == Kind::True)
      return b;
    return {};
  };
  if (auto conjunction = dyn_cast_or_null<LLVM::AndOp>(definition))
    return both(decide(conjunction.getLhs(), env), decide(conjunction.getRhs(), env));
  if (auto disjunction = dyn_cast_or_null<LLVM::OrOp>(definition))
    return negate(both(negate(decide(disjunction.getLhs(), env)), negate(decide(disjunction.getRhs(), env))));
  if (auto exclusive = dyn_cast_or_null<LLVM::XOrOp>(definition);
      exclusive && matchPattern(exclusive.getRhs(), m_ConstantInt(&constant)) && constant.isOne())
    return negate(decide(exclusive.getLhs(), env));
  if (auto select = dyn_cast_or_null<LLVM::SelectOp>(definition)) {
    SymbolicDecision first = decide(select.getCondition(), env);
    if (first.kind == Kind::True)
      return decide(select.getTrueValue(), env);
    if (first.kind == Kind::False)
      return decide(select.getFalseValue(), env);
    SymbolicDecision second = decide(select.getTrueValue(), env), third = decide(select.getFalseValue(), env);
    if (third.kind == Kind::False)
      return both(first, second);
    if (second.kind == Kind::True)
      return negate(both(negate(first), negate(third)));
  }
  return {};
}
