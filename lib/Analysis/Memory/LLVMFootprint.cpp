//===- LLVMFootprint.cpp - Memory locations of operations -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LLVMFootprint.h"

#include "mlir/Support/LLVM.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace comm;

/// A quick check for the many pairs of accesses to different variables, or to different elements of an array, for which
/// alias analysis would give the same answer.
bool VariablePlace::isApartFrom(const VariablePlace &other) const {
  if (!writes && !other.writes)
    return true;
  if (variable != other.variable)
    return true;
  if (size == kAnywhere || other.size == kAnywhere)
    return false;
  auto isBefore = [](const VariablePlace &a, const VariablePlace &b) {
    return b.offset > a.offset && static_cast<uint64_t>(b.offset - a.offset) >= a.size;
  };
  return isBefore(*this, other) || isBefore(other, *this);
}

/// Returns the global variable or static alloca that a pointer is based on; it is the same in all iterations.
static std::optional<VariablePlace> findPlace(const llvm::Value *pointer, llvm::LocationSize size, bool writes,
                                              const llvm::DataLayout &layout) {
  constexpr uint64_t far = uint64_t(1) << 60;
  const llvm::Value *variable = llvm::getUnderlyingObject(pointer);
  const auto *local = dyn_cast<llvm::AllocaInst>(variable);
  if (!isa<llvm::GlobalVariable>(variable) && !(local && local->isStaticAlloca()))
    return std::nullopt;
  VariablePlace place{variable, 0, VariablePlace::kAnywhere, writes};
  llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  bool isExact = pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true) == variable;
  if (isExact && size.hasValue() && !size.isScalable() && offset.isSignedIntN(61) &&
      size.getValue().getFixedValue() < far) {
    place.offset = offset.getSExtValue();
    place.size = size.getValue().getFixedValue();
  }
  return place;
}

SmallVector<VariablePlace, 2> comm::findPlaces(const LLVMFootprint &footprint) {
  SmallVector<VariablePlace, 2> places;
  if (footprint.isUnknown || !footprint.function)
    return places;
  const llvm::DataLayout &layout = footprint.function->getParent()->getDataLayout();
  auto add = [&](const llvm::Value *pointer, llvm::LocationSize size, bool writes) {
    std::optional<VariablePlace> place = findPlace(pointer, size, writes, layout);
    if (place)
      places.push_back(*place);
    return place.has_value();
  };
  for (llvm::Instruction *instruction : footprint.instructions) {
    auto *load = dyn_cast<llvm::LoadInst>(instruction);
    auto *store = dyn_cast<llvm::StoreInst>(instruction);
    bool isSimple = (load && load->isSimple()) || (store && store->isSimple());
    if (!isSimple || !add(llvm::getLoadStorePointerOperand(instruction), llvm::MemoryLocation::get(instruction).Size,
                          store != nullptr))
      return {};
  }
  for (const CommLocation &location : footprint.locations)
    if (!add(location.memory.Ptr, location.memory.Size, location.writes))
      return {};
  return places;
}
