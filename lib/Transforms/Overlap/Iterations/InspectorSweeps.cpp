//===- InspectorSweeps.cpp - Accesses of inner loops at once --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/InspectorSweeps.h"

#include "Iterations/InspectorEmitter.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;
using namespace comm;

/// No inner loop has more iterations than this, and no two addresses in one address space are farther apart than
/// kMostBytes.
static constexpr int64_t kMostIterations = int64_t(1) << 40, kMostBytes = int64_t(1) << 60;
/// An element is not larger than this.
static constexpr int64_t kLargestElement = int64_t(1) << 16;

static bool isOutside(Value value, Block *block) { return value.getParentBlock() != block; }

std::optional<InnerLoop> InnerLoop::find(Block *block) {
  auto end = dyn_cast<LLVM::CondBrOp>(block->getTerminator());
  if (!end || (end.getTrueDest() == block) == (end.getFalseDest() == block))
    return std::nullopt;
  bool backIfTrue = end.getTrueDest() == block;
  auto isOver = end.getCondition().getDefiningOp<LLVM::ICmpOp>();
  auto expected = backIfTrue ? LLVM::ICmpPredicate::ne : LLVM::ICmpPredicate::eq;
  if (!isOver || isOver.getPredicate() != expected || isOutside(isOver.getLhs(), block) ||
      !isOutside(isOver.getRhs(), block))
    return std::nullopt;
  auto next = isOver.getLhs().getDefiningOp<LLVM::AddOp>();
  auto number = next ? dyn_cast<BlockArgument>(next.getLhs()) : BlockArgument();
  if (!number || number.getOwner() != block || !number.getType().isInteger(64) || !matchPattern(next.getRhs(), m_One()))
    return std::nullopt;
  OperandRange handed = backIfTrue ? end.getTrueDestOperands() : end.getFalseDestOperands();
  if (handed[number.getArgNumber()] != next.getRes())
    return std::nullopt;
  Value first;
  for (BlockOperand &edge : block->getUses()) {
    if (edge.getOwner() == end)
      continue;
    auto branch = dyn_cast<BranchOpInterface>(edge.getOwner());
    if (first || !branch)
      return std::nullopt;
    first = branch.getSuccessorOperands(edge.getOperandNumber())[number.getArgNumber()];
  }
  if (!first)
    return std::nullopt;
  return InnerLoop{block, number, first, isOver.getRhs()};
}

/// Returns the only index of the element to which the pointer leads, and the size of an element.
static std::optional<std::pair<LLVM::GEPOp, int64_t>> findElement(const InnerLoop &loop, Value pointer) {
  auto gep = pointer.getDefiningOp<LLVM::GEPOp>();
  if (!gep || gep.getIndices().size() != 1 || gep.getDynamicIndices().size() != 1 ||
      !isOutside(gep.getBase(), loop.block) || !isa<LLVM::LLVMPointerType>(gep.getBase().getType()))
    return std::nullopt;
  auto size = static_cast<int64_t>(DataLayout::closest(gep).getTypeSize(gep.getElemType()).getFixedValue());
  if (!gep.getElemType().isIntOrFloat() || size > kLargestElement || !llvm::isPowerOf2_64(size))
    return std::nullopt;
  return std::pair(gep, size);
}

std::optional<Sweep> Sweep::find(const InnerLoop &loop, Value pointer) {
  auto element = findElement(loop, pointer);
  if (!element || element->first.getDynamicIndices().front() != loop.number)
    return std::nullopt;
  return Sweep{element->first.getBase(), element->second};
}

void Sweep::compute(OpBuilder &builder, Location loc, const InnerLoop &loop, Value &first, Value &end,
                    Value &isSane) const {
  InspectorEmitter code(builder, loc);
  Value address = code.address(base), count = code.sub(loop.end, loop.first);
  first = code.add(address, code.mul(loop.first, size));
  end = code.add(first, code.mul(count, size));
  isSane = code.compare(LLVM::ICmpPredicate::ult, count, code.constant(kMostIterations));
}

std::optional<NarrowAccess> NarrowAccess::find(const InnerLoop &loop, Value pointer) {
  auto element = findElement(loop, pointer);
  if (!element)
    return std::nullopt;
  auto wide = element->first.getDynamicIndices().front().getDefiningOp<LLVM::SExtOp>();
  if (!wide || !wide.getArg().getType().isInteger(32))
    return std::nullopt;
  return NarrowAccess{element->first.getBase(), wide.getArg(), llvm::Log2_64(element->second)};
}

NarrowAccess::Indices NarrowAccess::compute(OpBuilder &builder, Location loc, Value low, Value high, int64_t size,
                                            Value &isAny) const {
  // base + index * element < high and base + index * element + size > low
  InspectorEmitter code(builder, loc);
  Value address = code.address(base), one = code.constant(1);
  Value isSome = code.compare(LLVM::ICmpPredicate::ult, low, high);
  Value begin = code.add(code.sub(code.sub(low, address), code.constant(size)), one), end = code.sub(high, address);
  auto isFar = [&](Value distance) {
    Value most = code.constant(kMostBytes);
    return code.compare(LLVM::ICmpPredicate::ugt, code.add(distance, most), code.mul(most, 2));
  };
  isAny = code.both(isSome, code.either(isFar(begin), isFar(end)));
  auto toIndex = [&](Value distance) -> Value {
    Value rounded = code.add(distance, code.constant((int64_t(1) << shift) - 1));
    Value index = LLVM::AShrOp::create(builder, loc, rounded, code.constant(shift));
    index = LLVM::SMaxOp::create(builder, loc, index, code.constant(std::numeric_limits<int32_t>::min()));
    return LLVM::SMinOp::create(builder, loc, index, code.constant(int64_t(std::numeric_limits<int32_t>::max()) + 1));
  };
  Value first = toIndex(begin);
  Value count = code.select(isSome, code.sub(toIndex(end), first), code.constant(0));
  Value isTooLong = code.compare(LLVM::ICmpPredicate::ugt, count, code.constant(std::numeric_limits<uint32_t>::max()));
  isAny = code.either(isAny, isTooLong);
  Type i32 = builder.getI32Type();
  return {LLVM::TruncOp::create(builder, loc, i32, first), LLVM::TruncOp::create(builder, loc, i32, count)};
}
