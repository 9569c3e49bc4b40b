//===- InspectorRanges.cpp - The addresses to compare with ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/InspectorRanges.h"

using namespace mlir;
using namespace comm;

/// Makes the start record which bytes are in flight: from the lowest to the highest address of all that it starts until
/// control enters its unit again.
InspectorCode::Note InspectorCode::getNote(const InspectedRange &range) {
  auto [it, isNew] = notes.try_emplace({range.buffer.getAsOpaquePointer(), range.start, range.home});
  Note &note = it->second;
  if (!isNew)
    return note;
  OpBuilder builder(range.start);
  InspectorEmitter code(builder, range.start->getLoc());
  // The slot that was made first comes last.
  for (Value *variable : {&note.low, &note.high})
    *variable = createFrameSlot(range.start, code.loc, code.i64);
  if (range.home)
    builder.setInsertionPoint(range.home);
  else
    builder.setInsertionPointAfterValue(note.low);
  code.store(code.constant(-1), note.low);
  code.store(code.constant(0), note.high);
  builder.setInsertionPoint(range.start);
  Value count = range.count, zero = code.constant(0);
  if (count.getType() != code.i64)
    count = LLVM::SExtOp::create(builder, code.loc, code.i64, count);
  Value first = code.address(range.buffer);
  Value size = code.mul(count, range.extent);
  Value last = code.add(first, size);
  Value isSome = code.compare(LLVM::ICmpPredicate::sgt, count, zero);
  auto widen = [&](Value variable, Value address, LLVM::ICmpPredicate isBeyond) {
    Value known = code.load(variable);
    Value isNew = code.both(isSome, code.compare(isBeyond, address, known));
    code.store(code.select(isNew, address, known), variable);
  };
  widen(note.low, first, LLVM::ICmpPredicate::ult);
  widen(note.high, last, LLVM::ICmpPredicate::ugt);
  return note;
}

AddressRange InspectorRanges::computeRange(const InspectedRange &range, unsigned index) const {
  if (range.start)
    return getRecorded(index);
  Value base = range.piece.base.pointer;
  if (!base)
    base = LLVM::AddressOfOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
                                     range.piece.base.global.getValue());
  Value address = toNumber(LLVM::FreezeOp::create(builder, loc, base));
  Materializer code(builder, loc);
  auto compute = [&](const Expr &expr) {
    return add(address, LLVM::TruncOp::create(builder, loc, i64, code.get(expr)));
  };
  Value low = compute(range.piece.getBegin()), high = compute(range.piece.getEnd());
  Value holds = code.get(range.piece.holds);
  return {select(holds, low, constant(0)), select(holds, high, constant(-1))};
}

SmallVector<Value> InspectorRanges::compute() {
  SmallVector<Value> keys;
  for (Value input : inspection.keys)
    keys.push_back(toNumber(LLVM::FreezeOp::create(builder, loc, input)));
  for (auto [index, range] : llvm::enumerate(inspection.ranges)) {
    ranges.push_back(computeRange(range, index));
    keys.push_back(ranges.back().low);
    keys.push_back(ranges.back().high);
  }
  return keys;
}

Value InspectorRanges::meets(Value first, Value last, ArrayRef<unsigned> which) const {
  Value result;
  for (unsigned index : which) {
    Value isHere = both(compare(LLVM::ICmpPredicate::ult, first, ranges[index].high),
                        compare(LLVM::ICmpPredicate::ugt, last, ranges[index].low));
    result = result ? either(result, isHere) : isHere;
  }
  return result;
}
