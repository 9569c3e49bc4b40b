//===- GraphAccess.cpp - Accesses of graph operations ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Graph/IR/Graph.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace comm::graph;

using Accesses = SmallVector<Access, 4>;

static Access read(Value object, Value index = Value()) { return {AccessKind::Read, object, index, Value()}; }
static Access write(Value object, Value index, Value value) { return {AccessKind::Write, object, index, value}; }

/// A reduction is atomic, so that reading its own object is not a separate access.
template <typename Op> static Accesses getReduction(Op op, Value object, Value index) {
  Accesses accesses;
  accesses.push_back({AccessKind::Reduce, object, index, op.getValue(), op.getKind()});
  for (auto [companion, value] : llvm::zip_equal(op.getCompanions(), op.getCompanionValues()))
    accesses.push_back({AccessKind::Write, companion, index, value, op.getKind(), /*isCompanion=*/true});
  return accesses;
}

Accesses FillOp::getAccesses() { return {write(getProperty(), Value(), getValue())}; }
Accesses CopyOp::getAccesses() { return {read(getFrom()), write(getTo(), Value(), Value())}; }
Accesses LoadOp::getAccesses() { return {read(getProperty(), getIndex())}; }
Accesses StoreOp::getAccesses() { return {write(getProperty(), getIndex(), getValue())}; }
Accesses ReduceOp::getAccesses() { return getReduction(*this, getProperty(), getIndex()); }
Accesses GetOp::getAccesses() { return {read(getCell())}; }
Accesses SetOp::getAccesses() { return {write(getCell(), Value(), getValue())}; }
Accesses AccumulateOp::getAccesses() { return getReduction(*this, getCell(), Value()); }

// Elements of a list are not distinguished.
Accesses ListSizeOp::getAccesses() { return {read(getWholeList(getList()))}; }
Accesses ListGetOp::getAccesses() { return {read(getWholeList(getList()))}; }
Accesses ListFindOp::getAccesses() { return {read(getWholeList(getList()))}; }
Accesses ListSetOp::getAccesses() { return {write(getWholeList(getList()), Value(), getValue())}; }
Accesses ListPushOp::getAccesses() {
  Accesses accesses = {write(getWholeList(getList()), Value(), Value())};
  if (isa<ListType>(getValue().getType()))
    accesses.push_back(read(getWholeList(getValue())));
  return accesses;
}
Accesses ListPopOp::getAccesses() { return {write(getWholeList(getList()), Value(), Value())}; }
Accesses ListAssignOp::getAccesses() { return {write(getWholeList(getList()), Value(), Value())}; }
Accesses ListCopyOp::getAccesses() {
  return {read(getWholeList(getFrom())), write(getWholeList(getTo()), Value(), Value())};
}
Accesses ListReduceOp::getAccesses() {
  return {{AccessKind::Reduce, getWholeList(getList()), Value(), getValue(), getKind()}};
}

Accesses FixedPointOp::getAccesses() {
  Accesses accesses = {read(getFinished()), write(getFinished(), Value(), Value())};
  if (getProperty())
    accesses.push_back(read(getProperty()));
  return accesses;
}

void FixedPointOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getFinishedMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getFinishedMutable());
  for (OpOperand &property : getPropertyMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &property);
}

void CheckedOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  bool divides = getKind() == ArithKind::div || getKind() == ArithKind::rem;
  if (divides && !matchPattern(getRhs(), m_NonZero()))
    effects.emplace_back(MemoryEffects::Write::get(), StopResource::get());
}
