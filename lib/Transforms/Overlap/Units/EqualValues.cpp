//===- EqualValues.cpp - One value where there are two of it ---------------===//
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
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

#include <map>
#include <tuple>

using namespace mlir;
using namespace comm;

/// Units that a load may be away from the one before it.
static constexpr unsigned kMostUnits = 512;

namespace {
/// What is loaded: the variable (by its name) or pointer that the address begins with, the bytes from there, the type.
using Loaded = std::tuple<const void *, int64_t, const void *>;

/// Operations that compute the same are one.
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

class Merger {
public:
  Merger(const Chain &chain, MemoryOracle &oracle, const DependenceOptions &options, const HoistedLoads &hoisted,
         llvm::SetVector<Operation *> &useless)
      : chain(chain), oracle(oracle), options(options), hoisted(hoisted), useless(useless) {}
  void run();

private:
  void visitLoad(LLVM::LoadOp load, unsigned unit);
  void visitLoadOfPiece(LLVM::LoadOp load, unsigned unit);
  bool isStillThere(unsigned from, unsigned unit);
  bool mayChange(unsigned between, LLVM::LoadOp load, unsigned unit);
  bool isStillThereFor(LLVM::LoadOp load, unsigned from, unsigned unit);
  bool isForeign(LLVM::LoadOp load, unsigned unit, unsigned between);
  bool mayStandFor(Value value, LLVM::LoadOp load);
  void replace(Operation *op, Value value);

  /// What a load has found or a store has put there, and the unit up to which it is still there.
  struct Found {
    Value value;
    unsigned unit;
  };
  const Chain &chain;
  MemoryOracle &oracle;
  const DependenceOptions &options;
  const HoistedLoads &hoisted;
  /// Of this chain and of those around it.
  llvm::SetVector<Operation *> &useless;
  std::optional<Dependence> dependence;
  std::map<Loaded, Found> found;
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

/// What a load of the same type would find.
static std::optional<Loaded> getLoaded(LLVM::StoreOp store) {
  return getLoaded(store, store.getAddr(), store.getValue().getType());
}

/// Gives the same number for the same operands, every time.
static bool isArithmetic(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 && op->getNumOperands() != 0 && isMemoryEffectFree(op) &&
         !isa<LLVM::FreezeOp, CallOpInterface>(op);
}

void Merger::replace(Operation *op, Value value) {
  op->getResult(0).replaceAllUsesWith(value);
  useless.insert(op);
}

/// Whether nothing after the unit `from` has to come before a load or question, which is the other unit.
bool Merger::isStillThere(unsigned from, unsigned unit) {
  if (unit - from > kMostUnits)
    return false;
  if (!dependence)
    dependence.emplace(chain, oracle, options);
  auto load = dyn_cast<LLVM::LoadOp>(chain.getUnits()[unit].op);
  for (unsigned between = from + 1; between < unit; ++between) {
    if (dependence->isFree(between) || useless.contains(chain.getUnits()[between].op))
      continue;
    // What may not come back leaves nothing for the second load to find.
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

/// Whether the program loads that while it receives what the unit `between` started. What came out of a guard, it need
/// not load.
bool Merger::isForeign(LLVM::LoadOp load, unsigned unit, unsigned between) {
  return !hoisted.contains(load) && isForeignInFlight(chain, load, unit, between);
}

/// Whether the value may be used in place of the load. One that came out of a guard has a type that says nothing of
/// memory which is used for something else where the guard does not hold.
bool Merger::mayStandFor(Value value, LLVM::LoadOp load) {
  auto other = value.getDefiningOp<LLVM::LoadOp>();
  // It keeps its type, and was not stored.
  bool keepsType = other && hoisted.lookup(other) && getLoaded(other) == getLoaded(load);
  return !keepsType || other.getTbaaAttr() == load.getTbaaAttr();
}

/// Whether the unit may write what the load finds, which is in a unit after it.
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

void Merger::visitLoad(LLVM::LoadOp load, unsigned unit) {
  std::optional<Loaded> loaded = getLoaded(load);
  if (!loaded)
    return;
  auto [it, isFirst] = found.insert({*loaded, {load, unit}});
  Found &earlier = it->second;
  if (!isFirst && mayStandFor(earlier.value, load) && isStillThere(earlier.unit, unit)) {
    replace(load, earlier.value);
    // Of a load that came out of a guard its type may not be true here, by which it was told apart.
    if (!hoisted.contains(load))
      earlier.unit = unit;
  } else {
    earlier = {load, unit};
  }
}

/// Whether nothing after the unit `from` writes what the load of another unit, a branch or loop, finds: nor does that
/// unit itself, in whatever iteration.
bool Merger::isStillThereFor(LLVM::LoadOp load, unsigned from, unsigned unit) {
  if (unit - from > kMostUnits)
    return false;
  return llvm::none_of(llvm::seq(from + 1, unit + 1), [&](unsigned between) {
    return mayChange(between, load, unit) && !isForeign(load, unit, between);
  });
}

/// What a branch or loop loads from one place in all of its iterations, under a guard that keeps LLVM from loading it
/// before the loop (the number of columns, where there may be no rows).
void Merger::visitLoadOfPiece(LLVM::LoadOp load, unsigned unit) {
  std::optional<Loaded> loaded = getLoaded(load);
  auto it = loaded ? found.find(*loaded) : found.end();
  if (it != found.end() && mayStandFor(it->second.value, load) && isStillThereFor(load, it->second.unit, unit))
    replace(load, it->second.value);
}

void Merger::run() {
  for (unsigned index = 0; index < chain.getUnits().size(); ++index) {
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

void comm::mergeEqualValues(const Chain &chain, MemoryOracle &oracle, const DependenceOptions &options,
                            const HoistedLoads &hoisted, llvm::SetVector<Operation *> &useless) {
  Merger(chain, oracle, options, hoisted, useless).run();
}

/// The operand that all edges hand over, or null. Where some hand over poison, what the others do is as good, if it is
/// there.
static Value getCommonOperand(BlockArgument argument, DominanceInfo &dominance) {
  Value common = getOnlyPassedValue(argument);
  // Another argument of the block is the next iteration's by then.
  if (!common || common.getParentBlock() == argument.getOwner())
    return nullptr;
  if (llvm::all_of(*getPassedValues(argument), [&](Value each) { return each == common; }))
    return common;
  // What an invoke gives is there on one of its edges.
  Operation *definition = common.getDefiningOp();
  bool isOfEdge = definition && definition->hasTrait<OpTrait::IsTerminator>();
  return !isOfEdge && dominance.properlyDominates(common, &argument.getOwner()->front()) ? common : Value();
}

bool comm::replaceCommonArguments(Region &region) {
  DominanceInfo dominance;
  bool isAny = false, isChanged = true;
  while (isChanged) {
    isChanged = false;
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        if (Value common = argument.use_empty() ? Value() : getCommonOperand(argument, dominance)) {
          argument.replaceAllUsesWith(common);
          isAny = isChanged = true;
        }
  }
  return isAny;
}
