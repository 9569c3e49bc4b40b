//===- Materialize.cpp - Code generation for expressions ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing overflows: the ranges of expressions show where 64 bits are enough, and everything else is computed in 128
// bits. A condition costs a few instructions once, before a loop.
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Footprints/Expr.h"

#include "Comm/Dialect/Comm/Utils/Markers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mlir;
using namespace comm;

namespace comm {
/// Emits integer operations in one of two dialects.
class Emitter {
public:
  Emitter(OpBuilder &builder, Location loc)
      : builder(builder), loc(loc), narrow(builder.getI64Type()), wide(builder.getIntegerType(128)),
        isLLVM(isa_and_nonnull<LLVM::LLVMFuncOp>(getFunction())) {}

  /// Returns a value of 64 or 128 bits.
  Value emit(const Expr &expr);
  Value emit(const Predicate &predicate);
  /// Returns the low 64 bits.
  Value truncate(Value value) {
    return value.getType() == narrow ? value : cast<LLVM::TruncOp, arith::TruncIOp>(narrow, value);
  }
  /// Returns the value in 128 bits.
  Value widen(Value value) { return value.getType() == wide ? value : cast<LLVM::SExtOp, arith::ExtSIOp>(wide, value); }
  Value combine(bool isAnd, Value a, Value b) {
    Value &known = combined[{unsigned(isAnd), a, b}];
    if (!known)
      known = isAnd ? binary<LLVM::AndOp, arith::AndIOp>(a, b) : binary<LLVM::OrOp, arith::OrIOp>(a, b);
    return known;
  }
  Value truth(bool value) { return make(builder.getIntegerAttr(builder.getI1Type(), value)); }

private:
  Operation *getFunction() {
    Operation *op = builder.getInsertionBlock()->getParentOp();
    while (op && !isa<FunctionOpInterface>(op))
      op = op->getParentOp();
    return op;
  }
  /// Widens the narrower one of the two.
  void matchWidths(Value &a, Value &b) {
    if (a.getType() == b.getType())
      return;
    a = widen(a);
    b = widen(b);
  }
  /// Computes a result in the given range, in as few bits as possible.
  template <typename LLVMOp, typename ArithOp> Value compute(Value a, Value b, Expr::Range range) {
    bool isNarrow = INT64_MIN <= range.least && range.most <= INT64_MAX;
    if (!isNarrow || a.getType() != b.getType()) {
      a = widen(a);
      b = widen(b);
    }
    Value result = binary<LLVMOp, ArithOp>(a, b);
    return isNarrow ? truncate(result) : result;
  }
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
  Value constant(int64_t value) {
    Value &known = constants[value];
    if (!known)
      known = make(builder.getI64IntegerAttr(value));
    return known;
  }
  Value compare(Value a, Value b, bool isLess) {
    matchWidths(a, b);
    if (isLLVM)
      return LLVM::ICmpOp::create(builder, loc, isLess ? LLVM::ICmpPredicate::slt : LLVM::ICmpPredicate::sge, a, b);
    return arith::CmpIOp::create(builder, loc, isLess ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sge, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    matchWidths(a, b);
    return isLLVM ? LLVM::SelectOp::create(builder, loc, condition, a, b).getResult()
                  : arith::SelectOp::create(builder, loc, condition, a, b).getResult();
  }
  /// Extends a value of at most 64 bits.
  Value extend(Value value, bool isSigned) {
    unsigned width = value.getType().getIntOrFloatBitWidth();
    if (isSigned)
      return width == 64 ? value : cast<LLVM::SExtOp, arith::ExtSIOp>(narrow, value);
    return cast<LLVM::ZExtOp, arith::ExtUIOp>(width == 64 ? wide : narrow, value);
  }
  Value emitNew(const Expr &expr);
  Value emitNew(const Atom &atom);
  Value emitSymbol(Value value);
  /// Returns the value computed for an equal expression, or computes it now.
  template <typename Fn> Value once(const Expr &expr, const Fn &make) {
    if (auto known = made.find(expr); known != made.end())
      return known->second;
    Value value = make();
    made.emplace(expr, value);
    return value;
  }
  Value emitAtom(const AtomRef &atom) {
    return once(Expr::ofAtom(atom), [&] { return emitNew(*atom); });
  }

  OpBuilder &builder;
  Location loc;
  std::map<Expr, Value> made;
  /// Keyed by the expression that is compared with 0.
  std::map<Expr, Value> compared;
  llvm::DenseMap<std::tuple<unsigned, Value, Value>, Value> combined;
  std::map<int64_t, Value> constants;
  Type narrow, wide;
  bool isLLVM;
};
} // namespace comm

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

Value Emitter::emitNew(const Atom &atom) {
  if (atom.kind == Atom::Kind::Symbol)
    return emitSymbol(atom.value);
  Value first = emit(atom.first);
  if (atom.kind == Atom::Kind::Wrap) {
    Type kept = builder.getIntegerType(atom.number);
    return extend(first.getType() == kept ? first : cast<LLVM::TruncOp, arith::TruncIOp>(kept, first), atom.isSigned);
  }
  Value second = emit(atom.second);
  if (atom.kind == Atom::Kind::Min)
    return select(compare(first, second, /*isLess=*/true), first, second);
  if (atom.kind == Atom::Kind::Max)
    return select(compare(first, second, /*isLess=*/true), second, first);
  assert(atom.kind == Atom::Kind::FloorDiv && "iterations are not materialized");
  // Do not trap if the divisor is not positive, against the caller's promise.
  second = select(compare(second, constant(1), /*isLess=*/true), constant(1), second);
  matchWidths(first, second);
  Value quotient = binary<LLVM::SDivOp, arith::DivSIOp>(first, second);
  Value rest = binary<LLVM::SubOp, arith::SubIOp>(first, binary<LLVM::MulOp, arith::MulIOp>(quotient, second));
  Value isBelow = compare(rest, constant(0), /*isLess=*/true), less = select(isBelow, constant(1), constant(0));
  matchWidths(quotient, less);
  return binary<LLVM::SubOp, arith::SubIOp>(quotient, less);
}

Value Emitter::emit(const Expr &expr) {
  return once(expr, [&] { return emitNew(expr); });
}

Value Emitter::emitNew(const Expr &expr) {
  Value sum;
  Expr sumSoFar;
  for (const Expr::Term &term : expr.getTerms()) {
    Value product;
    Expr soFar(1);
    for (const AtomRef &atom : term.atoms) {
      Value factor = emitAtom(atom);
      soFar = soFar * Expr::ofAtom(atom);
      product =
          product ? once(soFar, [&] { return compute<LLVM::MulOp, arith::MulIOp>(product, factor, soFar.getRange()); })
                  : factor;
    }
    soFar = soFar * Expr(term.coefficient);
    if (!product)
      product = constant(term.coefficient);
    else if (term.coefficient != 1)
      product = once(soFar, [&] {
        return compute<LLVM::MulOp, arith::MulIOp>(product, constant(term.coefficient), soFar.getRange());
      });
    sumSoFar = sumSoFar + soFar;
    sum = sum ? compute<LLVM::AddOp, arith::AddIOp>(sum, product, sumSoFar.getRange()) : product;
  }
  return sum ? sum : constant(0);
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

static bool hasValue(const Atom &atom) {
  if (atom.kind == Atom::Kind::Iteration || !atom.second.isMaterializable())
    return false;
  return atom.kind == Atom::Kind::Wrap ? hasLastBits(atom.first) : atom.first.isMaterializable();
}

/// Checks the range of each product and partial sum.
bool Expr::isMaterializable() const {
  Expr sum;
  for (const Term &term : terms) {
    Expr product(1);
    for (const AtomRef &atom : term.atoms) {
      product = product * ofAtom(atom);
      if (!hasValue(*atom) || !isInSight(product.getRange()))
        return false;
    }
    sum = sum + product * Expr(term.coefficient);
    if (!isInSight(sum.getRange()))
      return false;
  }
  return !isBad;
}

Value Expr::materialize(OpBuilder &builder, Location loc) const { return Materializer(builder, loc).get(*this); }

Value Predicate::materialize(OpBuilder &builder, Location loc) const { return Materializer(builder, loc).get(*this); }

Value Emitter::emit(const Predicate &predicate) {
  if (predicate.kind == Predicate::Kind::True || predicate.kind == Predicate::Kind::False)
    return truth(predicate.kind == Predicate::Kind::True);
  if (predicate.kind == Predicate::Kind::NotNegative) {
    Value &known = compared[predicate.difference];
    if (!known)
      known = compare(emit(predicate.difference), constant(0), /*isLess=*/false);
    return known;
  }
  // (The distance between two addresses fits into 64 bits.)
  if (predicate.kind == Predicate::Kind::Apart)
    return areLayoutsApart(builder, loc, predicate.layout, predicate.otherLayout, truncate(emit(predicate.difference)));
  Value result;
  for (const Predicate &part : predicate.parts) {
    Value value = emit(part);
    result = result ? combine(predicate.kind == Predicate::Kind::And, result, value) : value;
  }
  return result;
}

struct Materializer::Impl : public Emitter {
  using Emitter::Emitter;
};

Materializer::Materializer(OpBuilder &builder, Location loc) : impl(std::make_unique<Impl>(builder, loc)) {}
Materializer::~Materializer() = default;
Value Materializer::get(const Expr &expr) { return expr.isMaterializable() ? impl->widen(impl->emit(expr)) : Value(); }
Value Materializer::get(const Predicate &predicate) {
  return predicate.isMaterializable() ? impl->emit(predicate) : Value();
}
