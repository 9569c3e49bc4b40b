//===- ConstantTables.cpp - Numbers loaded from tables of constants -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `f[i - cx[q]]` with `const int cx[19] = {0, 1, -1, ...}`: the offset is between the least and the largest number in
// the table. If the index goes in steps (`e[q][0]` of an array of vectors), only the entries of these steps count.
//
//===----------------------------------------------------------------------===//

#include "ScalarTranslation.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

#include <numeric>

using namespace comm;

/// Larger tables are data rather than directions.
static constexpr uint64_t kMostEntries = 256;

namespace {
/// Addresses in a variable: its first byte plus `first`, plus any multiples of `step` (0: the first one alone).
struct Entries {
  const llvm::GlobalVariable *table;
  uint64_t first, step;
};
} // namespace

/// Returns the addresses that the pointer may have in a constant variable.
static std::optional<Entries> findEntries(llvm::Value *pointer, const llvm::DataLayout &layout) {
  llvm::APInt constant(64, 0);
  uint64_t step = 0;
  bool isExact = true;
  while (auto *address = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
    llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> variables;
    if (!address->getType()->isPointerTy() || !address->collectOffset(layout, 64, variables, constant))
      return std::nullopt;
    // With `inbounds`, neither the products nor the sum wrap as signed numbers.
    isExact &= address->hasNoUnsignedSignedWrap();
    for (auto &[variable, scale] : variables)
      step = std::gcd(step, scale.abs().getZExtValue());
    pointer = address->getPointerOperand();
  }
  auto *table = llvm::dyn_cast<llvm::GlobalVariable>(pointer);
  if (!table || !table->isConstant() || !table->hasDefinitiveInitializer())
    return std::nullopt;
  // What a product loses beyond 64 bits is a multiple of every power of 2, and of no other step.
  if (!isExact)
    step &= -step;
  int64_t offset = constant.getSExtValue(), period = step;
  return Entries{table, static_cast<uint64_t>(period > 0 ? (offset % period + period) % period : offset), step};
}

std::optional<Expr> ScalarTranslator::translateTableEntry(llvm::LoadInst &load) {
  auto *type = llvm::dyn_cast<llvm::IntegerType>(load.getType());
  if (!usesRanges || !type || type->getBitWidth() > 64 || !load.isSimple())
    return std::nullopt;
  const llvm::DataLayout &layout = load.getModule()->getDataLayout();
  std::optional<Entries> entries = findEntries(load.getPointerOperand(), layout);
  if (!entries)
    return std::nullopt;
  uint64_t size = layout.getTypeStoreSize(type).getFixedValue();
  uint64_t end = layout.getTypeAllocSize(entries->table->getValueType()).getFixedValue();
  if (end > kMostEntries * size)
    return std::nullopt;
  // The load is within the table: a correct program reads nothing else through this pointer.
  std::optional<int64_t> least, most;
  for (uint64_t offset = entries->first; offset <= end && size <= end - offset; offset += entries->step) {
    auto *entry = llvm::dyn_cast_or_null<llvm::ConstantInt>(llvm::ConstantFoldLoadFromConst(
        const_cast<llvm::Constant *>(entries->table->getInitializer()), type, llvm::APInt(64, offset), layout));
    if (!entry)
      return std::nullopt;
    least = std::min(least.value_or(entry->getSExtValue()), entry->getSExtValue());
    most = std::max(most.value_or(entry->getSExtValue()), entry->getSExtValue());
    if (!entries->step)
      break;
  }
  if (!least)
    return std::nullopt;
  return *least == *most ? Expr(*least) : addRange(Expr(*least), Expr(*most));
}
