//===- HoistLoads.cpp - What a loop finds in private variables ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HoistLoads.h"

#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Dialect/Comm/Utils/Parameters.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"

#include <map>
#include <tuple>

using namespace mlir;
using namespace comm;

namespace {
/// Bytes of a variable: from `begin` to before `end`.
struct Range {
  int64_t begin, end;
  bool meets(const Range &other) const { return begin < other.end && other.begin < end; }
};

/// One variable, and all that is done with it.
class Variable {
public:
  explicit Variable(LLVM::AllocaOp variable) : variable(variable), layout(DataLayout::closest(variable)) {}

  void findUses();
  /// Takes its loads out of loops that do not change what they find.
  unsigned hoist(CFGLoopInfo &loops, const DenseSet<CFGLoop *> &communicating);

private:
  void noteUse(OpOperand &use, std::optional<int64_t> offset);
  std::optional<int64_t> getSize();
  bool isChangedIn(const CFGLoop &loop, Range range) const;
  bool isKnownIn(const CFGLoop &loop) const;

  LLVM::AllocaOp variable;
  DataLayout layout;
  SmallVector<std::pair<LLVM::LoadOp, Range>> loads;
  SmallVector<std::pair<Operation *, Range>> changes;
  /// After these somebody else may have a pointer to it.
  SmallVector<Operation *> shown;
};
} // namespace

/// Whether a function of the program or a library does not keep the pointer that it is called with.
static bool forgetsArgument(OpOperand &use) {
  auto call = dyn_cast<CallOpInterface>(use.getOwner());
  auto callee = call ? dyn_cast<SymbolRefAttr>(call.getCallableForCallee()) : SymbolRefAttr();
  if (!callee || !isa<LLVM::CallOp, LLVM::InvokeOp>(use.getOwner()))
    return false;
  unsigned argument = use.getOperandNumber() - call.getArgOperands().getBeginOperandIndex();
  StringRef noCapture = LLVM::LLVMDialect::getNoCaptureAttrName();
  if (ArrayAttr attributes = call.getArgAttrsAttr())
    if (argument < attributes.size() && cast<DictionaryAttr>(attributes[argument]).get(noCapture))
      return true;
  auto function = SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(use.getOwner(), callee);
  return function && argument < function.getNumArguments() && function.getArgAttr(argument, noCapture);
}

void Variable::noteUse(OpOperand &use, std::optional<int64_t> offset) {
  Operation *op = use.getOwner();
  constexpr Range all{std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  auto getRange = [&](Type type) {
    llvm::TypeSize size = layout.getTypeSize(type);
    return offset && !size.isScalable() ? Range{*offset, *offset + static_cast<int64_t>(size.getFixedValue())} : all;
  };
  if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    bool isPlain = !load.getVolatile_() && load.getOrdering() == LLVM::AtomicOrdering::not_atomic;
    if (isPlain && offset)
      loads.push_back({load, getRange(load.getType())});
    return;
  }
  auto store = dyn_cast<LLVM::StoreOp>(op);
  bool isInto = store && store.getValue() != use.get();
  changes.push_back({op, isInto ? getRange(store.getValue().getType()) : all});
  std::optional<Parameter> parameter = findParameter(use);
  bool isForgotten =
      isInto || isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp, LLVM::MemsetOp, LLVM::MemcpyOp, LLVM::MemmoveOp>(op) ||
      (parameter ? !parameter->keepsAddress() : forgetsArgument(use));
  if (!isForgotten)
    shown.push_back(op);
}

void Variable::findUses() {
  walkPointerUses(variable.getResult(), layout, [&](OpOperand &use, std::optional<int64_t> offset) {
    noteUse(use, offset);
    return true;
  });
}

/// Whether somebody else may have a pointer to the variable in the loop: destructors that may keep one come after it.
bool Variable::isKnownIn(const CFGLoop &loop) const {
  Region *region = loop.getHeader()->getParent();
  SmallVector<Block *> work;
  SmallPtrSet<Block *, 32> seen;
  for (Operation *op : shown)
    if (Operation *here = region->findAncestorOpInRegion(*op); here && seen.insert(here->getBlock()).second)
      work.push_back(here->getBlock());
  while (!work.empty()) {
    Block *block = work.pop_back_val();
    if (loop.contains(block))
      return true;
    for (Block *next : block->getSuccessors())
      if (seen.insert(next).second)
        work.push_back(next);
  }
  return false;
}

std::optional<int64_t> Variable::getSize() {
  llvm::APInt number;
  llvm::TypeSize size = layout.getTypeSize(variable.getElemType());
  if (!matchPattern(variable.getArraySize(), m_ConstantInt(&number)) || number.getActiveBits() > 31 ||
      size.isScalable())
    return std::nullopt;
  return static_cast<int64_t>(size.getFixedValue() * number.getZExtValue());
}

bool Variable::isChangedIn(const CFGLoop &loop, Range range) const {
  Region *region = loop.getHeader()->getParent();
  return llvm::any_of(changes, [&](const std::pair<Operation *, Range> &change) {
    Operation *op = region->findAncestorOpInRegion(*change.first);
    return op && change.second.meets(range) && loop.contains(op->getBlock());
  });
}

unsigned Variable::hoist(CFGLoopInfo &loops, const DenseSet<CFGLoop *> &communicating) {
  std::optional<int64_t> size = getSize();
  if (!size)
    return 0;
  unsigned numHoisted = 0;
  std::map<std::tuple<Block *, int64_t, const void *>, Value> hoisted;
  for (auto &[load, range] : loads) {
    // What is loaded too early must be there.
    if (range.begin < 0 || range.end > *size)
      continue;
    CFGLoop *outermost = nullptr;
    for (CFGLoop *loop = loops.getLoopFor(load->getBlock()); loop && !isChangedIn(*loop, range);
         loop = loop->getParentLoop())
      if (communicating.contains(loop))
        outermost = loop;
    if (outermost && isKnownIn(*outermost))
      continue;
    Block *before = outermost ? outermost->getLoopPredecessor() : nullptr;
    if (!before || before->getNumSuccessors() != 1)
      continue;
    Value &value = hoisted[{before, range.begin, load.getType().getAsOpaquePointer()}];
    if (!value) {
      OpBuilder builder(before->getTerminator());
      Value address = LLVM::GEPOp::create(builder, load.getLoc(), variable.getType(), builder.getI8Type(),
                                          variable.getResult(), LLVM::GEPArg(static_cast<int32_t>(range.begin)));
      value = LLVM::LoadOp::create(builder, load.getLoc(), load.getType(), address, load.getAlignment().value_or(0));
    }
    load.getResult().replaceAllUsesWith(value);
    load->erase();
    ++numHoisted;
  }
  return numHoisted;
}

unsigned comm::hoistPrivateLoads(LLVM::LLVMFuncOp function) {
  Region &body = function.getBody();
  if (body.hasOneBlock())
    return 0;
  DominanceInfo dominance;
  CFGLoopInfo loops(dominance.getDomTree(&body));
  DenseSet<CFGLoop *> communicating;
  function.walk([&](Operation *op) {
    if (getInterval(op) || op->hasAttr(kFollowedAttrName))
      for (CFGLoop *loop = loops.getLoopFor(body.findAncestorBlockInRegion(*op->getBlock())); loop;
           loop = loop->getParentLoop())
        communicating.insert(loop);
  });
  if (communicating.empty())
    return 0;
  unsigned numHoisted = 0;
  for (auto alloca : body.front().getOps<LLVM::AllocaOp>()) {
    Variable variable(alloca);
    variable.findUses();
    numHoisted += variable.hoist(loops, communicating);
  }
  return numHoisted;
}
