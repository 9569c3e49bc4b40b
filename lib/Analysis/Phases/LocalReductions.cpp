//===- LocalReductions.cpp - Reductions in the program's own code ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MPI_Reduce_local computes the same (MPI-4, 6.9.7). Integers of 8 and 16 bits are excluded, because implementations
// differ from C if their sums overflow (docs/cdag.md).
//
//===----------------------------------------------------------------------===//

#include "LocalReductions.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace comm;

/// Returns MPI's operator for the operation, and whether it treats its operands as unsigned.
static std::pair<StringRef, bool> getOperator(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::pair<StringRef, bool>>(op)
      .Case<LLVM::AddOp, LLVM::FAddOp>([](auto) { return std::pair("MPI_SUM", false); })
      .Case<LLVM::MulOp, LLVM::FMulOp>([](auto) { return std::pair("MPI_PROD", false); })
      .Case<LLVM::AndOp>([](auto) { return std::pair("MPI_BAND", false); })
      .Case<LLVM::OrOp>([](auto) { return std::pair("MPI_BOR", false); })
      .Case<LLVM::XOrOp>([](auto) { return std::pair("MPI_BXOR", false); })
      .Case<LLVM::SMinOp>([](auto) { return std::pair("MPI_MIN", false); })
      .Case<LLVM::SMaxOp>([](auto) { return std::pair("MPI_MAX", false); })
      .Case<LLVM::UMinOp>([](auto) { return std::pair("MPI_MIN", true); })
      .Case<LLVM::UMaxOp>([](auto) { return std::pair("MPI_MAX", true); })
      .Default([](Operation *) { return std::pair("", false); });
}

static StringRef getDatatype(Type type, bool isUnsigned) {
  if (type.isF32())
    return "MPI_FLOAT";
  if (type.isF64())
    return "MPI_DOUBLE";
  if (type.isInteger(32))
    return isUnsigned ? "MPI_UINT32_T" : "MPI_INT32_T";
  if (type.isInteger(64))
    return isUnsigned ? "MPI_UINT64_T" : "MPI_INT64_T";
  return "";
}

static bool isPlainLoad(LLVM::LoadOp load, Block *block) {
  return load && load->getBlock() == block && !load.getVolatile_() &&
         load.getOrdering() == LLVM::AtomicOrdering::not_atomic && load->hasOneUse();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {
/// A single-block loop whose counter starts at 0 and increases by 1. `next` is compared with `bound`.
struct CountedLoop {
  BlockArgument counter;
  Value bound;
  Operation *next = nullptr, *compare = nullptr;
  Block *exit = nullptr;
};
} // namespace

static bool isConstant(Value value, int64_t wanted) { return getConstantInteger(value) == wanted; }

static std::optional<CountedLoop> matchLoop(Block *block) {
  auto branch = dyn_cast<LLVM::CondBrOp>(block->getTerminator());
  if (!branch || block->getNumArguments() != 1 || branch.getTrueDest() == branch.getFalseDest())
    return std::nullopt;
  bool repeatsIfTrue = branch.getTrueDest() == block;
  if (!repeatsIfTrue && branch.getFalseDest() != block)
    return std::nullopt;
  CountedLoop loop;
  loop.counter = block->getArgument(0);
  loop.exit = repeatsIfTrue ? branch.getFalseDest() : branch.getTrueDest();
  auto repeated = repeatsIfTrue ? branch.getTrueDestOperands() : branch.getFalseDestOperands();
  auto next = repeated.front().getDefiningOp<LLVM::AddOp>();
  auto compare = branch.getCondition().getDefiningOp<LLVM::ICmpOp>();
  // It ends when the counter reaches the bound, which thus is the number of iterations.
  LLVM::ICmpPredicate ends = repeatsIfTrue ? LLVM::ICmpPredicate::ne : LLVM::ICmpPredicate::eq;
  if (!next || next.getLhs() != loop.counter || !isConstant(next.getRhs(), 1) || !compare ||
      compare.getPredicate() != ends || compare.getLhs() != next.getResult() || !compare->hasOneUse())
    return std::nullopt;
  loop.next = next;
  loop.compare = compare;
  loop.bound = compare.getRhs();
  if (loop.bound.getParentBlock() == block)
    return std::nullopt;
  for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
    auto from = dyn_cast<BranchOpInterface>((*it)->getTerminator());
    if (*it != block && (!from || !isConstant(from.getSuccessorOperands(it.getSuccessorIndex())[0], 0)))
      return std::nullopt;
  }
  return loop;
}

/// Returns the number as an int, as MPI requires: an i32, a constant that fits, or an i64 that was an i32.
static Value getCount(Value bound, std::optional<int32_t> &constant) {
  if (std::optional<int64_t> number = getConstantInteger(bound)) {
    if (*number >= 1 && *number <= INT32_MAX)
      constant = static_cast<int32_t>(*number);
    return nullptr;
  }
  if (Operation *widened = bound.getDefiningOp(); isa_and_nonnull<LLVM::ZExtOp, LLVM::SExtOp>(widened))
    bound = widened->getOperand(0);
  return bound.getType().isInteger(32) ? bound : Value();
}

/// Returns the base of `base[counter]` if the elements have this type.
static Value getBase(Value address, BlockArgument counter, Type element) {
  auto gep = address.getDefiningOp<LLVM::GEPOp>();
  if (!gep || gep.getIndices().size() != 1 || gep.getElemType() != element || gep.getDynamicIndices().size() != 1 ||
      gep.getDynamicIndices().front() != counter || gep.getBase().getParentBlock() == counter.getOwner())
    return nullptr;
  return gep.getBase();
}

/// Turns the reduction of one element into that of the loop around it. Returns false and changes nothing if the loop
/// does anything else.
static bool extendToLoop(LocalReduction &reduction, Block *block, const CountedLoop &loop, ArrayRef<Operation *> body) {
  Type element = reduction.element;
  Value in = getBase(reduction.in, loop.counter, element), inout = getBase(reduction.inout, loop.counter, element);
  std::optional<int32_t> constantCount;
  Value count = getCount(loop.bound, constantCount);
  if (!in || !inout || (!count && !constantCount))
    return false;
  Operation *addresses[] = {reduction.in.getDefiningOp(), reduction.inout.getDefiningOp()};
  for (Operation &op : *block) {
    bool isKnown = &op == loop.next || &op == loop.compare || &op == block->getTerminator() ||
                   llvm::is_contained(addresses, &op) || llvm::is_contained(body, &op);
    if (!isKnown && !isMemoryEffectFree(&op))
      return false;
    for (Operation *user : op.getUsers())
      if (user->getBlock() != block)
        return false;
  }
  for (Operation *user : loop.counter.getUsers())
    if (user->getBlock() != block)
      return false;
  auto branch = cast<BranchOpInterface>(block->getTerminator());
  for (unsigned i = 0; i < 2; ++i)
    if (branch->getSuccessor(i) == loop.exit)
      for (Value passed : branch.getSuccessorOperands(i).getForwardedOperands())
        if (passed.getParentBlock() == block)
          return false;
  reduction.in = in;
  reduction.inout = inout;
  reduction.count = count;
  reduction.constantCount = constantCount;
  reduction.loop = block;
  return true;
}

//===----------------------------------------------------------------------===//
// One element
//===----------------------------------------------------------------------===//

/// Whether nothing between the first load and the store writes memory or is visible to others.
static bool isUndisturbed(Operation *first, Operation *second, Operation *store) {
  Operation *begin = first->isBeforeInBlock(second) ? first : second;
  for (Operation *op = begin; op != store; op = op->getNextNode())
    if (!isa<LLVM::LoadOp>(op) && !isMemoryEffectFree(op))
      return false;
  return true;
}

std::optional<LocalReduction> comm::matchLocalReduction(Operation *op, MemoryOracle &oracle) {
  auto store = dyn_cast<LLVM::StoreOp>(op);
  if (!store || store.getVolatile_() || store.getOrdering() != LLVM::AtomicOrdering::not_atomic)
    return std::nullopt;
  Operation *combine = store.getValue().getDefiningOp();
  if (!combine || combine->getNumOperands() != 2 || !combine->hasOneUse())
    return std::nullopt;
  auto [operatorName, isUnsigned] = getOperator(combine);
  StringRef datatype = getDatatype(store.getValue().getType(), isUnsigned);
  if (operatorName.empty() || datatype.empty())
    return std::nullopt;
  auto left = combine->getOperand(0).getDefiningOp<LLVM::LoadOp>(),
       right = combine->getOperand(1).getDefiningOp<LLVM::LoadOp>();
  Block *block = op->getBlock();
  if (!isPlainLoad(left, block) || !isPlainLoad(right, block) || combine->getBlock() != block)
    return std::nullopt;
  if (right.getAddr() != store.getAddr())
    std::swap(left, right);
  if (right.getAddr() != store.getAddr() || left.getAddr() == store.getAddr() || !isUndisturbed(left, right, store) ||
      oracle.mayConflict(left, store, /*acrossIterations=*/true))
    return std::nullopt;
  LocalReduction reduction;
  reduction.memoryOps = {left, right, store};
  reduction.in = left.getAddr();
  reduction.inout = store.getAddr();
  reduction.element = store.getValue().getType();
  reduction.operatorName = operatorName;
  reduction.datatype = datatype;
  reduction.constantCount = 1;
  // In a loop that combines elements in another way, one graph operation per element would cost more than it gains.
  bool isLoop = llvm::is_contained(block->getSuccessors(), block);
  bool hasMessage = llvm::any_of(*block, [](Operation &each) { return isa<MPIOpInterface>(each); });
  std::optional<CountedLoop> loop = matchLoop(block);
  if (isLoop && !hasMessage)
    if (!loop || !extendToLoop(reduction, block, *loop, {left, right, combine, store}))
      return std::nullopt;
  return reduction;
}

//===----------------------------------------------------------------------===//
// Temporaries
//===----------------------------------------------------------------------===//

/// Returns the object on the stack or from malloc that the pointer is the beginning of, or null.
static Value getOwnObject(Value pointer) {
  if (pointer.getDefiningOp<LLVM::AllocaOp>())
    return pointer;
  auto call = pointer.getDefiningOp<LLVM::CallOp>();
  std::optional<StringRef> callee = call ? call.getCallee() : std::nullopt;
  return callee && (*callee == "malloc" || *callee == "calloc") ? pointer : Value();
}

/// Whether the message fills exactly what the reduction reads.
static bool hasSameSize(MPIOpInterface message, const LocalReduction &reduction) {
  Value datatype = message.getParam("datatype");
  std::optional<unsigned> extent = getDatatypeExtent(getConstantName(datatype), datatype);
  if (!extent || *extent * 8 != reduction.element.getIntOrFloatBitWidth())
    return false;
  Value count = message.getParam("count");
  APInt number;
  if (reduction.count)
    return count == reduction.count;
  return count && getConstantInteger(count) == *reduction.constantCount;
}

static bool isEndOfLife(OpOperand &use) {
  auto call = dyn_cast<LLVM::CallOp>(use.getOwner());
  std::optional<StringRef> callee = call ? call.getCallee() : std::nullopt;
  return isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(use.getOwner()) || (callee && *callee == "free");
}

void comm::findTemporaries(Phase &phase) {
  for (LocalReduction &reduction : phase.reductions) {
    Value object = getOwnObject(reduction.in);
    if (!object)
      continue;
    DominanceInfo dominance(object.getParentRegion()->getParentOp());
    llvm::SmallPtrSet<Operation *, 8> readers;
    for (const LocalReduction &other : phase.reductions) {
      readers.insert(other.memoryOps[0]);
      if (other.loop)
        readers.insert(other.memoryOps[0]->getOperand(0).getDefiningOp()); // the address in the loop
    }
    MPIOpInterface bringing;
    bool isPrivate = llvm::all_of(object.getUses(), [&](OpOperand &use) {
      auto message = dyn_cast<MPIOpInterface>(use.getOwner());
      bool isReceive = message && llvm::is_contained(phase.messages, message) &&
                       message.getMatching().kind == Matching::Kind::Receive && message.getParam("buf") == object;
      if (isReceive && hasSameSize(message, reduction) && dominance.dominates(message, reduction.memoryOps[0]))
        bringing = message;
      return isReceive || readers.contains(use.getOwner()) || isEndOfLife(use);
    });
    reduction.inIsTemporary = isPrivate && bringing;
  }
}
