//===- EqualValues.cpp - Merge equal values -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units/EqualValues.h"

#include "Units/OwnIntervals.h"

#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

#include <map>
#include <tuple>

using namespace mlir;
using namespace comm;

/// Maximum distance of a load from the earlier one, in units.
static constexpr int kMostUnits = 512;

namespace {
/// What is loaded: the variable (by name) or pointer that the address is based on, the offset, and the type.
using Loaded = std::tuple<const void *, int64_t, const void *>;

/// Hashes operations that compute the same as one.
struct SameArithmetic : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return static_cast<unsigned>(OperationEquivalence::computeHash(
        const_cast<Operation *>(op), OperationEquivalence::directHashValue, OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations));
  }
  static bool isEqual(const Operation *a, const Operation *b) {
    auto isKey = [](const Operation *op) { return op != getEmptyKey() && op != getTombstoneKey(); };
    return a == b || (isKey(a) && isKey(b) &&
                      OperationEquivalence::isEquivalentTo(const_cast<Operation *>(a), const_cast<Operation *>(b),
                                                           OperationEquivalence::IgnoreLocations));
  }
};

/// Loads and stores of a function by what they access, which its chains share: most chains replace nothing, and so do
/// not change it.
class FunctionAccesses {
public:
  FunctionAccesses(const HoistedLoads &hoisted, const llvm::SetVector<Operation *> &useless)
      : hoisted(hoisted), useless(useless) {}
  /// Makes it match the function that contains `op` if operations have become useless since the last time.
  void update(Operation *op);
  ArrayRef<Operation *> find(const Loaded &loaded) const;

private:
  const HoistedLoads &hoisted;
  const llvm::SetVector<Operation *> &useless;
  /// The number of useless operations when it was computed, or -1.
  int64_t numUseless = -1;
  std::map<Loaded, SmallVector<Operation *, 2>> accesses;
};

class Merger {
public:
  Merger(const Chain &chain, MemoryOracle &oracle, const DependenceOptions &options, DominanceInfo &dominance,
         FunctionAccesses &accesses, const HoistedLoads &hoisted, llvm::SetVector<Operation *> &useless)
      : chain(chain), oracle(oracle), options(options), hoisted(hoisted), useless(useless), dominance(dominance),
        accesses(accesses) {}
  void run();

private:
  void visitLoad(LLVM::LoadOp load, int unit);
  Value findCarried(LLVM::LoadOp load);
  bool isFoundAtEnd(Operation *access, Block *end, LLVM::LoadOp load);
  Value findKnown(LLVM::LoadOp load);
  void visitLoadOfPiece(LLVM::LoadOp load, int unit);
  bool isStillThere(int from, int unit);
  bool mayChange(unsigned between, LLVM::LoadOp load, unsigned unit);
  bool isStillThereFor(LLVM::LoadOp load, int from, int unit);
  bool isForeign(LLVM::LoadOp load, unsigned unit, unsigned between);
  bool mayStandFor(Value value, LLVM::LoadOp load);
  void replace(Operation *op, Value value);

  /// What a load has found or a store has left, and the last unit where it is known to be still there.
  struct Found {
    Value value;
    /// -1: from the beginning of the chain.
    int unit;
  };
  const Chain &chain;
  MemoryOracle &oracle;
  const DependenceOptions &options;
  const HoistedLoads &hoisted;
  /// Of this chain and of those around it.
  llvm::SetVector<Operation *> &useless;
  std::optional<Dependence> dependence;
  DominanceInfo &dominance;
  std::map<Loaded, Found> found;
  FunctionAccesses &accesses;
  /// Whether the accesses match the function as this chain has found it.
  bool isUpdated = false;
  llvm::DenseSet<Operation *, SameArithmetic> computed;
};
} // namespace

static std::optional<Loaded> getLoaded(Operation *access, Value address, Type type) {
  int64_t offset = 0;
  Value base = stripConstantOffsets(address, DataLayout::closest(access), offset);
  if (!isPlainAccess(access) || base.getDefiningOp<LLVM::GEPOp>())
    return std::nullopt;
  auto variable = base.getDefiningOp<LLVM::AddressOfOp>();
  const void *begin = variable ? variable.getGlobalNameAttr().getAsOpaquePointer() : base.getAsOpaquePointer();
  return Loaded{begin, offset, type.getAsOpaquePointer()};
}

static std::optional<Loaded> getLoaded(LLVM::LoadOp load) { return getLoaded(load, load.getAddr(), load.getType()); }

/// Returns what a load of the same type would find.
static std::optional<Loaded> getLoaded(LLVM::StoreOp store) {
  return getLoaded(store, store.getAddr(), store.getValue().getType());
}

void FunctionAccesses::update(Operation *op) {
  if (numUseless == static_cast<int64_t>(useless.size()))
    return;
  numUseless = useless.size();
  accesses.clear();
  op->getParentOfType<FunctionOpInterface>()->walk([&](Operation *access) {
    auto load = dyn_cast<LLVM::LoadOp>(access);
    auto store = dyn_cast<LLVM::StoreOp>(access);
    std::optional<Loaded> accessed = load ? getLoaded(load) : store ? getLoaded(store) : std::nullopt;
    if (accessed && !hoisted.contains(load) && !useless.contains(access))
      accesses[*accessed].push_back(access);
  });
}

ArrayRef<Operation *> FunctionAccesses::find(const Loaded &loaded) const {
  auto it = accesses.find(loaded);
  return it == accesses.end() ? ArrayRef<Operation *>() : it->second;
}

/// Returns true if the operation always computes the same number from the same operands.
static bool isArithmetic(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 && op->getNumOperands() != 0 && isMemoryEffectFree(op) &&
         !isa<LLVM::FreezeOp, CallOpInterface>(op);
}

void Merger::replace(Operation *op, Value value) {
  op->getResult(0).replaceAllUsesWith(value);
  useless.insert(op);
}

/// Returns true if nothing after the unit `from` must precede the other unit, a load or question.
bool Merger::isStillThere(int from, int unit) {
  if (unit - from > kMostUnits)
    return false;
  if (!dependence)
    dependence.emplace(chain, oracle, options);
  auto load = dyn_cast<LLVM::LoadOp>(chain.getUnits()[unit].op);
  for (int between = from + 1; between < unit; ++between) {
    if (dependence->isFree(between) || useless.contains(chain.getUnits()[between].op))
      continue;
    // If a unit may not return, there is no second load to find its changes.
    Reason reason = dependence->getReason(between, unit);
    if (reason == Reason::Leaves && load && !mayChange(between, load, unit))
      continue;
    if (reason == Reason::Memory && load && isForeign(load, unit, between))
      continue;
    if (reason != Reason::None)
      return false;
  }
  return true;
}

/// Returns true if the program loads that while it receives what the unit `between` started. Loads hoisted out of
/// guards need not be the program's.
bool Merger::isForeign(LLVM::LoadOp load, unsigned unit, unsigned between) {
  return !hoisted.contains(load) && isForeignInFlight(chain, load, unit, between);
}

/// Returns true if the value may replace the load. The type of a load hoisted out of a guard says nothing about memory
/// that is used differently where the guard does not hold.
bool Merger::mayStandFor(Value value, LLVM::LoadOp load) {
  auto other = value.getDefiningOp<LLVM::LoadOp>();
  // It keeps its type and is not a stored value.
  bool keepsType = other && hoisted.lookup(other) && getLoaded(other) == getLoaded(load);
  return !keepsType || other.getTbaaAttr() == load.getTbaaAttr();
}

/// Returns true if the unit may write what the load, in a later unit, finds.
bool Merger::mayChange(unsigned between, LLVM::LoadOp load, unsigned unit) {
  ArrayRef<Unit> units = chain.getUnits();
  bool areLoops = units[between].isLoop || units[unit].isLoop, isChanged = false;
  units[between].walk([&](Operation *op) {
    Behavior behavior = isChanged ? Behavior() : oracle.getBehavior(op);
    isChanged |= behavior.synchronizes ||
                 (behavior.writes && (between == unit ? oracle.mayConflict(op, load, /*acrossIterations=*/true)
                                                      : oracle.mayConflictInPass(op, load, areLoops)));
  });
  return isChanged;
}

void Merger::visitLoad(LLVM::LoadOp load, int unit) {
  std::optional<Loaded> loaded = getLoaded(load);
  if (!loaded)
    return;
  auto [it, isFirst] = found.insert({*loaded, {load, unit}});
  Found &earlier = it->second;
  if (isFirst) {
    if (Value known = findKnown(load))
      return replace(load, earlier.value = known);
    Value carried = findCarried(load);
    if (!carried)
      return;
    earlier = {carried, -1};
  }
  if (mayStandFor(earlier.value, load) && isStillThere(earlier.unit, unit)) {
    replace(load, earlier.value);
    // The type of a load hoisted out of a guard may be wrong here, and it was used to rule out conflicts.
    if (!hoisted.contains(load))
      earlier.unit = unit;
  } else {
    earlier = {load, unit};
  }
}

/// Returns true if the load, at the end of the block, would find what that access to the same place has left, because
/// nothing changes it on any path.
bool Merger::isFoundAtEnd(Operation *access, Block *end, LLVM::LoadOp load) {
  if (!dominance.dominates(access, end->getTerminator()))
    return false;
  auto changes = [&](Operation &op) {
    Behavior behavior = oracle.getBehavior(&op);
    return behavior.synchronizes || (behavior.writes && oracle.mayConflict(&op, load, /*acrossIterations=*/true));
  };
  auto isChangedFrom = [&](Block::iterator begin, Block *block) {
    return llvm::any_of(llvm::make_range(begin, block->end()), changes);
  };
  Block *begin = access->getBlock();
  if (isChangedFrom(std::next(access->getIterator()), begin))
    return false;
  if (begin == end)
    return true;
  // Blocks on paths from there to the end that do not go through `begin` again.
  auto isBegin = [&](Block *block) { return block == begin; };
  SmallVector<Block *> first(begin->getSuccessors());
  llvm::SmallSetVector<Block *, 16> after = findReachable<Block>(first, isBegin);
  llvm::SmallSetVector<Block *, 16> before;
  before.insert(end);
  for (size_t i = 0; i < before.size(); ++i)
    for (Block *block : before[i]->getPredecessors())
      if (after.contains(block))
        before.insert(block);
  return llvm::none_of(before, [&](Block *block) { return isChangedFrom(block->begin(), block); });
}

/// Returns what an earlier store has left or an earlier load has found, if nothing has changed it since: a size or
/// array that the function creates, whatever loops load it again.
Value Merger::findKnown(LLVM::LoadOp load) {
  // Give up on memory with many accesses: a single one of them does not determine the value.
  constexpr size_t mostAccesses = 12;
  if (!isUpdated)
    accesses.update(load);
  isUpdated = true;
  ArrayRef<Operation *> ofPlace = accesses.find(*getLoaded(load));
  if (ofPlace.size() > mostAccesses)
    return {};
  for (Operation *access : llvm::reverse(ofPlace)) {
    bool isThere = access->getBlock() != load->getBlock() && !useless.contains(access) &&
                   isFoundAtEnd(access, load->getBlock(), load);
    if (isThere)
      return isa<LLVM::StoreOp>(access) ? access->getOperand(0) : access->getResult(0);
  }
  return {};
}

/// Returns the argument of a loop header that equals what the load finds at the beginning of the chain, if there is
/// one. LLVM passes on what the previous iteration has stored (`t = now; now = then; then = t`) and loads it again
/// after a wait.
Value Merger::findCarried(LLVM::LoadOp load) {
  Block *header = chain.getBlocks().front();
  if (header->hasNoPredecessors())
    return {};
  std::optional<Loaded> loaded = getLoaded(load);
  for (BlockArgument argument : header->getArguments()) {
    auto isStored = [&](BlockOperand &edge) {
      auto branch = dyn_cast<BranchOpInterface>(edge.getOwner());
      Value handed = branch ? branch.getSuccessorOperands(edge.getOperandNumber())[argument.getArgNumber()] : Value();
      return handed && llvm::any_of(handed.getUsers(), [&](Operation *user) {
               auto store = dyn_cast<LLVM::StoreOp>(user);
               return store && store.getValue() == handed && getLoaded(store) == loaded &&
                      isFoundAtEnd(store, edge.getOwner()->getBlock(), load);
             });
    };
    if (argument.getType() == load.getType() && llvm::all_of(header->getUses(), isStored))
      return argument;
  }
  return {};
}

/// Returns true if nothing after the unit `from` writes what the load of another unit, a branch or loop, finds, and
/// that unit itself does not write it in any iteration.
bool Merger::isStillThereFor(LLVM::LoadOp load, int from, int unit) {
  if (unit - from > kMostUnits)
    return false;
  return llvm::none_of(llvm::seq(from + 1, unit + 1),
                       [&](int between) { return mayChange(between, load, unit) && !isForeign(load, unit, between); });
}

/// Handles what a branch or loop loads from one place in all of its iterations, under a guard that prevents LLVM from
/// hoisting the load (the number of columns, if there may be no rows).
void Merger::visitLoadOfPiece(LLVM::LoadOp load, int unit) {
  std::optional<Loaded> loaded = getLoaded(load);
  auto it = loaded ? found.find(*loaded) : found.end();
  if (Value stored = loaded && it == found.end() ? findKnown(load) : Value())
    return replace(load, stored);
  if (it != found.end() && mayStandFor(it->second.value, load) && isStillThereFor(load, it->second.unit, unit))
    replace(load, it->second.value);
}

void Merger::run() {
  for (int index = 0, number = chain.getUnits().size(); index < number; ++index) {
    const Unit &unit = chain.getUnits()[index];
    if (unit.isPiece()) {
      unit.walk([&](Operation *op) {
        if (auto load = dyn_cast<LLVM::LoadOp>(op); load && !useless.contains(op) && !hoisted.contains(op))
          visitLoadOfPiece(load, index);
        bool isAsked = !useless.contains(op) && isArithmetic(op);
        if (auto it = isAsked ? computed.find(op) : computed.end(); it != computed.end())
          replace(op, (*it)->getResult(0));
      });
      continue;
    }
    if (useless.contains(unit.op))
      continue;
    if (auto load = dyn_cast<LLVM::LoadOp>(unit.op)) {
      visitLoad(load, index);
    } else if (auto store = dyn_cast<LLVM::StoreOp>(unit.op)) {
      if (std::optional<Loaded> stored = getLoaded(store))
        found[*stored] = {store.getValue(), index};
    } else if (isArithmetic(unit.op) || isQuestion(unit.op)) {
      auto [it, isFirst] = computed.insert(unit.op);
      if (!isFirst && (!isQuestion(unit.op) || isStillThere(chain.findUnit(*it), index)))
        replace(unit.op, (*it)->getResult(0));
    }
  }
}

void comm::mergeEqualValues(ArrayRef<Chain *> chains, MemoryOracle &oracle, const DependenceOptions &options,
                            DominanceInfo &dominance, const HoistedLoads &hoisted,
                            llvm::SetVector<Operation *> &useless) {
  FunctionAccesses accesses(hoisted, useless);
  for (const Chain *chain : chains)
    Merger(*chain, oracle, options, dominance, accesses, hoisted, useless).run();
}

/// Returns the operand that all edges pass, or null. Edges that pass poison are ignored if the operand is available at
/// the block.
static Value getCommonOperand(BlockArgument argument, DominanceInfo &dominance) {
  Value common = getOnlyPassedValue(argument);
  // Another argument of the block is then that of the next iteration.
  if (!common || common.getParentBlock() == argument.getOwner())
    return nullptr;
  if (llvm::all_of(*getPassedValues(argument), [&](Value each) { return each == common; }))
    return common;
  // The result of an invoke is available on only one of its edges.
  Operation *definition = common.getDefiningOp();
  bool isOfEdge = definition && definition->hasTrait<OpTrait::IsTerminator>();
  return !isOfEdge && dominance.properlyDominates(common, &argument.getOwner()->front()) ? common : Value();
}

/// Returns the only value that an argument stands for if it is passed from argument to argument, possibly through
/// selects (`i < n ? u : v`, where u was v). The value is available in all of these blocks. Returns null if there are
/// several.
static Value findOrigin(BlockArgument argument, DominanceInfo &dominance) {
  constexpr size_t mostValues = 16;
  llvm::SmallSetVector<Value, 8> handed;
  handed.insert(argument);
  Value origin;
  for (size_t i = 0; i < handed.size(); ++i) {
    SmallVector<Value> sources;
    if (auto select = handed[i].getDefiningOp<LLVM::SelectOp>()) {
      sources = {select.getTrueValue(), select.getFalseValue()};
    } else {
      std::optional<SmallVector<Value>> passed = getPassedValues(cast<BlockArgument>(handed[i]));
      if (!passed)
        return {};
      sources = *passed;
    }
    for (Value source : sources) {
      auto from = dyn_cast<BlockArgument>(source);
      if (source.getDefiningOp<LLVM::SelectOp>() || (from && !from.getOwner()->isEntryBlock()))
        handed.insert(source);
      else if (origin && origin != source)
        return {};
      else
        origin = source;
    }
    if (handed.size() > mostValues)
      return {};
  }
  bool isThere = origin && llvm::all_of(handed, [&](Value value) {
                   return dominance.properlyDominates(origin, &value.getParentBlock()->front());
                 });
  return isThere ? origin : Value();
}

bool comm::replaceCommonArguments(Region &region, DominanceInfo &dominance) {
  bool isAny = false, isChanged = true;
  while (isChanged) {
    isChanged = false;
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments()) {
        if (argument.use_empty())
          continue;
        Value common = getCommonOperand(argument, dominance);
        if (!common)
          common = findOrigin(argument, dominance);
        if (!common)
          continue;
        argument.replaceAllUsesWith(common);
        isAny = isChanged = true;
      }
  }
  return isAny;
}
