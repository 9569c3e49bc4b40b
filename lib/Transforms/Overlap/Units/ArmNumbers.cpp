//===- ArmNumbers.cpp - Numbers that need no arm of a branch --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units/ArmNumbers.h"

#include "Units/PrivateVariable.h"

#include "Comm/Dialect/Comm/Utils/Origin.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"
#include "Comm/Transforms/Utils/ControlFlow.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace comm;

/// Limit on the operations that move: longer computations are more than numbers at hand.
static constexpr unsigned kMostHoisted = 4;

/// Returns true if the operation costs next to nothing and is harmless where it is not needed. Excludes divisions.
static bool isCheap(Operation *op) {
  return isa<LLVM::GEPOp, LLVM::SExtOp, LLVM::ZExtOp, LLVM::TruncOp, LLVM::AddOp, LLVM::SubOp, LLVM::MulOp, LLVM::ShlOp,
             LLVM::LShrOp, LLVM::AShrOp, LLVM::AndOp, LLVM::OrOp, LLVM::XOrOp, LLVM::ICmpOp, LLVM::SelectOp,
             LLVM::SMaxOp, LLVM::SMinOp, LLVM::UMaxOp, LLVM::UMinOp>(op);
}

/// On other paths of the branch, the operands of a comparison may differ in sign even if the optimizer knows that they
/// agree in the arm, which LLVM's instruction records (samesign).
void comm::moveNumber(Operation *op, Operation *branch) {
  op->moveBefore(branch);
  if (isa<LLVM::ICmpOp>(op))
    op->setLoc(dropOrigin(op->getLoc()));
}

void comm::hoistNumbers(ArrayRef<Block *> blocks, Operation *branch, const DominanceInfo &dominance) {
  auto isKnown = [&](Value operand) { return dominance.properlyDominates(operand, branch); };
  for (Block *block : blocks)
    for (Operation &op : llvm::make_early_inc_range(*block))
      if (isCheap(&op) && llvm::all_of(op.getOperands(), isKnown))
        moveNumber(&op, branch);
}

bool comm::findMoves(Value value, Operation *branch, const DominanceInfo &dominance,
                     SmallVectorImpl<Operation *> &moves) {
  if (dominance.properlyDominates(value, branch))
    return true;
  Operation *op = value.getDefiningOp();
  // Do not move what is computed on one of the paths to the branch.
  if (!op || !isCheap(op) || moves.size() >= kMostHoisted || !dominance.properlyDominates(branch, op))
    return false;
  if (llvm::is_contained(moves, op))
    return true;
  for (Value operand : op->getOperands())
    if (!findMoves(operand, branch, dominance, moves))
      return false;
  moves.push_back(op);
  return true;
}

/// Returns true if both compute the same number unless one overflows.
static bool areSame(Operation *a, Operation *b) {
  return a && b && a->getName() == b->getName() && a->getOperands() == b->getOperands() &&
         a->getResultTypes() == b->getResultTypes() &&
         isa<LLVM::AddOp, LLVM::SubOp, LLVM::MulOp, LLVM::ShlOp, LLVM::SExtOp>(a);
}

static bool isPoison(Value value) { return isa_and_nonnull<LLVM::PoisonOp>(value.getDefiningOp()); }

static Value choose(Operation *branch, Value condition, Value ifTrue, Value ifFalse) {
  if (ifTrue == ifFalse || isPoison(ifFalse))
    return ifTrue;
  if (isPoison(ifTrue))
    return ifFalse;
  if (Operation *op = ifTrue.getDefiningOp(); areSame(op, ifFalse.getDefiningOp())) {
    OpBuilder builder(branch);
    Operation *same = builder.clone(*op);
    if (auto flags = dyn_cast<LLVM::IntegerOverflowFlagsInterface>(same))
      flags.setOverflowFlags(LLVM::IntegerOverflowFlags::none);
    return same->getResult(0);
  }
  OpBuilder builder(branch);
  return createSelect(builder, branch->getLoc(), condition, ifTrue, ifFalse);
}

/// Returns the only value that branches within an arm pass on, apart from poison, or else the value itself.
static Value lookThroughPoison(Value value) {
  constexpr unsigned mostBranches = 4;
  for (unsigned depth = 0; depth < mostBranches; ++depth) {
    auto argument = dyn_cast_if_present<BlockArgument>(value);
    Value passed = argument ? getOnlyPassedValue(argument) : Value();
    if (!passed)
      break;
    value = passed;
  }
  return value;
}

unsigned comm::hoistResults(const Unit &unit, const DominanceInfo &dominance) {
  std::optional<ConditionalBranch> branch = unit.isPiece() ? matchConditionalBranch(unit.op) : std::nullopt;
  if (!branch || !isa<LLVM::CondBrOp>(unit.op) || unit.leavesAbnormally() || unit.join->getNumArguments() == 0)
    return 0;
  // There must be one edge from each arm, or from the branch itself.
  SmallVector<BlockOperand *> edges(llvm::make_pointer_range(unit.join->getUses()));
  if (edges.size() != 2)
    return 0;
  auto findValue = [&](unsigned index, bool isTrue) -> Value {
    const BranchTarget &target = isTrue ? branch->ifTrue : branch->ifFalse;
    if (target.block == unit.join)
      return target.operands[index];
    // Otherwise the other arm may lead there as well: `c && d`.
    if (!target.block->getSinglePredecessor())
      return nullptr;
    Value found;
    for (BlockOperand *edge : edges) {
      Operation *end = edge->getOwner();
      if (end == unit.op || !dominance.dominates(target.block, end->getBlock()))
        continue;
      if (std::optional<BranchTarget> jump = matchBranch(end))
        found = jump->operands[index];
    }
    return found;
  };
  unsigned hoisted = 0;
  for (BlockArgument argument : unit.join->getArguments()) {
    if (argument.use_empty())
      continue;
    Value ifTrue = lookThroughPoison(findValue(argument.getArgNumber(), true));
    Value ifFalse = lookThroughPoison(findValue(argument.getArgNumber(), false));
    SmallVector<Operation *> moves;
    if (!ifTrue || !ifFalse || !findMoves(ifTrue, unit.op, dominance, moves) ||
        !findMoves(ifFalse, unit.op, dominance, moves))
      continue;
    for (Operation *op : moves)
      moveNumber(op, unit.op);
    argument.replaceAllUsesWith(choose(unit.op, branch->condition, ifTrue, ifFalse));
    ++hoisted;
  }
  return hoisted;
}

/// Returns all operations that may touch the variable.
static SmallVector<Operation *> getAccesses(const PrivateVariable &variable) {
  SmallVector<Operation *> accesses(variable.getOtherLoads().begin(), variable.getOtherLoads().end());
  for (auto [load, range] : variable.getLoads())
    accesses.push_back(load);
  for (auto [op, range] : variable.getChanges())
    accesses.push_back(op);
  return accesses;
}

/// Returns true if control may reach the block again before the unit ends.
static bool isRepeated(Block *block, const Unit &unit) {
  return llvm::any_of(block->getSuccessors(),
                      [&](Block *next) { return next != unit.join && next->isReachable(block, {unit.join}); });
}

/// Returns the store of the same value to the same variable that all paths through the arm execute once, before any
/// other access to it in the arm. Returns null if there is none.
static LLVM::StoreOp findTwin(LLVM::StoreOp store, Block *arm, const Unit &unit, DominanceInfo &dominance) {
  auto alloca = store.getAddr().getDefiningOp<LLVM::AllocaOp>();
  PrivateVariable variable(alloca);
  if (!variable.isNeverKnown())
    return {};
  auto isInArm = [&](Block *block) {
    return llvm::is_contained(unit.interior, block) && dominance.dominates(arm, block);
  };
  SmallVector<Operation *> accesses = getAccesses(variable);
  for (Operation *access : accesses) {
    auto twin = dyn_cast<LLVM::StoreOp>(access);
    if (!twin || !isPlainAccess(twin) || twin.getAddr() != store.getAddr() || twin.getValue() != store.getValue() ||
        !isInArm(twin->getBlock()))
      continue;
    bool isFirst = llvm::all_of(accesses, [&](Operation *other) {
      return other == access || !isInArm(other->getBlock()) || dominance.properlyDominates(twin, other);
    });
    bool isOnAllWays = llvm::all_of(unit.join->getPredecessors(), [&](Block *from) {
      return !isInArm(from) || dominance.dominates(twin->getBlock(), from);
    });
    return isFirst && isOnAllWays && !isRepeated(twin->getBlock(), unit) ? twin : LLVM::StoreOp();
  }
  return {};
}

unsigned comm::hoistStores(const Unit &unit, DominanceInfo &dominance) {
  std::optional<ConditionalBranch> branch = unit.isPiece() ? matchConditionalBranch(unit.op) : std::nullopt;
  if (!branch || !isa<LLVM::CondBrOp>(unit.op) || unit.leavesAbnormally())
    return 0;
  unsigned hoisted = 0;
  for (bool isTrue : {true, false}) {
    Block *first = (isTrue ? branch->ifTrue : branch->ifFalse).block;
    Block *other = (isTrue ? branch->ifFalse : branch->ifTrue).block;
    if (first == unit.join || other == unit.join || !first->getSinglePredecessor() || !other->getSinglePredecessor())
      continue;
    for (Operation &op : llvm::make_early_inc_range(*first)) {
      if (isMemoryEffectFree(&op))
        continue;
      auto store = dyn_cast<LLVM::StoreOp>(op);
      bool isKnown = store && isPlainAccess(store) && store.getAddr().getDefiningOp<LLVM::AllocaOp>() &&
                     dominance.properlyDominates(store.getValue(), unit.op) &&
                     dominance.properlyDominates(store.getAddr(), unit.op);
      LLVM::StoreOp twin = isKnown ? findTwin(store, other, unit, dominance) : LLVM::StoreOp();
      if (!twin)
        break;
      store->moveBefore(unit.op);
      twin.erase();
      ++hoisted;
    }
  }
  return hoisted;
}
