//===- HoistAddresses.cpp - What messages need, before those before them --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units/HoistAddresses.h"

#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/Dialect/Comm/Utils/Origin.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <map>
#include <set>

using namespace mlir;
using namespace comm;

/// Loads and arithmetic that one argument may need, and units that they may pass.
static constexpr unsigned kMostSteps = 12, kMostUnits = 64;

namespace {
class Hoister {
public:
  Hoister(const Chain &chain, MemoryOracle &oracle, const DependenceOptions &options)
      : chain(chain), dependence(chain, oracle, options) {}
  bool run();
  bool raise(ArrayRef<LLVM::LoadOp> loads);

private:
  bool collect(Value value, unsigned target, std::set<unsigned> &needed);
  bool mayPass(unsigned unit, unsigned target, const std::set<unsigned> &needed);
  bool hoist(Value value, unsigned target);

  const Chain &chain;
  Dependence dependence;
  /// Units that have been put in front of a start, and of which one.
  std::map<unsigned, unsigned> hoisted;
};
} // namespace

/// The units from `target` on that the value is computed by: loads, arithmetic and questions. False if others are.
bool Hoister::collect(Value value, unsigned target, std::set<unsigned> &needed) {
  int unit = chain.findDefiningUnit(value);
  if (unit < static_cast<int>(target))
    return true;
  auto moved = hoisted.find(unit);
  if (moved != hoisted.end())
    return moved->second <= target;
  Operation *op = chain.getUnits()[unit].isPiece() ? nullptr : value.getDefiningOp();
  if (!op || op != chain.getUnits()[unit].op || (!isa<LLVM::LoadOp>(op) && !isQuestion(op) && !dependence.isFree(unit)))
    return false;
  if (!needed.insert(unit).second)
    return true;
  return needed.size() <= kMostSteps && unit - target <= kMostUnits &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return collect(operand, target, needed); });
}

/// Whether nothing from `target` on has to come before the unit, apart from what goes with it.
bool Hoister::mayPass(unsigned unit, unsigned target, const std::set<unsigned> &needed) {
  for (unsigned other = target; other < unit; ++other)
    if (!needed.count(other) && !hoisted.count(other) && dependence.mustPrecede(other, unit))
      return false;
  return true;
}

bool Hoister::hoist(Value value, unsigned target) {
  std::set<unsigned> needed;
  if (!collect(value, target, needed) || needed.empty() ||
      !llvm::all_of(needed, [&](unsigned unit) { return mayPass(unit, target, needed); }))
    return false;
  for (unsigned unit : needed) {
    chain.getUnits()[unit].op->moveBefore(chain.getUnits()[target].op);
    hoisted[unit] = target;
  }
  return true;
}

/// Whether the unit is a start, or a branch with one.
static bool hasStart(const Unit &unit) {
  if (!unit.isPiece()) {
    std::optional<Interval> interval = getInterval(unit.op);
    return interval && interval->start == unit.op;
  }
  bool isOne = false;
  if (!unit.isLoop)
    unit.walk([&](Operation *op) { isOne |= op->hasAttr(kFollowedAttrName) || getInterval(op); });
  return isOne;
}

/// What was asked about the datatypes of a start.
static void addAsked(Operation *op, llvm::SmallSetVector<Value, 8> &used) {
  auto start = dyn_cast<MPIOpInterface>(op);
  if (!start)
    return;
  for (const BufferAccess &access : start.getAccesses()) {
    std::optional<AskedLayout> asked =
        access.datatype ? findAskedLayout(getHandle(access.datatype), start) : std::nullopt;
    if (asked)
      used.insert_range(asked->getValues());
  }
}

/// What the unit is computed from, or known by, as far as that comes from before it.
static llvm::SmallSetVector<Value, 8> getUsed(const Unit &unit) {
  llvm::SmallSetVector<Value, 8> used(unit.op->operand_begin(), unit.op->operand_end());
  addAsked(unit.op, used);
  SmallPtrSet<Block *, 8> interior(unit.interior.begin(), unit.interior.end());
  for (Block *block : interior)
    for (Operation &op : *block)
      for (Value operand : op.getOperands())
        if (!interior.contains(operand.getParentBlock()))
          used.insert(operand);
  return used;
}

bool Hoister::run() {
  SmallVector<unsigned> starts;
  for (auto [index, unit] : llvm::enumerate(chain.getUnits())) {
    if (dependence.isFence(index))
      starts.clear();
    if (!hasStart(unit))
      continue;
    for (Value operand : getUsed(unit))
      for (unsigned start : starts)
        if (hoist(operand, start))
          break;
    starts.push_back(index);
  }
  return !hoisted.empty();
}

/// The loads of the chain come before what they do not depend on.
bool Hoister::raise(ArrayRef<LLVM::LoadOp> loads) {
  // The first unit that is more than a load or arithmetic.
  unsigned first = 0;
  for (const Unit &unit : chain.getUnits()) {
    if (unit.isPiece() || (!isa<LLVM::LoadOp>(unit.op) && !dependence.isFree(first)))
      break;
    ++first;
  }
  for (LLVM::LoadOp load : loads)
    if (chain.findUnit(load) > static_cast<int>(first))
      hoist(load, first);
  return !hoisted.empty();
}

bool comm::hoistAddresses(const Chain &chain, MemoryOracle &oracle, const DependenceOptions &options) {
  return Hoister(chain, oracle, options).run();
}

//===----------------------------------------------------------------------===//
// Arms
//===----------------------------------------------------------------------===//

static Value getBase(LLVM::LoadOp load) {
  int64_t offset = 0;
  return stripConstantOffsets(load.getAddr(), DataLayout::closest(load), offset);
}

/// What is loaded in an arm, too, has been loaded by the function, from the same variable or pointer, in front of it.
static bool isLoadedBefore(LLVM::LoadOp load, DominanceInfo &dominance) {
  Value base = getBase(load);
  auto isBefore = [&](Operation *user) {
    auto other = dyn_cast<LLVM::LoadOp>(user);
    return other && other != load && other.getType() == load.getType() && getBase(other) == base &&
           other->getBlock() != load->getBlock() &&
           dominance.properlyDominates(other.getOperation(), load.getOperation());
  };
  SmallVector<Value> work{base};
  while (!work.empty())
    for (Operation *user : work.pop_back_val().getUsers()) {
      if (isBefore(user))
        return true;
      if (auto gep = dyn_cast<LLVM::GEPOp>(user); gep && gep.getDynamicIndices().empty())
        work.push_back(gep);
    }
  return false;
}

/// Of an arm of a branch.
static SmallVector<LLVM::LoadOp> findRepeatedLoads(const Chain &chain) {
  Block *before = chain.getBlocks().front()->getSinglePredecessor();
  if (!before || before->getNumSuccessors() < 2)
    return {};
  DominanceInfo dominance;
  SmallVector<LLVM::LoadOp> loads;
  for (const Unit &unit : chain.getUnits()) {
    auto load = unit.isPiece() ? LLVM::LoadOp() : dyn_cast<LLVM::LoadOp>(unit.op);
    if (load && isPlainAccess(load) && isLoadedBefore(load, dominance))
      loads.push_back(load);
  }
  return loads;
}

bool comm::repeatsLoads(const Chain &chain) { return !findRepeatedLoads(chain).empty(); }

bool comm::raiseLoadsOfArm(const Chain &chain, MemoryOracle &oracle, const DependenceOptions &options) {
  SmallVector<LLVM::LoadOp> loads = findRepeatedLoads(chain);
  return !loads.empty() && Hoister(chain, oracle, options).raise(loads);
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

namespace {
/// Bytes that a load or store touches, from a pointer.
struct AccessedBytes {
  Value base;
  int64_t offset = 0;
  uint64_t size = 0;

  bool contains(const AccessedBytes &other) const {
    return base == other.base && offset <= other.offset &&
           other.offset + static_cast<int64_t>(other.size) <= offset + static_cast<int64_t>(size);
  }
};

class GuardHoister {
public:
  GuardHoister(const Chain &chain, MemoryOracle &oracle, llvm::SetVector<Operation *> &hoisted)
      : chain(chain), oracle(oracle), hoisted(hoisted) {}
  bool run();

private:
  void visit(Block *block, unsigned unit);
  uint64_t findAlignment(LLVM::LoadOp load, unsigned unit);
  void hoist(LLVM::LoadOp load, unsigned unit);

  const Chain &chain;
  MemoryOracle &oracle;
  llvm::SetVector<Operation *> &hoisted;
  DominanceInfo dominance;
  bool changed = false;
};
} // namespace

/// None for accesses that are not plain, or of no known bytes.
static std::optional<AccessedBytes> getBytes(Operation *op) {
  if (!isPlainAccess(op))
    return std::nullopt;
  auto load = dyn_cast<LLVM::LoadOp>(op);
  auto store = dyn_cast<LLVM::StoreOp>(op);
  DataLayout layout = DataLayout::closest(op);
  llvm::TypeSize size = layout.getTypeSize(load ? load.getType() : store.getValue().getType());
  if (size.isScalable())
    return std::nullopt;
  AccessedBytes bytes{load ? load.getAddr() : store.getAddr(), 0, size.getFixedValue()};
  bytes.base = stripConstantOffsets(bytes.base, layout, bytes.offset);
  return bytes;
}

/// What the address of the access is a multiple of, as it says itself.
static uint64_t getAlignment(Operation *op) {
  auto load = dyn_cast<LLVM::LoadOp>(op);
  auto store = dyn_cast<LLVM::StoreOp>(op);
  if (std::optional<uint64_t> alignment = load ? load.getAlignment() : store.getAlignment())
    return *alignment;
  return DataLayout::closest(op).getTypeABIAlignment(load ? load.getType() : store.getValue().getType());
}

/// What the address of bytes is a multiple of that are `distance` bytes after those of a known alignment.
static uint64_t getAlignmentAt(uint64_t alignment, int64_t distance) {
  return llvm::MinAlign(alignment, static_cast<uint64_t>(distance));
}

/// Whether the life of a variable has begun at that place, and is not over.
static bool isAlive(LLVM::AllocaOp variable, Operation *place, DominanceInfo &dominance) {
  SmallPtrSet<Block *, 4> begins;
  SmallVector<Operation *> ends;
  for (Operation *user : variable->getUsers()) {
    if (isa<LLVM::LifetimeStartOp>(user) && !dominance.properlyDominates(user, place))
      return false;
    if (isa<LLVM::LifetimeStartOp>(user))
      begins.insert(user->getBlock());
    if (isa<LLVM::LifetimeEndOp>(user))
      ends.push_back(user);
  }
  // No way leads there from an end but through a begin.
  return llvm::none_of(ends, [&](Operation *end) {
    if (end->getBlock() == place->getBlock() && end->isBeforeInBlock(place))
      return true;
    SmallPtrSet<Block *, 16> seen;
    SmallVector<Block *> work{end->getBlock()};
    while (!work.empty())
      for (Block *next : work.pop_back_val()->getSuccessors())
        if (!begins.contains(next) && seen.insert(next).second)
          work.push_back(next);
    return seen.contains(place->getBlock());
  });
}

/// The alignment of the bytes if they are those of a variable at file scope or of the frame that is there at that
/// place, else 0. One that is declared weak may be missing.
static uint64_t findAlignmentInVariable(const AccessedBytes &bytes, Operation *place, DominanceInfo &dominance) {
  Type type;
  std::optional<uint64_t> alignment;
  if (auto address = bytes.base.getDefiningOp<LLVM::AddressOfOp>()) {
    auto variable = SymbolTable::lookupNearestSymbolFrom<LLVM::GlobalOp>(address, address.getGlobalNameAttr());
    if (!variable || variable.getLinkage() == LLVM::Linkage::ExternWeak)
      return 0;
    type = variable.getGlobalType();
    alignment = variable.getAlignment();
  } else if (auto variable = bytes.base.getDefiningOp<LLVM::AllocaOp>()) {
    std::optional<int64_t> count = getConstantInteger(variable.getArraySize());
    if (!variable->getBlock()->isEntryBlock() || !count || *count < 1 || !isAlive(variable, place, dominance))
      return 0;
    type = variable.getElemType();
    alignment = variable.getAlignment();
  }
  if (!type || bytes.offset < 0)
    return 0;
  llvm::TypeSize size = DataLayout::closest(bytes.base.getDefiningOp()).getTypeSize(type);
  bool isInside = !size.isScalable() && bytes.offset + bytes.size <= size.getFixedValue();
  return isInside ? getAlignmentAt(alignment.value_or(1), bytes.offset) : 0;
}

/// Whether memory may be gone after the operation: a call, or an operation of MPI that calls functions of the program
/// (MPI_Comm_free, for attributes) or frees what MPI has allocated (MPI_Win_free). Messages free nothing.
static bool mayGiveBack(Operation *op) {
  return isa<MPIOpInterface>(op) ? getCommRole(op) == CommRole::Ordered : isa<CallOpInterface>(op);
}

/// The alignment of the bytes in front of the unit, or 0 if they may not be valid memory there: a variable is always
/// there; what a pointer leads to is if the chain has accessed it, and nothing has freed it.
uint64_t GuardHoister::findAlignment(LLVM::LoadOp load, unsigned unit) {
  std::optional<AccessedBytes> bytes = getBytes(load);
  if (!bytes)
    return 0;
  if (uint64_t alignment = findAlignmentInVariable(*bytes, chain.getUnits()[unit].op, dominance))
    return alignment;
  for (unsigned other = unit; other-- > 0 && unit - other <= kMostUnits;) {
    const Unit &before = chain.getUnits()[other];
    std::optional<AccessedBytes> accessed = before.isPiece() ? std::nullopt : getBytes(before.op);
    if (accessed && accessed->contains(*bytes))
      return getAlignmentAt(getAlignment(before.op), bytes->offset - accessed->offset);
    bool mayFree = false;
    before.walk([&](Operation *op) {
      bool isOver = isa<LLVM::LifetimeEndOp>(op) && llvm::is_contained(op->getOperands(), bytes->base);
      mayFree |= isOver || (mayGiveBack(op) && oracle.mayConflict(op, load, /*acrossIterations=*/true));
    });
    if (mayFree)
      return 0;
  }
  return 0;
}

void GuardHoister::hoist(LLVM::LoadOp load, unsigned unit) {
  Operation *place = chain.getUnits()[unit].op;
  ArrayRef<Block *> interior = chain.getUnits()[unit].interior;
  uint64_t alignment = findAlignment(load, unit);
  if (!alignment)
    return;
  SmallVector<Operation *> address;
  for (Value value = load.getAddr(); llvm::is_contained(interior, value.getParentBlock());) {
    auto gep = value.getDefiningOp<LLVM::GEPOp>();
    if (!gep || !gep.getDynamicIndices().empty())
      return;
    address.push_back(gep);
    value = gep.getBase();
  }
  for (Operation *op : llvm::reverse(address))
    op->moveBefore(place);
  load->moveBefore(place);
  // The guard may have asked for it.
  load.setAlignment(std::min(alignment, getAlignment(load)));
  hoisted.insert(load);
  changed = true;
}

/// The block, which control comes to from the unit's beginning alone, and those after it, until something is written.
void GuardHoister::visit(Block *block, unsigned unit) {
  if (!llvm::is_contained(chain.getUnits()[unit].interior, block) || !block->getSinglePredecessor())
    return;
  for (Operation &op : llvm::make_early_inc_range(block->without_terminator())) {
    if (oracle.getBehavior(&op).isPure())
      continue;
    auto load = dyn_cast<LLVM::LoadOp>(op);
    if (!load || !getBytes(load))
      return;
    hoist(load, unit);
  }
  if (isMemoryEffectFree(block->getTerminator()))
    for (Block *next : block->getSuccessors())
      visit(next, unit);
}

bool GuardHoister::run() {
  // A guard is a branch. An invoke may write what its continuation loads.
  for (auto [index, unit] : llvm::enumerate(chain.getUnits()))
    if (unit.isPiece() && isMemoryEffectFree(unit.op))
      for (Block *block : unit.op->getSuccessors())
        visit(block, index);
  return changed;
}

bool comm::hoistOutOfGuards(const Chain &chain, MemoryOracle &oracle, llvm::SetVector<Operation *> &hoisted) {
  return GuardHoister(chain, oracle, hoisted).run();
}

void comm::forgetGuards(const llvm::SetVector<Operation *> &hoisted) {
  for (Operation *op : hoisted) {
    auto load = cast<LLVM::LoadOp>(op);
    op->setLoc(dropOrigin(op->getLoc()));
    load.setInvariant(false);
    load.setInvariantGroup(false);
    load.setDereferenceableAttr({});
    load.setTbaaAttr({});
    load.setAliasScopesAttr({});
    load.setNoaliasScopesAttr({});
    load.setAccessGroupsAttr({});
  }
}
