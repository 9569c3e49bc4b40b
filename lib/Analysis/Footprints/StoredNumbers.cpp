//===- StoredNumbers.cpp - Elements of an array on the stack --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoredNumbers.h"

#include "Comm/Dialect/Comm/Utils/Parameters.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace comm;

namespace {
class StoredNumbers {
public:
  StoredNumbers(Operation *reader, llvm::function_ref<Expr(Value)> translate)
      : reader(reader), translate(translate), layout(DataLayout::closest(reader)) {}

  bool findWriters(Value array);
  Expr get(int64_t index, unsigned width);

private:
  struct Writer {
    Operation *op;
    /// None if the offset is unknown.
    std::optional<int64_t> offset;
    int64_t size;
  };
  bool visit(OpOperand &use, std::optional<int64_t> offset);
  Expr read(const Writer &writer, int64_t place, unsigned width);

  Operation *reader;
  llvm::function_ref<Expr(Value)> translate;
  DataLayout layout;
  /// The offset of the array in its variable.
  int64_t begin = 0;
  llvm::SmallDenseMap<Operation *, Writer> writers;
};
} // namespace

/// Collects the writers of the array. Returns false if there may be others.
bool StoredNumbers::visit(OpOperand &use, std::optional<int64_t> offset) {
  Operation *user = use.getOwner();
  auto note = [&](std::optional<int64_t> place, int64_t size) {
    // A user that writes at two places counts as writing anywhere.
    auto [it, isNew] = writers.try_emplace(user, Writer{user, place, size});
    if (!isNew)
      it->second.offset = std::nullopt;
  };
  if (isa<LLVM::LoadOp>(user))
    return true;
  if (isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(user)) {
    note(std::nullopt, 0);
    return true;
  }
  if (auto store = dyn_cast<LLVM::StoreOp>(user)) {
    if (store.getValue() == use.get())
      return false;
    note(offset, layout.getTypeSize(store.getValue().getType()).getFixedValue());
    return true;
  }
  if (isa<LLVM::MemcpyOp, LLVM::MemmoveOp, LLVM::MemsetOp>(user)) {
    std::optional<int64_t> size = getConstantInteger(user->getOperand(2));
    if (use.getOperandNumber() == 0)
      note(size ? offset : std::nullopt, size.value_or(0));
    return true;
  }
  std::optional<Parameter> parameter = findParameter(use);
  if (!parameter || parameter->keepsAddress())
    return false;
  if (getWrittenSize(*parameter) != 0)
    note(std::nullopt, 0);
  return true;
}

bool StoredNumbers::findWriters(Value array) {
  auto variable = getBasePointer(array).getDefiningOp<LLVM::AllocaOp>();
  std::optional<int64_t> offset = getConstantOffset(array, layout);
  if (!variable || !offset)
    return false;
  begin = *offset;
  return walkPointerUses(variable.getResult(), layout,
                         [&](OpOperand &use, std::optional<int64_t> offset) { return visit(use, offset); });
}

/// Reads an element of the constant that a memcpy copies.
static Expr readConstant(LLVM::MemcpyOp copy, int64_t place, unsigned width) {
  auto address = copy.getSrc().getDefiningOp<LLVM::AddressOfOp>();
  auto module = copy->getParentOfType<ModuleOp>();
  auto global = address && module ? module.lookupSymbol<LLVM::GlobalOp>(address.getGlobalName()) : LLVM::GlobalOp();
  auto values = global && global.getConstant() ? dyn_cast_or_null<DenseIntElementsAttr>(global.getValueOrNull())
                                               : DenseIntElementsAttr();
  bool isElement = values && values.getElementType().isInteger(width) && place % (width / 8) == 0 &&
                   place / (width / 8) < values.getNumElements();
  return isElement ? Expr((*(values.value_begin<APInt>() + place / (width / 8))).getSExtValue()) : Expr::unknown();
}

Expr StoredNumbers::read(const Writer &writer, int64_t place, unsigned width) {
  if (!writer.offset || *writer.offset > place || *writer.offset + writer.size < place + width / 8)
    return Expr::unknown();
  int64_t distance = place - *writer.offset;
  if (auto copy = dyn_cast<LLVM::MemcpyOp>(writer.op))
    return readConstant(copy, distance, width);
  auto store = dyn_cast<LLVM::StoreOp>(writer.op);
  if (!store || store.getVolatile_())
    return Expr::unknown();
  if (store.getValue().getType().isInteger(width))
    return distance == 0 ? translate(store.getValue()) : Expr::unknown();
  // Two constants may have been merged into one store. A splat constant only has the bits of one element.
  APInt bits;
  if (!isa<IntegerType>(store.getValue().getType()) || !matchPattern(store.getValue(), m_ConstantInt(&bits)))
    return Expr::unknown();
  return Expr(bits.extractBits(width, distance * 8).getSExtValue());
}

Expr StoredNumbers::get(int64_t index, unsigned width) {
  int64_t place = begin + index * (width / 8);
  constexpr unsigned mostBlocks = 64;
  Block *block = reader->getBlock();
  Operation *op = reader->getPrevNode();
  for (unsigned steps = 0; block && steps < mostBlocks; ++steps) {
    for (; op; op = op->getPrevNode()) {
      auto it = writers.find(op);
      if (it == writers.end())
        continue;
      const Writer &writer = it->second;
      if (!writer.offset || (*writer.offset < place + width / 8 && place < *writer.offset + writer.size))
        return read(writer, place, width);
    }
    block = block->getSinglePredecessor();
    op = block && !block->empty() ? &block->back() : nullptr;
  }
  return Expr::unknown();
}

llvm::SmallVector<Expr> comm::findStoredNumbers(Value array, unsigned count, unsigned width, Operation *reader,
                                                llvm::function_ref<Expr(Value)> translate) {
  StoredNumbers numbers(reader, translate);
  llvm::SmallVector<Expr> found;
  if (!numbers.findWriters(array))
    return {};
  for (unsigned i = 0; i < count; ++i) {
    Expr number = numbers.get(i, width);
    if (number.isUnknown())
      return {};
    found.push_back(std::move(number));
  }
  return found;
}
