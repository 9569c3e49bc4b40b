//===- ForwardCounters.cpp - Numbers that a structure keeps ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForwardCounters.h"

#include "Comm/Analysis/Requests/LinearIndex.h"
#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Interfaces/CallInterfaces.h"

#include <map>

using namespace mlir;
using namespace comm;

namespace {
class Forwarder {
public:
  Forwarder(LLVM::AllocaOp object, uint64_t handleSize)
      : object(object), layout(DataLayout::closest(object)), handleSize(handleSize) {}

  /// Whether only this function, and MPI while it is in a call, has pointers to the object.
  bool isPrivate();
  void run(Block &block);

private:
  struct Stored {
    Value value;
    int64_t size;
  };
  bool isHarmless(OpOperand &use);
  std::optional<int64_t> getOffset(Value pointer);
  void overwrite(std::optional<int64_t> offset, int64_t size);
  void overwriteByCall(Operation *op);
  void makeConstant(Operation *op);

  LLVM::AllocaOp object;
  DataLayout layout;
  int64_t handleSize;
  std::map<int64_t, Stored> known;
};
} // namespace

/// The parameter of MPI's that the operand is, and its function; null if it is none.
static const mpi::Function *findParameter(OpOperand &use, unsigned &index) {
  Operation *op = use.getOwner();
  if (auto mpiOp = dyn_cast<MPIOpInterface>(op)) {
    const mpi::Function &function = mpiOp.getCalledFunction();
    for (auto [i, param] : llvm::enumerate(function.params())) {
      OperandRange operands = comm::detail::getParamOperands(op, param.name);
      unsigned first = operands.empty() ? 0 : operands.getBeginOperandIndex();
      if (operands.empty() || use.getOperandNumber() < first || use.getOperandNumber() >= first + operands.size())
        continue;
      index = i;
      return &function;
    }
    return nullptr;
  }
  auto call = dyn_cast<CallOpInterface>(op);
  auto callee = call ? dyn_cast<SymbolRefAttr>(call.getCallableForCallee()) : SymbolRefAttr();
  const mpi::Function *function = callee ? mpi::lookupFunction(callee.getRootReference().getValue()) : nullptr;
  if (!function || call.getArgOperands().empty())
    return nullptr;
  index = use.getOperandNumber() - call.getArgOperands().getBeginOperandIndex();
  return index < function->numParams ? function : nullptr;
}

bool Forwarder::isHarmless(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<LLVM::LoadOp, LLVM::LifetimeStartOp, LLVM::LifetimeEndOp, LLVM::MemsetOp>(op))
    return true;
  if (auto store = dyn_cast<LLVM::StoreOp>(op))
    return store.getValue() != use.get();
  if (isa<LLVM::MemcpyOp, LLVM::MemmoveOp>(op))
    return true;
  unsigned index = 0;
  const mpi::Function *function = findParameter(use, index);
  return function && !function->keepsAddress(index);
}

bool Forwarder::isPrivate() {
  return walkPointerUses(object.getResult(), layout,
                         [&](OpOperand &use, std::optional<int64_t>) { return isHarmless(use); });
}

std::optional<int64_t> Forwarder::getOffset(Value pointer) {
  std::optional<LinearIndex> bytes = getElement(pointer, layout, 1);
  return bytes && !bytes->symbol ? std::optional(bytes->constant) : std::nullopt;
}

void Forwarder::overwrite(std::optional<int64_t> offset, int64_t size) {
  if (!offset)
    return known.clear();
  for (auto it = known.begin(); it != known.end();) {
    bool isApart = it->first + it->second.size <= *offset || *offset + size <= it->first;
    it = isApart ? std::next(it) : known.erase(it);
  }
}

void Forwarder::overwriteByCall(Operation *op) {
  for (OpOperand &use : op->getOpOperands()) {
    if (!isa<LLVM::LLVMPointerType>(use.get().getType()) || getBasePointer(use.get()) != object.getResult())
      continue;
    unsigned index = 0;
    const mpi::Function *function = findParameter(use, index);
    if (function && !function->params()[index].writes())
      continue;
    bool isRequest =
        function && function->params()[index].role == mpi::Role::Request && !function->params()[index].isArray;
    overwrite(isRequest ? getOffset(use.get()) : std::nullopt, handleSize);
  }
}

/// Writes places that are constant by now as such.
void Forwarder::makeConstant(Operation *op) {
  OpBuilder builder(op);
  for (OpOperand &use : op->getOpOperands()) {
    Value value = use.get();
    if (isa<IntegerType>(value.getType()) && isa<MPIOpInterface>(op) && !getConstantInteger(value)) {
      LinearIndex index = getLinearIndex(value);
      if (!index.symbol)
        use.set(LLVM::ConstantOp::create(builder, op->getLoc(), value.getType(),
                                         builder.getIntegerAttr(value.getType(), index.constant)));
    }
    if (!isa<LLVM::LLVMPointerType>(value.getType()) || getBasePointer(value) != object.getResult())
      continue;
    bool isConstant = true;
    for (Value at = value; auto gep = at.getDefiningOp<LLVM::GEPOp>(); at = gep.getBase())
      isConstant &= getConstantOffset(gep, layout).has_value();
    std::optional<int64_t> offset = isConstant ? std::nullopt : getOffset(value);
    if (!offset || *offset != static_cast<int32_t>(*offset))
      continue;
    use.set(LLVM::GEPOp::create(builder, op->getLoc(), value.getType(), builder.getI8Type(), object.getResult(),
                                ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(*offset)}));
  }
}

void Forwarder::run(Block &block) {
  known.clear();
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
      if (load.getVolatile_() || load.getOrdering() != LLVM::AtomicOrdering::not_atomic ||
          getBasePointer(load.getAddr()) != object.getResult())
        continue;
      std::optional<int64_t> offset = getOffset(load.getAddr());
      auto it = offset ? known.find(*offset) : known.end();
      if (it == known.end() || it->second.value.getType() != load.getType())
        continue;
      load.getResult().replaceAllUsesWith(it->second.value);
      load.erase();
    } else if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
      if (getBasePointer(store.getAddr()) != object.getResult())
        continue;
      std::optional<int64_t> offset = getOffset(store.getAddr());
      int64_t size = layout.getTypeSize(store.getValue().getType()).getFixedValue();
      overwrite(offset, size);
      if (offset && isa<IntegerType>(store.getValue().getType()) && !store.getVolatile_())
        known[*offset] = {store.getValue(), size};
    } else if (isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp, LLVM::MemsetOp, LLVM::MemcpyOp, LLVM::MemmoveOp>(op)) {
      if (llvm::any_of(op.getOperands(), [&](Value operand) {
            return isa<LLVM::LLVMPointerType>(operand.getType()) && getBasePointer(operand) == object.getResult();
          }))
        known.clear();
    } else if (isa<MPIOpInterface, CallOpInterface>(op)) {
      if (isa<MPIOpInterface>(op))
        makeConstant(&op);
      overwriteByCall(&op);
    }
  }
}

void comm::forwardCounters(LLVM::AllocaOp object, uint64_t handleSize) {
  Forwarder forwarder(object, handleSize);
  if (!forwarder.isPrivate())
    return;
  for (Block &block : *object->getParentRegion())
    forwarder.run(block);
}
