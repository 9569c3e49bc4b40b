//===- Footprint.cpp - Bytes that a unit touches --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Footprints/Footprint.h"

#include "TypicalNumbers.h"

#include "Comm/Analysis/Memory/RotatedPointers.h"
#include "Comm/Dialect/Comm/IR/CommInterfaces.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace comm;

/// The condition is evaluated each time a wait may be early, so more comparisons do not pay.
static constexpr unsigned kMostComparisons = 12;

std::optional<AskedLayout> comm::getAskedLayout(const Piece &piece) {
  if (piece.levels.size() != 1)
    return std::nullopt;
  ArrayRef<Expr::Term> terms = piece.levels.front().stride.getTerms();
  bool isSymbol = terms.size() == 1 && terms.front().coefficient == 1 && terms.front().atoms.size() == 1 &&
                  terms.front().atoms.front()->kind == Atom::Kind::Symbol;
  return isSymbol ? getLayoutOfStride(terms.front().atoms.front()->value) : std::nullopt;
}

Expr Piece::getEnd() const {
  Expr end = begin + size;
  for (const Level &level : levels)
    end = end + level.stride * (level.count - Expr(1));
  return end;
}

bool Piece::repeat(const Expr &stride, const Expr &count) {
  if (count.getConstant() == 1 || stride.isZero())
    return true;
  Expr last = stride * (count - Expr(1));
  if (levels.empty() && stride == size) {
    size = stride * count; // without gaps
  } else if (stride.isNonNegative()) {
    levels.push_back({stride, count});
  } else if ((Expr() - stride).isNonNegative()) {
    begin = begin + last;
    levels.push_back({Expr() - stride, count});
  } else {
    Expr down = Expr::min(last, Expr());
    begin = begin + down;
    size = size + Expr::max(last, Expr()) - down;
    return false;
  }
  return true;
}

void Footprint::append(const Footprint &other) {
  pieces.append(other.pieces.begin(), other.pieces.end());
  isUnknown |= other.isUnknown;
  unknownOps.insert_range(other.unknownOps);
  unknownRequests.insert_range(other.unknownRequests);
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

/// Whether the value points to a new object, to which there is no other pointer.
static bool isNewObject(Value value) {
  Operation *op = value ? value.getDefiningOp() : nullptr;
  if (!isa_and_nonnull<LLVM::CallOp, LLVM::InvokeOp>(op))
    return isa_and_nonnull<LLVM::AllocaOp, memref::AllocOp, memref::AllocaOp>(op);
  auto isFresh = [](ArrayAttr attributes) {
    return attributes && !attributes.empty() &&
           cast<DictionaryAttr>(attributes[0]).contains(LLVM::LLVMDialect::getNoAliasAttrName());
  };
  auto call = cast<CallOpInterface>(op);
  auto name = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
  auto callee = name ? SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(op, name) : LLVM::LLVMFuncOp();
  return isFresh(call.getResAttrsAttr()) || (callee && isFresh(callee.getResAttrsAttr()));
}

/// Returns the value that an edge passes for a block argument, or null if unknown.
static Value getOperand(Block::pred_iterator edge, BlockArgument argument) {
  auto branch = dyn_cast<BranchOpInterface>((*edge)->getTerminator());
  return branch ? branch.getSuccessorOperands(edge.getSuccessorIndex())[argument.getArgNumber()] : Value();
}

/// Whether the pointer cannot be accessed when an edge passes it: an empty vector has no memory, and neither has an
/// uninitialized variable. (A base that is null itself is a placeholder: RowCheck.cpp.)
static bool isNowhere(Value pointer) {
  return isa_and_nonnull<LLVM::PoisonOp, LLVM::UndefOp, LLVM::ZeroOp>(pointer.getDefiningOp());
}

/// Looks through arguments that have one value apart from ones that point nowhere.
static Value resolve(Value value) {
  constexpr unsigned mostBlocks = 8;
  for (unsigned i = 0; i < mostBlocks; ++i) {
    auto argument = dyn_cast_or_null<BlockArgument>(value);
    if (!argument || argument.getOwner()->isEntryBlock())
      break;
    Value only;
    for (auto edge = argument.getOwner()->pred_begin(); edge != argument.getOwner()->pred_end(); ++edge) {
      Value operand = getOperand(edge, argument);
      if (operand && (operand == argument || isNowhere(operand)))
        continue;
      if (!operand || (only && operand != only))
        return value;
      only = operand;
    }
    if (!only)
      break;
    value = only;
  }
  return value;
}

/// Whether both are arguments of one block that are in different objects whenever control reaches it.
static bool areRotated(Value a, Value b) {
  auto areNew = [](Value x, Value y) { return isNowhere(x) || isNowhere(y) || (isNewObject(x) && isNewObject(y)); };
  auto visitEdges = [](Value x, Value y, llvm::function_ref<void(Value, Value)> visit) {
    if (!x || !y)
      return false;
    auto chosen = x.getDefiningOp<LLVM::SelectOp>(), other = y.getDefiningOp<LLVM::SelectOp>();
    if (chosen && other && chosen->getBlock() == other->getBlock() && chosen.getCondition() == other.getCondition()) {
      visit(resolve(chosen.getTrueValue()), resolve(other.getTrueValue()));
      visit(resolve(chosen.getFalseValue()), resolve(other.getFalseValue()));
      return true;
    }
    auto first = dyn_cast<BlockArgument>(x), second = dyn_cast<BlockArgument>(y);
    if (!first || !second || first.getOwner() != second.getOwner() || first.getOwner()->isEntryBlock())
      return false;
    Block *block = first.getOwner();
    for (auto edge = block->pred_begin(); edge != block->pred_end(); ++edge) {
      Value ofFirst = getOperand(edge, first), ofSecond = getOperand(edge, second);
      if (!ofFirst || !ofSecond)
        return false;
      visit(resolve(ofFirst), resolve(ofSecond));
    }
    return true;
  };
  return isa_and_nonnull<BlockArgument>(a) && isa_and_nonnull<BlockArgument>(b) &&
         areAlwaysDifferent<Value>(a, b, areNew, visitEdges);
}

/// Finds the allocations and arguments of this function that a pointer may be based on, along any path. Returns false
/// if it may be something else.
static bool findObjects(Value pointer, llvm::SmallPtrSetImpl<Value> &objects) {
  constexpr size_t most = 16;
  SmallVector<Value, 4> work{pointer};
  llvm::SmallPtrSet<Value, 8> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!value || seen.size() > most)
      return false;
    // Pointer arithmetic stays within its object.
    value = getBasePointer(value);
    if (!seen.insert(value).second || (value != pointer && isNowhere(value)))
      continue;
    if (auto choice = value.getDefiningOp<LLVM::SelectOp>()) {
      work.append({choice.getTrueValue(), choice.getFalseValue()});
      continue;
    }
    auto argument = dyn_cast<BlockArgument>(value);
    if (isNewObject(value) || (argument && argument.getOwner()->isEntryBlock()))
      objects.insert(value);
    else if (!argument)
      return false;
    else
      for (auto edge = argument.getOwner()->pred_begin(); edge != argument.getOwner()->pred_end(); ++edge)
        work.push_back(getOperand(edge, argument));
  }
  return true;
}

/// Whether the variable is on the stack and nothing else can access it: it is only loaded, stored, and filled by MPI as
/// a status.
static bool isUnshared(Value variable) {
  constexpr size_t most = 64;
  if (!variable || !variable.getDefiningOp<LLVM::AllocaOp>())
    return false;
  SmallVector<Value, 8> work{variable};
  for (size_t i = 0; i < work.size(); ++i)
    for (Operation *user : work[i].getUsers()) {
      auto store = dyn_cast<LLVM::StoreOp>(user);
      auto mpiOp = dyn_cast<MPIOpInterface>(user);
      bool isAccess = isa<LLVM::LoadOp, LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(user) ||
                      (store && store.getValue() != work[i]) || (mpiOp && mpiOp.getParam("status") == work[i]);
      if (isa<LLVM::GEPOp>(user))
        work.push_back(user->getResult(0));
      else if (!isAccess)
        return false;
      if (work.size() > most)
        return false;
    }
  return true;
}

bool comm::areDifferentObjects(const Base &a, const Base &b) {
  if (a == b)
    return false;
  if (areRotated(a.pointer, b.pointer) || isUnshared(a.pointer) || isUnshared(b.pointer))
    return true;
  llvm::SmallPtrSet<Value, 8> first, second;
  if ((!a.global && !findObjects(a.pointer, first)) || (!b.global && !findObjects(b.pointer, second)))
    return false;
  auto areNew = [](const auto &objects) { return llvm::all_of(objects, isNewObject); };
  if (a.global || b.global)
    return areNew(first) && areNew(second);
  // An allocation of this function is in none of the caller's objects.
  return llvm::all_of(first, [&](Value x) {
    return llvm::all_of(second, [&](Value y) { return x != y && (isNewObject(x) || isNewObject(y)); });
  });
}

/// Returns the range of a piece without the levels whose strides are multiples of `stride`.
static void getResidues(const Piece &piece, const Expr &stride, Expr &begin, Expr &end) {
  begin = piece.begin;
  end = piece.begin + piece.size;
  for (const Level &level : piece.levels)
    if (level.stride.divideExactly(stride).isUnknown())
      end = end + level.stride * (level.count - Expr(1));
}

/// Whether the pieces touch different columns of the same rows: modulo the length of a row they are disjoint.
static Predicate areApartModulo(const Piece &a, const Piece &b, const Expr &stride) {
  Expr beginA, endA, beginB, endB;
  getResidues(a, stride, beginA, endA);
  getResidues(b, stride, beginB, endB);
  Predicate isApart = Predicate::never();
  for (int shift : {-1, 0, 1}) {
    Expr offset = stride * Expr(shift);
    isApart = isApart ||
              (Predicate::lessOrEqual(endA, beginB + offset) && Predicate::lessOrEqual(endB + offset, beginA + stride));
    if (isApart.isTrue())
      break;
  }
  return isApart && Predicate::lessOrEqual(Expr(1), stride);
}

static Predicate areApart(const Piece &a, const Piece &b) {
  std::optional<AskedLayout> layout = getAskedLayout(a), other = getAskedLayout(b);
  if (layout && other)
    return Predicate::apart(layout->layout, other->layout, b.begin - a.begin);
  Predicate result =
      Predicate::lessOrEqual(a.getEnd(), b.getBegin()) || Predicate::lessOrEqual(b.getEnd(), a.getBegin());
  for (const Piece *piece : {&a, &b})
    for (const Level &level : piece->levels) {
      if (result.isTrue())
        return result;
      Predicate modulo = areApartModulo(a, b, level.stride);
      if (modulo.isTrue() || result.getSize() + modulo.getSize() <= kMostComparisons)
        result = result || modulo;
    }
  return result;
}

bool comm::align(Piece &a, Piece &b) {
  if (a.base == b.base)
    return a.base.isKnown();
  if (!a.base.getAddress() || !b.base.getAddress())
    return false;
  a.begin = a.begin + Expr::symbol(a.base.getAddress());
  b.begin = b.begin + Expr::symbol(b.base.getAddress());
  return true;
}

Predicate comm::areDisjoint(const Piece &a, const Piece &b, DifferentObjects areOtherObjects) {
  if (!a.base.isKnown() || !b.base.isKnown())
    return Predicate::never();
  if (!(a.base == b.base) && areOtherObjects(a.base, b.base))
    return Predicate::always();
  if (a.isWhole || b.isWhole || a.indices || b.indices)
    return Predicate::never();
  Piece first = a, second = b;
  return align(first, second) ? areApart(first, second) && a.holds && b.holds : Predicate::never();
}

Predicate comm::areIndependent(const Footprint &a, const Footprint &b, DifferentObjects areOtherObjects) {
  auto isEmpty = [](const Footprint &f) { return f.pieces.empty() && !f.isUnknown; };
  if (isEmpty(a) || isEmpty(b))
    return Predicate::always();
  if (a.isUnknown || b.isUnknown)
    return Predicate::never();
  Predicate result = Predicate::always();
  for (const Piece &x : a.pieces)
    for (const Piece &y : b.pieces)
      if (x.writes || y.writes)
        result = result && areDisjoint(x, y, areOtherObjects);
  return result.getSize() <= 8 * kMostComparisons ? result : Predicate::never();
}

//===----------------------------------------------------------------------===//
// Iterations
//===----------------------------------------------------------------------===//

bool comm::goesDown(const Expr &step) {
  if (step.isUnknown() || step.isZero() || step.isPositive())
    return false;
  if (auto typical = TypicalNumbers(0).evaluate(step); typical && *typical != 0 && step.getTerms().size() > 1)
    return *typical < 0;
  return (Expr() - step).isPositive() || step.getTerms().front().coefficient < 0;
}

/// The quotient rounded down, and at least zero. Dividing a number that is not negative takes fewer instructions.
static Expr divideFromZero(const Expr &dividend, const Expr &divisor) {
  Expr quotient = dividend.divideExactly(divisor);
  return quotient.isUnknown() ? Expr::floorDiv(Expr::max(dividend, Expr()), divisor) : Expr::max(quotient, Expr());
}

TouchingIterations comm::findTouching(const Piece &piece, unsigned loop, const Expr &count, const Expr &first,
                                      const Expr &last) {
  TouchingIterations result;
  Expr step, start;
  Expr length = piece.getEnd() - piece.getBegin();
  if (piece.isWhole || piece.indices || length.contains(loop) || !piece.begin.splitLinear(loop, step, start))
    return result;
  // Iteration k touches bytes iff start + step * k < last and first < start + step * k + length. For loops that count
  // down, the same with all signs flipped.
  bool isDown = goesDown(step);
  if (isDown)
    step = Expr() - step;
  Expr above = isDown ? start + length - first : last - start;
  Expr below = isDown ? start - last : first - length - start;
  // k < above / step, rounded up, and k > below / step, rounded down.
  Expr steps = above.divideExactly(step);
  Expr end = steps.isUnknown() ? divideFromZero(above + step - Expr(1), step) : steps;
  Expr from = Expr::min(divideFromZero(below + step, step), count);
  result.range = {from, Expr::max(Expr::min(end, count), from)};
  if (!result.range.end.isUnknown())
    result.valid = piece.holds && Predicate::lessOrEqual(Expr(1), step) && Predicate::lessOrEqual(Expr(), count);
  return result;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printBase(llvm::raw_ostream &os, const Base &base, llvm::function_ref<std::string(Value)> name) {
  if (base.global)
    os << "@" << base.global.getValue();
  else
    os << (base.pointer ? name(base.pointer) : "?");
}

static void printRange(llvm::raw_ostream &os, const Expr &begin, const Expr &size, ArrayRef<Level> levels,
                       llvm::function_ref<std::string(Value)> name) {
  os << "[";
  begin.print(os, name);
  os << ", +";
  size.print(os, name);
  os << ")";
  for (const Level &level : levels) {
    os << " x ";
    level.count.print(os, name);
    os << " by ";
    level.stride.print(os, name);
  }
}

void Footprint::print(llvm::raw_ostream &os, llvm::function_ref<std::string(Value)> name) const {
  if (isUnknown)
    os << "  any memory\n";
  for (const Piece &piece : pieces) {
    os << "  " << (piece.reads ? "reads" : "") << (piece.reads && piece.writes ? " and " : "")
       << (piece.writes ? "writes" : "") << " ";
    printBase(os, piece.base, name);
    if (piece.isWhole) {
      os << "\n";
      continue;
    }
    printRange(os, piece.begin, piece.size, piece.levels, name);
    if (piece.indices) {
      os << " + " << piece.indices->scale << " * i" << piece.indices->width << " ";
      printBase(os, piece.indices->base, name);
      printRange(os, piece.indices->begin, piece.indices->size, piece.indices->levels, name);
    }
    if (!piece.holds.isTrue()) {
      os << " if ";
      piece.holds.print(os, name);
    }
    os << "\n";
  }
}
