//===- Pointers.cpp - Constant offsets and uses of pointers -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "Comm/Dialect/Comm/IR/CommInterfaces.h"
#include "Comm/Dialect/Comm/Utils/Callee.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace comm;

std::optional<int64_t> comm::getConstantInteger(Value value) {
  APInt constant;
  if (!value || !matchPattern(value, m_ConstantInt(&constant)) || constant.getSignificantBits() > 64)
    return std::nullopt;
  return constant.getSExtValue();
}

Value comm::getBasePointer(Value pointer) {
  while (auto gep = pointer.getDefiningOp<LLVM::GEPOp>())
    pointer = gep.getBase();
  return pointer;
}

bool comm::isPlainAccess(Operation *op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return !load.getVolatile_() && load.getOrdering() == LLVM::AtomicOrdering::not_atomic;
  if (auto store = dyn_cast<LLVM::StoreOp>(op))
    return !store.getVolatile_() && store.getOrdering() == LLVM::AtomicOrdering::not_atomic;
  return false;
}

std::optional<int64_t> comm::getConstantOffset(LLVM::GEPOp gep, const DataLayout &layout) {
  Type type = gep.getElemType();
  int64_t offset = 0;
  for (auto [i, index] : llvm::enumerate(gep.getIndices())) {
    auto attribute = dyn_cast<IntegerAttr>(index);
    std::optional<int64_t> constant = attribute ? attribute.getInt() : getConstantInteger(cast<Value>(index));
    if (!constant)
      return std::nullopt;
    if (i > 0) {
      auto array = dyn_cast<LLVM::LLVMArrayType>(type);
      if (!array)
        return std::nullopt;
      type = array.getElementType();
    }
    offset += *constant * static_cast<int64_t>(layout.getTypeSize(type).getFixedValue());
  }
  return offset;
}

Value comm::stripConstantOffsets(Value pointer, const DataLayout &layout, int64_t &offset) {
  for (; auto gep = pointer.getDefiningOp<LLVM::GEPOp>(); pointer = gep.getBase()) {
    std::optional<int64_t> more = getConstantOffset(gep, layout);
    if (!more)
      break;
    offset += *more;
  }
  return pointer;
}

std::optional<int64_t> comm::getVariableSize(LLVM::AllocaOp variable, const DataLayout &layout) {
  std::optional<int64_t> number = getConstantInteger(variable.getArraySize());
  llvm::TypeSize size = layout.getTypeSize(variable.getElemType());
  if (!number || *number < 0 || !llvm::isInt<32>(*number) || size.isScalable())
    return std::nullopt;
  return static_cast<int64_t>(size.getFixedValue()) * *number;
}

std::optional<int64_t> comm::getConstantOffset(Value pointer, const DataLayout &layout) {
  int64_t offset = 0;
  bool isConstant = !stripConstantOffsets(pointer, layout, offset).getDefiningOp<LLVM::GEPOp>();
  return isConstant ? std::optional(offset) : std::nullopt;
}

bool comm::isAllocation(Value pointer) {
  Operation *op = pointer.getDefiningOp();
  if (!op || isa<LLVM::AllocaOp>(op))
    return op;
  StringRef callee = getCalleeName(op);
  // malloc and similar functions; all forms of operator new and new[]
  return callee == "malloc" || callee == "calloc" || callee == "aligned_alloc" || callee.starts_with("_Znw") ||
         callee.starts_with("_Zna");
}

bool comm::walkPointerUses(Value pointer, const DataLayout &layout,
                           llvm::function_ref<bool(OpOperand &, std::optional<int64_t>)> visit) {
  SmallVector<std::pair<Value, std::optional<int64_t>>> pointers{{pointer, 0}};
  llvm::DenseSet<Value> seen{pointer};
  while (!pointers.empty()) {
    auto [current, offset] = pointers.pop_back_val();
    for (OpOperand &use : current.getUses()) {
      auto gep = dyn_cast<LLVM::GEPOp>(use.getOwner());
      if (!gep || gep.getBase() != use.get()) {
        if (!visit(use, offset))
          return false;
        continue;
      }
      if (!seen.insert(gep.getResult()).second)
        continue;
      std::optional<int64_t> more = getConstantOffset(gep, layout);
      pointers.push_back({gep.getResult(), offset && more ? std::optional(*offset + *more) : std::nullopt});
    }
  }
  return true;
}

/// Whether the value is the address in a pointer, one of several such addresses, or null.
static bool isAddress(Value value, llvm::SmallDenseSet<Value> &seen) {
  if (value.getDefiningOp<LLVM::PtrToIntOp>() || !seen.insert(value).second)
    return true;
  if (getConstantInteger(value) == 0)
    return true;
  auto argument = dyn_cast<BlockArgument>(value);
  std::optional<SmallVector<Value>> passed = argument ? getPassedValues(argument) : std::nullopt;
  return passed && llvm::all_of(*passed, [&](Value each) { return isAddress(each, seen); });
}

/// Whether the operand is used as a number of bytes, elements or requests, which does not expose memory.
static bool isNumberOf(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<LLVM::ICmpOp, LLVM::GEPOp, LLVM::SwitchOp>(user))
    return true;
  if (isa<LLVM::MemcpyOp, LLVM::MemmoveOp, LLVM::MemsetOp>(user))
    return use.getOperandNumber() == 2;
  if (callsNewOrDelete(user)) // the size of what they allocate and free
    return true;
  auto mpiOp = dyn_cast<MPIOpInterface>(user);
  return mpiOp && llvm::any_of(mpiOp.getCalledFunction().params(), [&](const mpi::Param &param) {
           // (Request counts have no role of their own.)
           return (param.role == mpi::Role::Count || StringRef(param.name) == "count") &&
                  mpiOp.getParam(param.name) == use.get();
         });
}

/// Whether a difference of two addresses is used only as a number. Together with one address it leads to the other, so
/// it must not be stored where it may be added again. Follows arithmetic on the difference.
static bool isMereNumber(Value difference) {
  constexpr size_t most = 256;
  llvm::SmallSetVector<Value, 16> numbers;
  numbers.insert(difference);
  for (size_t i = 0; i < numbers.size(); ++i)
    for (OpOperand &use : numbers[i].getUses()) {
      Operation *user = use.getOwner();
      if (numbers.size() > most)
        return false;
      auto branch = dyn_cast<BranchOpInterface>(user);
      std::optional<BlockArgument> argument =
          branch ? branch.getSuccessorBlockArgument(use.getOperandNumber()) : std::nullopt;
      bool isArithmetic = user->getNumResults() == 1 && user->getNumRegions() == 0 && isPure(user) &&
                          !isa<CallOpInterface>(user) && user->getResult(0).getType().isIntOrIndex();
      if (argument)
        numbers.insert(*argument);
      else if (!isNumberOf(use) && isArithmetic)
        numbers.insert(user->getResult(0));
      else if (!isNumberOf(use))
        return false;
    }
  return true;
}

bool comm::isOnlySubtracted(Value address) {
  SmallVector<Value> work{address};
  llvm::SmallDenseSet<Value> seen;
  while (!work.empty()) {
    Value current = work.pop_back_val();
    if (!seen.insert(current).second)
      continue;
    for (OpOperand &use : current.getUses()) {
      Operation *user = use.getOwner();
      if (isa<LLVM::ICmpOp>(user))
        continue;
      if (auto branch = dyn_cast<BranchOpInterface>(user)) {
        std::optional<BlockArgument> argument = branch.getSuccessorBlockArgument(use.getOperandNumber());
        if (!argument)
          return false;
        work.push_back(*argument);
        continue;
      }
      auto isOther = [](Value value) {
        llvm::SmallDenseSet<Value> visited;
        return !getConstantInteger(value) && isAddress(value, visited);
      };
      if (!isa<LLVM::SubOp>(user) || !llvm::all_of(user->getOperands(), isOther) || !isMereNumber(user->getResult(0)))
        return false;
    }
  }
  return true;
}
