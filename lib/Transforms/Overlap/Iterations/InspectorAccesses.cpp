//===- InspectorAccesses.cpp - Accesses compared together -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/InspectorAccesses.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;
using namespace comm;

/// Members of one structure are not farther apart than this.
static constexpr int64_t kMostDistance = int64_t(1) << 20;

SmallVector<unsigned, 4> comm::getUnique(ArrayRef<unsigned> numbers) {
  SmallVector<unsigned, 4> unique(numbers);
  llvm::sort(unique);
  unique.erase(llvm::unique(unique), unique.end());
  return unique;
}

/// Returns true if the type occupies exactly as many bits in memory as it has.
static bool isPlain(Type type) {
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 8 && llvm::isPowerOf2_32(type.getIntOrFloatBitWidth());
}

/// Returns the pointer to which constants are added, and their sum.
static std::pair<Value, int64_t> getRoot(Value pointer) {
  int64_t offset = 0;
  while (auto gep = pointer.getDefiningOp<LLVM::GEPOp>()) {
    llvm::APInt index;
    auto indices = gep.getIndices();
    if (indices.size() != 1 || !isPlain(gep.getElemType()))
      break;
    auto value = dyn_cast<Value>(indices[0]);
    if (value && !matchPattern(value, m_ConstantInt(&index)))
      break;
    int64_t number = value ? index.getSExtValue() : cast<IntegerAttr>(indices[0]).getInt();
    int64_t size = DataLayout::closest(gep).getTypeSize(gep.getElemType()).getFixedValue();
    if (std::abs(number) > kMostDistance || std::abs(offset) > kMostDistance)
      break;
    offset += number * size;
    pointer = gep.getBase();
  }
  return {pointer, offset};
}

InspectorAccesses::InspectorAccesses(const Inspection &inspection) : inspection(inspection), slice(*inspection.slice) {
  joinAccesses();
  findInnerAccesses();
}

/// Computes what accesses touch. Adjacent accesses (`position[3 * j]`, `position[3 * j + 1]`) with the same checks are
/// checked together, at the first of them. Loads of the slice are not joined, since they wait for the result of their
/// check.
void InspectorAccesses::joinAccesses() {
  for (const InspectedAccess &access : inspection.accesses) {
    auto load = dyn_cast<LLVM::LoadOp>(access.op);
    Value pointer = access.getPointer();
    Type type = load ? load.getType() : cast<LLVM::StoreOp>(access.op).getValue().getType();
    int64_t size = DataLayout::closest(access.op).getTypeSize(type).getFixedValue();
    touched[access.op] = {pointer, 0, size};
    auto [root, offset] = getRoot(pointer);
    auto isJoined = [&, root = root, offset = offset](const InspectedAccess &first) {
      auto it = compared.find(first.op);
      if (it == compared.end() || first.op->getBlock() != access.op->getBlock() || slice.contains(first.op) ||
          slice.contains(access.op) || getUnique(first.avoided) != getUnique(access.avoided) ||
          getUnique(first.forbidden) != getUnique(access.forbidden))
        return false;
      auto [firstRoot, firstOffset] = getRoot(touched[first.op].pointer);
      TouchedBytes &known = touched[first.op];
      int64_t begin = offset - firstOffset;
      if (firstRoot != root || begin > known.end || begin + size < known.begin)
        return false;
      known = {known.pointer, std::min(known.begin, begin), std::max(known.end, begin + size)};
      return true;
    };
    if (llvm::none_of(inspection.accesses, isJoined))
      compared[access.op] = &access;
  }
}

/// Finds what inner loops access in forms that take fewer comparisons.
void InspectorAccesses::findInnerAccesses() {
  for (Block *block : slice.getBlocks()) {
    std::optional<InnerLoop> loop = block == inspection.loop.header ? std::nullopt : InnerLoop::find(block);
    if (!loop || !slice.contains(loop->number))
      continue;
    InnerAccesses found{*loop, {}, {}, {}};
    for (Operation &op : *block) {
      const InspectedAccess *access = compared.lookup(&op);
      bool isLoad = llvm::is_contained(slice.getLoads(), &op);
      if (!access && !isLoad)
        continue;
      Value pointer = access ? access->getPointer() : cast<LLVM::LoadOp>(op).getAddr();
      if (std::optional<Sweep> sweep = Sweep::find(*loop, pointer)) {
        swept.insert(&op);
        if (access)
          found.sweeps.push_back({access, *sweep});
        else
          found.loads.push_back({&op, *sweep});
        continue;
      }
      std::optional<NarrowAccess> narrow = isLoad ? std::nullopt : NarrowAccess::find(*loop, pointer);
      if (narrow && touched[&op].begin == 0)
        found.narrow.push_back({access, *narrow});
    }
    inner.insert({block, std::move(found)});
  }
}
