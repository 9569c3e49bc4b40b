//===- FoldParts.cpp - Totals of parts of the iterations -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `max = max > x ? max : x` takes an x that is NaN, and after that whatever comes next. For consecutive iterations F, I
// and B, the total of F is combined with that of I, and the result with that of B. The total T of a part does not
// depend on earlier parts if the part begins with NaN, which any x replaces. At the end, T is still NaN if nothing was
// added or if the last x was NaN. A second total W begins with the largest number. It has changed at the end if and
// only if some x was NaN and that number did not follow; then W is right whatever came before.
//
// The parts of a nest alternate. Without a NaN, the result does not depend on their order. If W has not changed at the
// end, but some x was NaN, the largest number has followed, and T is that number, too. So unless W has changed or T is
// that number, there was no NaN (`isRepeated`).
//
//===----------------------------------------------------------------------===//

#include "Iterations/Folds.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace comm;

using Kind = FoldKind;

//===----------------------------------------------------------------------===//
// Additional values that loops carry
//===----------------------------------------------------------------------===//

Fold comm::makeWitness(const Fold &fold, const FootprintAnalysis::Loop &loop) {
  Block *header = loop.header;
  LLVM::BrOp entry = findEntry(header, loop.latch);
  OpBuilder builder(entry);
  Location loc = entry.getLoc();
  Fold witness = fold;
  witness.values.clear();
  witness.updates.clear();
  witness.isWitness = true;
  witness.initial = witness.makeIdentity(builder, loc);
  IRMapping map;
  SmallVector<Operation *> copies;
  SmallVector<Block *> blocks = listLoopBlocks(header, loop.latch);
  SmallVector<BlockArgument> carried;
  for (Block *block : blocks)
    for (BlockArgument argument : llvm::to_vector(block->getArguments()))
      if (fold.values.contains(argument)) {
        carried.push_back(argument);
        map.map(argument, block->addArgument(argument.getType(), argument.getLoc()));
      }
  for (Block *block : blocks)
    for (Operation &op : llvm::make_early_inc_range(*block)) {
      bool isOfFold = op.getNumResults() == 1 && fold.values.contains(op.getResult(0));
      bool isComparison = isa<LLVM::FCmpOp>(op) &&
                          llvm::any_of(op.getOperands(), [&](Value operand) { return fold.values.contains(operand); });
      if (!isOfFold && !isComparison)
        continue;
      builder.setInsertionPointAfter(&op);
      Operation *copy = copies.emplace_back(builder.clone(op, map));
      if (llvm::is_contained(fold.updates, &op))
        witness.updates.push_back(copy);
    }
  for (Operation *copy : copies)
    for (OpOperand &operand : copy->getOpOperands())
      operand.set(map.lookupOrDefault(operand.get()));
  for (BlockArgument argument : carried)
    for (BlockOperand &edge : argument.getOwner()->getUses()) {
      SuccessorOperands operands =
          cast<BranchOpInterface>(edge.getOwner()).getSuccessorOperands(edge.getOperandNumber());
      Value handed = operands[argument.getArgNumber()];
      operands.append(edge.getOwner() == entry ? witness.initial : map.lookup(handed));
    }
  for (Value value : fold.values)
    witness.values.insert(map.lookup(value));
  witness.argument = cast<BlockArgument>(map.lookup(fold.argument));
  return witness;
}

Fold comm::makeHeld(const Fold &fold, const FootprintAnalysis::Loop &loop) {
  Fold held;
  held.initial = fold.initial;
  held.argument = loop.header->addArgument(fold.argument.getType(), fold.argument.getLoc());
  held.values.insert(held.argument);
  for (BlockOperand &edge : loop.header->getUses()) {
    Value handed = edge.getOwner()->getBlock() == loop.latch ? held.argument : held.initial;
    cast<BranchOpInterface>(edge.getOwner()).getSuccessorOperands(edge.getOperandNumber()).append(handed);
  }
  return held;
}

//===----------------------------------------------------------------------===//
// Two totals as one
//===----------------------------------------------------------------------===//

bool Fold::isIdempotent() const {
  return !llvm::is_contained({Kind::Sum, Kind::Product, Kind::Xor, Kind::FPSum, Kind::FPProduct}, kind);
}

bool Fold::canCombine() const {
  llvm::APFloat number(0.0);
  return !takesEqual || isOrdered || isRepeated ||
         (matchPattern(initial, m_ConstantFloat(&number)) && !number.isNegZero() && !number.isNaN());
}

Value Fold::makeIdentity(OpBuilder &builder, Location loc) const {
  if (isWitness)
    return makeLimit(builder, loc);
  Type type = argument.getType();
  if (auto floating = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floating.getFloatSemantics();
    llvm::APFloat number = kind == Kind::FPProduct ? llvm::APFloat::getOne(semantics)
                           : kind == Kind::FPSum   ? llvm::APFloat::getZero(semantics, /*Negative=*/true)
                           : takesNaN              ? llvm::APFloat::getQNaN(semantics)
                                                   : llvm::APFloat::getInf(semantics, /*Negative=*/kind == Kind::FPMax);
    return LLVM::ConstantOp::create(builder, loc, type, builder.getFloatAttr(type, number));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  // Any value other than the one that it is set to.
  if (kind == Kind::Set)
    return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, constant + 1));
  auto getNumber = [&]() {
    switch (kind) {
    case Kind::Product:
      return llvm::APInt(width, 1);
    case Kind::And:
    case Kind::UMin:
      return llvm::APInt::getAllOnes(width);
    case Kind::SMax:
      return llvm::APInt::getSignedMinValue(width);
    case Kind::SMin:
      return llvm::APInt::getSignedMaxValue(width);
    default:
      return llvm::APInt::getZero(width);
    }
  };
  return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, getNumber()));
}

Value Fold::makeLimit(OpBuilder &builder, Location loc) const {
  auto type = cast<FloatType>(argument.getType());
  llvm::APFloat number = llvm::APFloat::getInf(type.getFloatSemantics(), /*Negative=*/kind == Kind::FPMin);
  return LLVM::ConstantOp::create(builder, loc, type, builder.getFloatAttr(type, number));
}

Value Fold::combine(OpBuilder &builder, Location loc, Value first, Value second, Value witness) const {
  using P = LLVM::FCmpPredicate;
  switch (kind) {
  case Kind::None:
    break;
  case Kind::Sum:
    return LLVM::AddOp::create(builder, loc, first, second);
  case Kind::Product:
    return LLVM::MulOp::create(builder, loc, first, second);
  case Kind::And:
    return LLVM::AndOp::create(builder, loc, first, second);
  case Kind::Or:
    return LLVM::OrOp::create(builder, loc, first, second);
  case Kind::Xor:
    return LLVM::XOrOp::create(builder, loc, first, second);
  case Kind::SMax:
    return LLVM::SMaxOp::create(builder, loc, first, second);
  case Kind::SMin:
    return LLVM::SMinOp::create(builder, loc, first, second);
  case Kind::UMax:
    return LLVM::UMaxOp::create(builder, loc, first, second);
  case Kind::UMin:
    return LLVM::UMinOp::create(builder, loc, first, second);
  case Kind::FPSum:
    return LLVM::FAddOp::create(builder, loc, first, second);
  case Kind::FPProduct:
    return LLVM::FMulOp::create(builder, loc, first, second);
  case Kind::Set: {
    Type type = argument.getType();
    Value number = LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, constant));
    Value isSet = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, second, number);
    return LLVM::SelectOp::create(builder, loc, isSet, number, first);
  }
  case Kind::FPMax:
  case Kind::FPMin: {
    bool isMax = kind == Kind::FPMax;
    if (!takesNaN) {
      bool mayBeEqual = isOrdered && takesEqual;
      P takes = isMax ? (mayBeEqual ? P::oge : P::ogt) : (mayBeEqual ? P::ole : P::olt);
      Value isTaken = LLVM::FCmpOp::create(builder, loc, takes, second, first);
      return LLVM::SelectOp::create(builder, loc, isTaken, second, first);
    }
    P keeps = isMax ? (takesEqual ? P::ogt : P::oge) : (takesEqual ? P::olt : P::ole);
    Value isKept = LLVM::FCmpOp::create(builder, loc, keeps, first, second);
    Value total = LLVM::SelectOp::create(builder, loc, isKept, first, second);
    // The second part still has its initial value: nothing was added.
    Value isEmpty = LLVM::FCmpOp::create(builder, loc, P::uno, second, second);
    total = LLVM::SelectOp::create(builder, loc, isEmpty, first, total);
    if (isRepeated)
      return total;
    // A NaN makes all earlier values irrelevant.
    Value isNew = LLVM::FCmpOp::create(builder, loc, P::une, witness, makeLimit(builder, loc));
    return LLVM::SelectOp::create(builder, loc, isNew, witness, total);
  }
  }
  llvm_unreachable("no fold");
}
