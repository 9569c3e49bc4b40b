//===- HoistAddresses.cpp - Load what messages need earlier ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units/HoistAddresses.h"

#include "Units/ArmNumbers.h"
#include "Units/OwnIntervals.h"
#include "Units/TypeTags.h"

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

/// Limits on the loads and arithmetic that one argument may need, and on the units that they may pass.
static constexpr unsigned kMostSteps = 12, kMostUnits = 64, kMostUnitsAhead = 256;
/// Limit on comparisons of a loop's loads with its writes.
static constexpr unsigned kMostPairs = 500;

namespace {
class Hoister {
public:
  Hoister(Chain &chain, MemoryOracle &oracle, const DependenceOptions &options)
      : chain(chain), oracle(oracle), dependence(chain, oracle, options) {}
  void run();
  /// Hoists the operands of loops whose value is used before waits. Comes after run(), which moves them farther.
  void runForValues();
  void raise(ArrayRef<LLVM::LoadOp> loads);
  /// Moves what was found. Returns false if nothing was.
  bool apply();

private:
  bool mayMove(unsigned unit);
  bool collect(Value value, unsigned target, std::set<unsigned> &needed);
  bool mayPass(unsigned unit, unsigned target, const std::set<unsigned> &needed);
  bool hoist(Value value, unsigned target);

  Chain &chain;
  MemoryOracle &oracle;
  Dependence dependence;
  /// Units to move, with the unit before which they go, and the order in which they were found.
  std::map<unsigned, unsigned> hoisted;
  SmallVector<unsigned> inOrder;
};
} // namespace

bool comm::onlyLoads(const Unit &unit, MemoryOracle &oracle) {
  bool onlyLoads = !unit.isLoop && !unit.leavesAbnormally();
  unit.walk([&](Operation *op) {
    onlyLoads &= op->hasTrait<OpTrait::IsTerminator>() || isa<LLVM::LoadOp>(op) || oracle.getBehavior(op).isPure();
  });
  return onlyLoads;
}

bool comm::givesValue(const Unit &unit) {
  return unit.isPiece() && llvm::any_of(unit.join->getArguments(), [](Value value) { return !value.use_empty(); });
}

/// Returns true for loads, arithmetic and questions, and for branches that contain nothing else.
bool Hoister::mayMove(unsigned index) {
  const Unit &unit = chain.getUnits()[index];
  return unit.isPiece() ? onlyLoads(unit, oracle)
                        : isa<LLVM::LoadOp>(unit.op) || isQuestion(unit.op) || dependence.isFree(index);
}

/// Collects the units from `target` on that compute the value. Returns false if some of them may not move.
bool Hoister::collect(Value value, unsigned target, std::set<unsigned> &needed) {
  int unit = chain.findDefiningUnit(value);
  if (unit < static_cast<int>(target))
    return true;
  auto moved = hoisted.find(unit);
  if (moved != hoisted.end())
    return moved->second <= target;
  if (!mayMove(unit))
    return false;
  if (!needed.insert(unit).second)
    return true;
  if (needed.size() > kMostSteps || unit - target > kMostUnits)
    return false;
  bool isKnown = true;
  chain.getUnits()[unit].walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      isKnown = isKnown && (chain.findDefiningUnit(operand) == unit || collect(operand, target, needed));
  });
  return isKnown;
}

/// Returns true if nothing from `target` on must precede the unit, apart from what moves with it.
bool Hoister::mayPass(unsigned unit, unsigned target, const std::set<unsigned> &needed) {
  auto load = dyn_cast<LLVM::LoadOp>(chain.getUnits()[unit].op);
  for (unsigned other = target; other < unit; ++other) {
    if (needed.count(other) || hoisted.count(other))
      continue;
    Reason reason = dependence.getReason(other, unit);
    bool isForeign = reason == Reason::Memory && load && isForeignInFlight(chain, load, unit, other);
    if (reason != Reason::None && !isForeign)
      return false;
  }
  return true;
}

bool Hoister::hoist(Value value, unsigned target) {
  std::set<unsigned> needed;
  if (!collect(value, target, needed) || needed.empty() ||
      !llvm::all_of(needed, [&](unsigned unit) { return mayPass(unit, target, needed); }))
    return false;
  for (unsigned unit : needed) {
    hoisted[unit] = target;
    inOrder.push_back(unit);
  }
  return true;
}

bool Hoister::apply() {
  if (hoisted.empty())
    return false;
  SmallVector<unsigned> order;
  for (unsigned unit = 0; unit < chain.getUnits().size(); ++unit) {
    llvm::copy_if(inOrder, std::back_inserter(order), [&](unsigned other) { return hoisted[other] == unit; });
    if (!hoisted.count(unit))
      order.push_back(unit);
  }
  chain.reorder(order);
  return true;
}

static bool isStartOfInterval(Operation *op) {
  std::optional<Interval> interval = getInterval(op);
  return interval && interval->start == op;
}

/// Returns true if the unit is a start, or a branch with one.
static bool hasStart(const Unit &unit) {
  if (!unit.isPiece())
    return isStartOfInterval(unit.op);
  bool isOne = false;
  if (!unit.isLoop)
    unit.walk([&](Operation *op) { isOne |= op->hasAttr(kFollowedAttrName) || getInterval(op); });
  return isOne;
}

/// Adds the results of questions about the datatypes of a start.
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

/// Returns the values from before the unit that it is computed from, or that describe it.
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

void Hoister::run() {
  SmallVector<unsigned> targets;
  for (auto [index, unit] : llvm::enumerate(chain.getUnits())) {
    if (dependence.isFence(index))
      targets.clear();
    bool isStart = hasStart(unit);
    if (isStart)
      for (Value operand : getUsed(unit))
        for (unsigned target : targets)
          if (hoist(operand, target))
            break;
    if (isStart || (unit.isPiece() && unit.isLoop))
      targets.push_back(index);
  }
}

void Hoister::runForValues() {
  SmallVector<unsigned> waits;
  for (auto [index, unit] : llvm::enumerate(chain.getUnits())) {
    if (dependence.isFence(index))
      waits.clear();
    if (unit.isLoop && givesValue(unit))
      for (Value operand : getUsed(unit))
        for (unsigned wait : waits)
          if (hoist(operand, wait))
            break;
    if (!unit.isPiece() && isa<CompletionOpInterface>(unit.op))
      waits.push_back(index);
  }
}

/// Moves these loads of the chain before the units that they do not depend on.
void Hoister::raise(ArrayRef<LLVM::LoadOp> loads) {
  // Find the first unit other than loads and arithmetic.
  unsigned first = 0;
  for (const Unit &unit : chain.getUnits()) {
    if (unit.isPiece() || (!isa<LLVM::LoadOp>(unit.op) && !dependence.isFree(first)))
      break;
    ++first;
  }
  for (LLVM::LoadOp load : loads)
    if (chain.findUnit(load) > static_cast<int>(first))
      hoist(load, first);
}

bool comm::hoistAddresses(Chain &chain, MemoryOracle &oracle, const DependenceOptions &options) {
  Hoister hoister(chain, oracle, options);
  hoister.run();
  hoister.runForValues();
  return hoister.apply();
}

//===----------------------------------------------------------------------===//
// Arms
//===----------------------------------------------------------------------===//

static Value getBase(LLVM::LoadOp load) {
  int64_t offset = 0;
  return stripConstantOffsets(load.getAddr(), DataLayout::closest(load), offset);
}

/// Returns true if the function has loaded something from the same variable or structure before the arm.
static bool isLoadedBefore(LLVM::LoadOp load, DominanceInfo &dominance) {
  Value base = getBase(load);
  DataLayout layout = DataLayout::closest(load);
  auto isBefore = [&](Operation *user) {
    auto other = dyn_cast<LLVM::LoadOp>(user);
    return other && other != load && getBase(other) == base && other->getBlock() != load->getBlock() &&
           dominance.properlyDominates(other.getOperation(), load.getOperation());
  };
  SmallVector<Value> work{base};
  while (!work.empty())
    for (Operation *user : work.pop_back_val().getUsers()) {
      if (isBefore(user))
        return true;
      if (auto gep = dyn_cast<LLVM::GEPOp>(user); gep && getConstantOffset(gep, layout))
        work.push_back(gep);
    }
  return false;
}

static bool isArmOfBranch(const Chain &chain) {
  Block *before = chain.getBlocks().front()->getSinglePredecessor();
  return before && before->getNumSuccessors() >= 2;
}

/// Returns the repeated loads of a chain that is an arm of a branch.
static SmallVector<LLVM::LoadOp> findRepeatedLoads(const Chain &chain, DominanceInfo &dominance) {
  if (!isArmOfBranch(chain))
    return {};
  SmallVector<LLVM::LoadOp> loads;
  for (const Unit &unit : chain.getUnits()) {
    auto load = unit.isPiece() ? LLVM::LoadOp() : dyn_cast<LLVM::LoadOp>(unit.op);
    if (load && isPlainAccess(load) && isLoadedBefore(load, dominance))
      loads.push_back(load);
  }
  return loads;
}

/// Returns true if the chain is an arm of a branch and loads something between two messages.
static bool loadsBetweenMessages(const Chain &chain) {
  bool hasStart = false, loads = false;
  if (isArmOfBranch(chain))
    for (const Unit &unit : chain.getUnits()) {
      bool isStart = !unit.isPiece() && isStartOfInterval(unit.op);
      if (isStart && loads)
        return true;
      hasStart |= isStart;
      loads |= hasStart && !unit.isPiece() && isa<LLVM::LoadOp>(unit.op);
    }
  return false;
}

bool comm::repeatsLoads(const Chain &chain, DominanceInfo &dominance) {
  return !findRepeatedLoads(chain, dominance).empty() || loadsBetweenMessages(chain);
}

bool comm::raiseLoadsOfArm(Chain &chain, MemoryOracle &oracle, const DependenceOptions &options,
                           DominanceInfo &dominance) {
  SmallVector<LLVM::LoadOp> repeated = findRepeatedLoads(chain, dominance);
  if (repeated.empty() && !loadsBetweenMessages(chain))
    return false;
  Hoister hoister(chain, oracle, options);
  hoister.raise(repeated);
  hoister.run();
  return hoister.apply();
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

namespace {
/// The bytes that a load or store touches, relative to a pointer.
struct AccessedBytes {
  Value base;
  int64_t offset = 0;
  uint64_t size = 0;

  bool contains(const AccessedBytes &other) const {
    return base == other.base && offset <= other.offset &&
           other.offset + static_cast<int64_t>(other.size) <= offset + static_cast<int64_t>(size);
  }
};

struct AccessedStructure;

/// Bytes that may be loaded.
struct ValidMemory {
  uint64_t alignment;
  /// Whether they have the type of the load.
  bool isTypeKnown;
};

class GuardHoister {
public:
  GuardHoister(const Chain &chain, MemoryOracle &oracle, bool isLast, DominanceInfo &dominance, HoistedLoads &hoisted)
      : chain(chain), oracle(oracle), isLast(isLast), hoisted(hoisted), dominance(dominance) {}
  bool run();

private:
  void visit(Block *block, unsigned unit);
  void visitLoop(unsigned unit);
  bool mayEndAt(const Unit &unit);
  std::optional<ValidMemory> findLaterAccess(const AccessedBytes &bytes, const AccessedStructure &structure,
                                             unsigned unit);
  std::optional<ValidMemory> findValidMemory(LLVM::LoadOp load, unsigned unit);
  bool hoistNumber(Value value, unsigned unit);
  void hoist(LLVM::LoadOp load, unsigned unit);

  const Chain &chain;
  MemoryOracle &oracle;
  bool isLast;
  HoistedLoads &hoisted;
  DominanceInfo &dominance;
  bool changed = false;
};
} // namespace

/// Returns none for accesses that are not plain or whose size is unknown.
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

namespace {
/// A structure with an accessed member.
struct AccessedStructure {
  LLVM::TBAATypeDescriptorAttr type;
  Value base;
  int64_t offset = 0;

  bool operator==(const AccessedStructure &other) const {
    return type == other.type && base == other.base && offset == other.offset;
  }
  /// Returns the first byte, and one past the last byte, of the array that the bytes are in: a member before the
  /// last one. Returns none if they are in another member.
  std::optional<std::pair<int64_t, int64_t>> findArray(const AccessedBytes &bytes) const {
    if (base != bytes.base)
      return std::nullopt;
    for (auto [member, next] : llvm::zip(type.getMembers(), type.getMembers().drop_front())) {
      std::pair array{offset + member.getOffset(), offset + next.getOffset()};
      if (isCharacter(member.getTypeDesc()) && array.first <= bytes.offset &&
          bytes.offset + static_cast<int64_t>(bytes.size) <= array.second)
        return array;
    }
    return std::nullopt;
  }
  /// Returns true for (bytes of) members before the last one, whose size the type does not tell.
  bool contains(const AccessedBytes &bytes) const {
    int64_t last = 0;
    for (LLVM::TBAAMemberAttr member : type.getMembers())
      last = std::max(last, member.getOffset());
    return base == bytes.base && offset <= bytes.offset &&
           bytes.offset + static_cast<int64_t>(bytes.size) <= offset + last;
  }
};
} // namespace

/// Returns true if the member belongs to a structure that is itself the first member.
static bool isInFirstStructure(LLVM::TBAATypeDescriptorAttr type, LLVM::TBAATagAttr tag) {
  ArrayRef<LLVM::TBAAMemberAttr> members = type.getMembers();
  bool isInFirst = !members.empty() && (members.size() == 1 || tag.getOffset() < members[1].getOffset());
  return isInFirst && members.front().getTypeDesc() != tag.getAccessType();
}

/// Derives the structure from the type of the access, which it has under strict aliasing. Returns none if no member is
/// accessed, or one of a structure that the structure begins with: `derived->base.kind` tells whether there is more
/// than a base.
static std::optional<AccessedStructure> getStructure(Operation *op) {
  std::optional<AccessedBytes> bytes = getBytes(op);
  LLVM::TBAATagAttr tag = bytes ? getTypeTag(op) : LLVM::TBAATagAttr();
  if (!tag)
    return std::nullopt;
  auto type = dyn_cast<LLVM::TBAATypeDescriptorAttr>(tag.getBaseType());
  if (!type || tag.getBaseType() == tag.getAccessType() || isInFirstStructure(type, tag))
    return std::nullopt;
  return AccessedStructure{type, bytes->base, bytes->offset - tag.getOffset()};
}

namespace {
/// Whether a load of a pointer or an integer reads an element of an array in a structure of which the chain has
/// accessed other elements by the same type. Clang's type of such an access names no structure, and that of the
/// structure no elements.
class ArrayMember {
public:
  ArrayMember(LLVM::LoadOp load, const AccessedBytes &bytes) : bytes(bytes), tag(getTypeTag(load)) {
    if (tag && (tag.getBaseType() != tag.getAccessType() || isCharacter(tag.getAccessType()) ||
                !isa<LLVM::LLVMPointerType, IntegerType>(load.getType())))
      tag = {};
  }
  bool mayBeKnown() const { return !!tag; }
  bool isKnown() const { return isFound; }
  /// Notes an access of the chain to the same memory.
  void note(Operation *access, const AccessedBytes &accessed, const std::optional<AccessedStructure> &around);

private:
  AccessedBytes bytes;
  LLVM::TBAATagAttr tag;
  /// The offsets of other elements.
  SmallVector<int64_t, 4> elements;
  /// The first byte of the array, and one past its last byte.
  std::optional<std::pair<int64_t, int64_t>> array;
  bool isFound = false;
};
} // namespace

void ArrayMember::note(Operation *access, const AccessedBytes &accessed,
                       const std::optional<AccessedStructure> &around) {
  if (!tag || accessed.base != bytes.base)
    return;
  if (getTypeTag(access) == tag && (accessed.offset - bytes.offset) % static_cast<int64_t>(bytes.size) == 0)
    elements.push_back(accessed.offset);
  if (around && !array)
    array = around->findArray(bytes);
  isFound |= array && llvm::any_of(elements, [&](int64_t element) {
               return array->first <= element && element + static_cast<int64_t>(bytes.size) <= array->second;
             });
}

/// Returns the alignment that the access itself declares.
static uint64_t getAlignment(Operation *op) {
  auto load = dyn_cast<LLVM::LoadOp>(op);
  auto store = dyn_cast<LLVM::StoreOp>(op);
  if (std::optional<uint64_t> alignment = load ? load.getAlignment() : store.getAlignment())
    return *alignment;
  return DataLayout::closest(op).getTypeABIAlignment(load ? load.getType() : store.getValue().getType());
}

/// Returns the alignment of bytes that are `distance` bytes after those of a known alignment.
static uint64_t getAlignmentAt(uint64_t alignment, int64_t distance) {
  return llvm::MinAlign(alignment, static_cast<uint64_t>(distance));
}

/// Returns true if the variable is alive at that place.
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
  // Every path from an end to the place must go through a begin.
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

/// Returns the alignment of the bytes if they belong to a global or stack variable that exists at that place, otherwise
/// 0. A weak declaration may be missing.
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

/// Returns true if an operator of the program may be called, now or before the request is complete.
static bool mayCallOperator(MPIOpInterface op) {
  Value operation = op.getParam("op");
  return operation && getConstantName(operation).empty();
}

/// Returns true if memory may be freed by the operation: a call, or an MPI operation that calls functions of the
/// program (MPI_Comm_free, for attributes, and reductions) or frees what MPI has allocated (MPI_Win_free). Messages
/// free nothing.
static bool mayGiveBack(Operation *op, MemoryOracle &oracle) {
  auto mpiOp = dyn_cast<MPIOpInterface>(op);
  if (!mpiOp)
    return isa<CallOpInterface>(op);
  CommRole role = getCommRole(op);
  if (role == CommRole::Ordered || mayCallOperator(mpiOp) ||
      (role == CommRole::Local && mpiOp.reachesBeyondArguments()))
    return true;
  if (!isa<CompletionOpInterface>(op))
    return false;
  if (auto wait = dyn_cast<WaitOp>(op))
    if (auto start = wait.getRequest().getDefiningOp<MPIOpInterface>())
      return mayCallOperator(start);
  const CompletedStarts *completed = oracle.getCompletedStarts(op);
  return !completed || llvm::any_of(completed->starts, [](const InFlightStart &started) {
    auto start = dyn_cast<MPIOpInterface>(started.start);
    return !start || mayCallOperator(start);
  });
}

/// Returns true if the code after the unit may never be reached, because of an exit or a loop that waits for others.
bool GuardHoister::mayEndAt(const Unit &unit) {
  bool mayEnd = unit.leavesAbnormally();
  unit.walk([&](Operation *op) {
    Behavior behavior = oracle.getBehavior(op);
    bool mayWaitForever = unit.isLoop && (isa<MPIOpInterface>(op) || behavior.communicates || behavior.isObservable);
    mayEnd |= behavior.mayNotContinue() || behavior.synchronizes || mayWaitForever;
  });
  return mayEnd;
}

/// Finds an access to the structure that the chain certainly executes after the unit: an object that exists then has
/// existed as long as the pointer to it.
std::optional<ValidMemory> GuardHoister::findLaterAccess(const AccessedBytes &bytes, const AccessedStructure &structure,
                                                         unsigned unit) {
  for (unsigned other = unit + 1; other < chain.getUnits().size() && other - unit <= kMostUnitsAhead; ++other) {
    const Unit &after = chain.getUnits()[other];
    std::optional<AccessedBytes> accessed = after.isPiece() ? std::nullopt : getBytes(after.op);
    std::optional<AccessedStructure> around = accessed ? getStructure(after.op) : std::nullopt;
    if (around && *around == structure)
      return ValidMemory{getAlignmentAt(getAlignment(after.op), bytes.offset - accessed->offset), true};
    if (mayEndAt(after))
      return std::nullopt;
  }
  return std::nullopt;
}

/// Returns what the load finds before the unit, or none if the memory may be invalid there. A variable is always
/// valid. The target of a pointer is valid if the chain has accessed it, or another member of the same structure, and
/// nothing has freed it, or if the chain accesses such a member later. A member of that structure has its declared
/// type.
std::optional<ValidMemory> GuardHoister::findValidMemory(LLVM::LoadOp load, unsigned unit) {
  std::optional<AccessedBytes> bytes = getBytes(load);
  if (!bytes)
    return std::nullopt;
  uint64_t inVariable = findAlignmentInVariable(*bytes, chain.getUnits()[unit].op, dominance);
  std::optional<AccessedStructure> structure = isLast ? getStructure(load) : std::nullopt;
  if (structure && !inVariable && !mayEndAt(chain.getUnits()[unit]))
    if (std::optional<ValidMemory> later = findLaterAccess(*bytes, *structure, unit))
      return later;
  ArrayMember array(load, *bytes);
  std::optional<ValidMemory> found;
  for (unsigned other = unit; other-- > 0 && unit - other <= kMostUnits;) {
    const Unit &before = chain.getUnits()[other];
    std::optional<AccessedBytes> accessed = before.isPiece() ? std::nullopt : getBytes(before.op);
    std::optional<AccessedStructure> around = isLast && accessed ? getStructure(before.op) : std::nullopt;
    if (isLast && accessed)
      array.note(before.op, *accessed, around);
    bool isMember = structure && around && *structure == *around, isTypeKnown = isMember || array.isKnown();
    bool isThere = accessed && (isMember || accessed->contains(*bytes) || (around && around->contains(*bytes)));
    if (isTypeKnown && inVariable)
      return ValidMemory{inVariable, true};
    if (isThere && !inVariable && !found)
      found = ValidMemory{getAlignmentAt(getAlignment(before.op), bytes->offset - accessed->offset), isTypeKnown};
    // Look on for what the array holds.
    if (found && (isTypeKnown || !array.mayBeKnown()))
      return ValidMemory{found->alignment, isTypeKnown};
    bool mayFree = false;
    before.walk([&](Operation *op) {
      bool isOver = isa<LLVM::LifetimeEndOp>(op) && llvm::is_contained(op->getOperands(), bytes->base);
      // Another thread may free it and signal that.
      mayFree |= isOver || oracle.getBehavior(op).synchronizes ||
                 (mayGiveBack(op, oracle) && oracle.mayConflict(op, load, /*acrossIterations=*/true));
    });
    if (mayFree)
      break;
  }
  if (found)
    return found;
  return inVariable ? std::optional(ValidMemory{inVariable, false}) : std::nullopt;
}

/// Moves the computation of the value before the unit. Returns false if it cannot be computed cheaply from values
/// available there.
bool GuardHoister::hoistNumber(Value value, unsigned unit) {
  Operation *place = chain.getUnits()[unit].op;
  SmallVector<Operation *> moves;
  if (!findMoves(value, place, dominance, moves))
    return false;
  for (Operation *op : moves)
    moveNumber(op, place);
  changed |= !moves.empty();
  return true;
}

void GuardHoister::hoist(LLVM::LoadOp load, unsigned unit) {
  Operation *place = chain.getUnits()[unit].op;
  std::optional<ValidMemory> memory = findValidMemory(load, unit);
  if (!memory)
    return;
  if (!hoistNumber(load.getAddr(), unit))
    return;
  load->moveBefore(place);
  // The guard may have checked the alignment.
  load.setAlignment(std::min(memory->alignment, getAlignment(load)));
  hoisted[load] = memory->isTypeKnown;
  changed = true;
}

/// Visits the block, if control reaches it only from the beginning of the unit, and its successors, until something is
/// written.
void GuardHoister::visit(Block *block, unsigned unit) {
  if (!llvm::is_contained(chain.getUnits()[unit].interior, block) || !block->getSinglePredecessor())
    return;
  for (Operation &op : llvm::make_early_inc_range(block->without_terminator())) {
    // Scalar evolution does not see through these.
    if (isLast && isa<LLVM::XOrOp, LLVM::AndOp, LLVM::OrOp, LLVM::LShrOp, LLVM::AShrOp>(op))
      hoistNumber(op.getResult(0), unit);
    // The beginning of a lifetime writes nothing.
    if (isa<LLVM::LifetimeStartOp>(op) || oracle.getBehavior(&op).isPure())
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

/// Hoists what all iterations load from one place under a guard within the loop, if nothing in the loop writes it.
void GuardHoister::visitLoop(unsigned unit) {
  const Unit &loop = chain.getUnits()[unit];
  auto isOutside = [&](Value value) { return !llvm::is_contained(loop.interior, value.getParentBlock()); };
  SmallVector<LLVM::LoadOp> loads;
  SmallVector<Operation *> writers;
  bool synchronizes = false;
  loop.walk([&](Operation *op) {
    Behavior behavior = oracle.getBehavior(op);
    synchronizes |= behavior.synchronizes;
    auto load = dyn_cast<LLVM::LoadOp>(op);
    // Scopes of restricted parameters would separate iterations that are not separate.
    if (load && getBytes(load) && isOutside(getBase(load)) && !load.getNoaliasScopesAttr())
      loads.push_back(load);
    else if (behavior.writes)
      writers.push_back(op);
  });
  if (synchronizes || loads.size() * writers.size() > kMostPairs)
    return;
  for (LLVM::LoadOp load : loads)
    if (llvm::none_of(writers, [&](Operation *op) { return oracle.mayConflict(op, load, /*acrossIterations=*/true); }))
      hoist(load, unit);
}

bool GuardHoister::run() {
  // A guard is a branch. An invoke may write what its continuation loads.
  for (auto [index, unit] : llvm::enumerate(chain.getUnits())) {
    if (unit.isPiece() && isMemoryEffectFree(unit.op))
      for (Block *block : unit.op->getSuccessors())
        visit(block, index);
    if (isLast && unit.isPiece() && unit.isLoop)
      visitLoop(index);
  }
  return changed;
}

bool comm::hoistOutOfGuards(const Chain &chain, MemoryOracle &oracle, bool isLast, DominanceInfo &dominance,
                            HoistedLoads &hoisted) {
  return GuardHoister(chain, oracle, isLast, dominance, hoisted).run();
}

void comm::forgetGuards(const HoistedLoads &hoisted) {
  for (auto [op, isTypeKnown] : hoisted) {
    auto load = cast<LLVM::LoadOp>(op);
    op->setLoc(dropOrigin(op->getLoc()));
    load.setInvariant(false);
    load.setInvariantGroup(false);
    load.setDereferenceableAttr({});
    if (!isTypeKnown)
      load.setTbaaAttr({});
    load.setAliasScopesAttr({});
    load.setNoaliasScopesAttr({});
    load.setAccessGroupsAttr({});
  }
}
