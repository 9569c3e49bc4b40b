//===- ObjectUses.cpp - All uses of an object in a module -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectUses.h"

#include "Comm/MPI/ABI.h"
#include "Comm/Plugin/Utils/CalledFunction.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

#include <numeric>

using namespace llvm;
using namespace comm;

static constexpr unsigned maxDepth = 16, maxSteps = 200000;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Place Place::operator+(const Place &more) const {
  return {static_cast<int64_t>(static_cast<uint64_t>(offset) + static_cast<uint64_t>(more.offset)),
          std::gcd(stride, more.stride), SaturatingAdd(span, more.span)};
}

static uint64_t getDistance(int64_t a, int64_t b) {
  return a < b ? static_cast<uint64_t>(b) - static_cast<uint64_t>(a)
               : static_cast<uint64_t>(a) - static_cast<uint64_t>(b);
}

bool Place::join(const Place &other) {
  Place old = *this;
  stride = std::gcd(std::gcd(stride, other.stride), getDistance(offset, other.offset));
  if (span == kAnywhere || other.span == kAnywhere) {
    span = kAnywhere;
  } else {
    int64_t first = std::min(offset, other.offset);
    span = std::max(SaturatingAdd(span, getDistance(first, offset)),
                    SaturatingAdd(other.span, getDistance(first, other.offset)));
    offset = first;
  }
  return !(*this == old);
}

/// Whether all of this comes before all of the other one.
bool Place::endsBefore(uint64_t bytes, const Place &other) const {
  return span != kAnywhere && other.span != kAnywhere && offset < other.offset &&
         SaturatingAdd(span, bytes) <= getDistance(offset, other.offset);
}

bool Place::isApart(uint64_t bytes, const Place &other, uint64_t otherBytes) const {
  if (endsBefore(bytes, other) || other.endsBefore(otherBytes, *this))
    return true;
  uint64_t period = std::gcd(stride, other.stride), distance = getDistance(offset, other.offset);
  bool isFirst = offset <= other.offset;
  if (period == 0)
    return distance >= (isFirst ? bytes : otherBytes);
  // The distance to the other one, on a circle with the circumference `period`.
  uint64_t after = distance % period;
  if (!isFirst && after != 0)
    after = period - after;
  return after >= bytes && after <= period && otherBytes <= period - after;
}

/// What is known of the integers of a function.
struct Objects::Scalars {
  Scalars(Function &function, TargetLibraryInfo &library, DominatorTree &dominance)
      : assumptions(function), loops(dominance), evolution(function, library, assumptions, dominance, loops) {}

  AssumptionCache assumptions;
  LoopInfo loops;
  ScalarEvolution evolution;
};

/// Returns the signed values that the index may have where it is used.
ConstantRange Objects::getRange(Value &index, const Operator &user) {
  auto *instruction = dyn_cast<Instruction>(&user);
  if (!instruction)
    return ConstantRange::getFull(index.getType()->getIntegerBitWidth());
  auto &function = const_cast<Function &>(*instruction->getFunction());
  std::unique_ptr<Scalars> &known = scalars[&function];
  if (!known)
    known = std::make_unique<Scalars>(function, library, const_cast<DominatorTree &>(getDominance(function)));
  return known->evolution.getSignedRange(known->evolution.getSCEV(&index));
}

Place Objects::getStep(const GEPOperator &gep) {
  constexpr int64_t far = int64_t(1) << 40;
  unsigned width = layout.getIndexTypeSizeInBits(gep.getType());
  SmallMapVector<Value *, APInt, 4> variables;
  APInt constant(width, 0);
  if (!gep.collectOffset(layout, width, variables, constant))
    return {0, 1, Place::kAnywhere};
  Place step{constant.getSExtValue(), 0, 0};
  for (const auto &[index, scale] : variables) {
    Place ofIndex{0, scale.abs().getZExtValue(), Place::kAnywhere};
    ConstantRange range = getRange(*index, gep).sextOrTrunc(width).sextOrTrunc(2 * width);
    range = range.multiply(ConstantRange(scale.sext(2 * width)));
    APInt least = range.getSignedMin(), most = range.getSignedMax();
    if (least.sgt(-far) && most.slt(far)) {
      ofIndex.offset = least.getSExtValue();
      ofIndex.span = most.getSExtValue() - ofIndex.offset;
      if (ofIndex.span == 0)
        ofIndex.stride = 0;
    } else if (!gep.isInBounds()) {
      // A product that overflows is a multiple only of powers of two.
      ofIndex.stride = uint64_t(1) << llvm::countr_zero(ofIndex.stride);
    }
    step = step + ofIndex;
  }
  return step;
}

namespace {
/// Places of pointers that remain to be visited. A function may get the addresses of several members of one type; if a
/// pointer has many places, they are joined into one with a stride.
class Worklist {
public:
  void add(Value *pointer, const Place &place) {
    constexpr size_t mostPlaces = 8;
    SmallVector<Place, 2> &known = places[pointer];
    if (any_of(known, [&](Place each) { return !each.join(place); }))
      return;
    known.push_back(place);
    if (known.size() > mostPlaces) {
      for (const Place &each : known)
        known.front().join(each);
      // Or a loop that advances the pointer would add an element at a time.
      known.front().span = Place::kAnywhere;
      known.truncate(1);
    }
    open.push_back({pointer, known.size() == 1 ? known.front() : place});
  }
  bool isEmpty() const { return open.empty(); }
  std::pair<Value *, Place> pop() { return open.pop_back_val(); }

private:
  DenseMap<Value *, SmallVector<Place, 2>> places;
  SmallVector<std::pair<Value *, Place>> open;
};
} // namespace

//===----------------------------------------------------------------------===//
// From a pointer to its objects
//===----------------------------------------------------------------------===//

/// Whether all calls to the function are visible and pass all its parameters.
static bool areCallsKnown(const Function &function) {
  return function.hasLocalLinkage() && all_of(function.uses(), [&](const Use &use) {
           auto *call = dyn_cast<CallBase>(use.getUser());
           return call && call->isCallee(&use) && call->arg_size() >= function.arg_size();
         });
}

/// Returns the callee if the visible body is what runs: definitions of inline functions are all equivalent.
static Function *getKnownCallee(const CallBase &call) {
  Function *callee = call.getCalledFunction();
  bool isKnown = callee && !callee->isDeclaration() && !callee->isInterposable() &&
                 call.getFunctionType() == callee->getFunctionType();
  return isKnown ? callee : nullptr;
}

namespace comm {
/// Finds the objects of one pointer.
class BackwardSearch {
public:
  explicit BackwardSearch(Objects &objects) : objects(objects) {}
  bool search(Value &pointer);
  Objects::Pointees found;

private:
  bool visit(Value *pointer, const Place &place);
  bool visitArgument(Argument &argument, const Place &place);
  bool visitCall(CallBase &call, const Place &place);
  bool visitLoad(LoadInst &load, const Place &place);
  bool visitVariable(Value &object, const Place &where, const LoadInst &load, const Place &place);
  bool addObject(Value &object, const Place &place) {
    auto [entry, isNew] = found.insert({&object, place});
    if (!isNew)
      entry->second.join(place);
    return true;
  }

  Objects &objects;
  Worklist worklist;
};
} // namespace comm

bool BackwardSearch::visitArgument(Argument &argument, const Place &place) {
  Function &function = *argument.getParent();
  if (argument.hasByValAttr() || !areCallsKnown(function))
    return false;
  for (User *user : function.users())
    worklist.add(cast<CallBase>(user)->getArgOperand(argument.getArgNo()), place);
  return true;
}

bool BackwardSearch::visitCall(CallBase &call, const Place &place) {
  if (objects.isAllocation(call))
    return addObject(call, place);
  Function *callee = getKnownCallee(call);
  if (!callee)
    return false;
  for (BasicBlock &block : *callee)
    if (auto *result = dyn_cast<ReturnInst>(block.getTerminator()))
      worklist.add(result->getReturnValue(), place);
  return true;
}

/// Adds the pointers that the object may contain at that place.
bool BackwardSearch::visitVariable(Value &object, const Place &where, const LoadInst &load, const Place &place) {
  const DataLayout &layout = load.getDataLayout();
  uint64_t size = layout.getTypeStoreSize(load.getType());
  const ObjectUses &uses = objects.getUses(object);
  if (!uses.areAll)
    return false;
  Constant *initial = objects.getInitialValue(object, where, load.getType());
  if (!initial)
    return false;
  worklist.add(initial, place);
  for (const auto &[outcome, at] : uses.outcomes)
    if (outcome.bytes == 0 || !at.isApart(outcome.bytes, where, size))
      return false;
  for (const auto &[fill, at] : uses.fills) {
    auto *length = dyn_cast<ConstantInt>(fill->getLength());
    auto *set = dyn_cast<AnyMemSetInst>(fill);
    bool clears = set && PatternMatch::match(set->getValue(), PatternMatch::m_Zero());
    if (!clears && (!length || !at.isApart(length->getZExtValue(), where, size)))
      return false;
  }
  for (const auto &[store, at] : uses.stores) {
    Value *stored = store->getValueOperand();
    if (at.isApart(layout.getTypeStoreSize(stored->getType()), where, size))
      continue;
    if (!stored->getType()->isPointerTy() || store->getAlign() < size || load.getAlign() < size)
      return false;
    worklist.add(stored, place);
  }
  return true;
}

bool BackwardSearch::visitLoad(LoadInst &load, const Place &place) {
  if (load.isVolatile())
    return false;
  std::optional<Objects::Pointees> variables = objects.findObjects(*load.getPointerOperand());
  return variables &&
         all_of(*variables, [&](auto &entry) { return visitVariable(*entry.first, entry.second, load, place); });
}

bool BackwardSearch::visit(Value *pointer, const Place &place) {
  if (isa<ConstantPointerNull, UndefValue>(pointer))
    return true; // no object
  if (auto *gep = dyn_cast<GEPOperator>(pointer)) {
    if (gep->getType()->isVectorTy())
      return false;
    worklist.add(gep->getPointerOperand(), place + objects.getStep(*gep));
    return true;
  }
  if (isa<AllocaInst>(pointer))
    return addObject(*pointer, place);
  if (auto *global = dyn_cast<GlobalVariable>(pointer))
    return global->hasLocalLinkage() && global->hasInitializer() && addObject(*pointer, place);
  if (auto *argument = dyn_cast<Argument>(pointer))
    return visitArgument(*argument, place);
  if (auto *call = dyn_cast<CallBase>(pointer))
    return visitCall(*call, place);
  if (auto *load = dyn_cast<LoadInst>(pointer))
    return visitLoad(*load, place);
  if (auto *phi = dyn_cast<PHINode>(pointer)) {
    for (Value *incoming : phi->incoming_values())
      worklist.add(incoming, place);
    return true;
  }
  if (auto *select = dyn_cast<SelectInst>(pointer)) {
    worklist.add(select->getTrueValue(), place);
    worklist.add(select->getFalseValue(), place);
    return true;
  }
  if (auto *freeze = dyn_cast<FreezeInst>(pointer)) {
    worklist.add(freeze->getOperand(0), place);
    return true;
  }
  return false;
}

bool BackwardSearch::search(Value &pointer) {
  worklist.add(&pointer, Place());
  while (!worklist.isEmpty()) {
    auto [next, place] = worklist.pop();
    if (++objects.steps > maxSteps || !visit(next, place))
      return false;
  }
  return true;
}

std::optional<Objects::Pointees> Objects::findObjects(Value &pointer) {
  if (depth >= maxDepth)
    return std::nullopt;
  ++depth;
  BackwardSearch search(*this);
  bool isFound = search.search(pointer);
  --depth;
  if (!isFound)
    return std::nullopt;
  return std::move(search.found);
}

//===----------------------------------------------------------------------===//
// From an object to its uses
//===----------------------------------------------------------------------===//

namespace comm {
/// Finds all pointers into one object.
class ForwardSearch {
public:
  ForwardSearch(Objects &objects, ObjectUses &uses) : objects(objects), uses(uses) {}
  bool search(Value &object);

private:
  bool visit(Use &use, const Place &place);
  bool visitStored(StoreInst &store, const Place &place);
  bool visitCall(CallBase &call, Use &use, const Place &place);
  bool visitMPI(const CallBase &call, const mpi::Function &function, unsigned index, const Place &place);
  bool visitReturn(ReturnInst &result, const Place &place);

  Objects &objects;
  ObjectUses &uses;
  Worklist worklist;
};
} // namespace comm

/// The pointer itself is stored: follow the loads from there.
bool ForwardSearch::visitStored(StoreInst &store, const Place &place) {
  std::optional<Objects::Pointees> variables = objects.findObjects(*store.getPointerOperand());
  if (!variables || store.isVolatile())
    return false;
  const DataLayout &layout = store.getDataLayout();
  uint64_t size = layout.getTypeStoreSize(store.getValueOperand()->getType());
  for (auto &[variable, where] : *variables) {
    const ObjectUses &others = objects.getUses(*variable);
    if (!others.areAll)
      return false;
    for (const auto &[copy, at] : others.reads) {
      auto *length = dyn_cast<ConstantInt>(copy->getLength());
      if (!length || !at.isApart(length->getZExtValue(), where, size))
        return false;
    }
    for (const auto &[load, at] : others.loads) {
      if (at.isApart(layout.getTypeStoreSize(load->getType()), where, size))
        continue;
      if (!load->getType()->isPointerTy())
        return false;
      worklist.add(load, place);
    }
  }
  return true;
}

/// Returns the maximum number of bytes that MPI writes to the array or variable; 0 if unknown.
static uint64_t getBytes(const CallBase &call, const mpi::Function &function, const mpi::Param &param) {
  StringRef type = StringRef(param.cType).split(' ').first;
  uint64_t element = type == "int" ? sizeof(int) : mpi::ABI::getLargestTypeSize(type);
  uint64_t length;
  if (!param.isArray || !StringRef(param.length).getAsInteger(10, length))
    return param.isArray ? element * length : element;
  int index = function.findParam(param.length);
  bool isPassed = index >= 0 && call.arg_size() > static_cast<unsigned>(index);
  auto *known = isPassed ? dyn_cast<ConstantInt>(call.getArgOperand(index)) : nullptr;
  return known && known->getSExtValue() > 0 ? element * known->getZExtValue() : 0;
}

/// Handles an MPI function that reads the memory or stores numbers or handles there. It does not capture the pointer.
bool ForwardSearch::visitMPI(const CallBase &call, const mpi::Function &function, unsigned index, const Place &place) {
  // Callbacks of the program cannot reach an address that is not captured.
  if (index >= function.numParams || function.keepsAddress(index))
    return false;
  const mpi::Param &param = function.params()[index];
  if (param.isAsync || param.role == mpi::Role::Buffer || param.role == mpi::Role::Address)
    return false;
  if (param.writes())
    uses.outcomes.push_back({{&function, &param, getBytes(call, function, param), &call}, place});
  return true;
}

bool ForwardSearch::visitReturn(ReturnInst &result, const Place &place) {
  Function &function = *result.getFunction();
  if (!areCallsKnown(function))
    return false;
  for (User *user : function.users())
    worklist.add(user, place);
  return true;
}

bool ForwardSearch::visitCall(CallBase &call, Use &use, const Place &place) {
  if (!call.isArgOperand(&use))
    return false;
  unsigned index = call.getArgOperandNo(&use);
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&call)) {
    if (intrinsic->isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(intrinsic))
      return true;
    auto *memory = dyn_cast<AnyMemIntrinsic>(intrinsic);
    if (!memory || memory->isVolatile())
      return false;
    (index == 0 ? uses.fills : uses.reads).push_back({memory, place});
    return true;
  }
  if (getFreedOperand(&call, &objects.library) == use.get())
    return true;
  if (const mpi::Function *function = getCalledMPIFunction(call))
    return visitMPI(call, *function, index, place);
  if (Function *known = getKnownCallee(call); known && index < known->arg_size()) {
    worklist.add(known->getArg(index), place);
    return true;
  }
  return call.doesNotCapture(index) && call.onlyReadsMemory(index);
}

bool ForwardSearch::visit(Use &use, const Place &place) {
  User *user = use.getUser();
  if (auto *gep = dyn_cast<GEPOperator>(user)) {
    if (use.getOperandNo() != 0 || gep->getType()->isVectorTy())
      return false;
    worklist.add(gep, place + objects.getStep(*gep));
    return true;
  }
  if (isa<PHINode, FreezeInst, SelectInst>(user)) {
    worklist.add(user, place);
    return true;
  }
  if (isa<ICmpInst>(user))
    return true;
  if (auto *load = dyn_cast<LoadInst>(user)) {
    uses.loads.push_back({load, place});
    return true;
  }
  if (auto *store = dyn_cast<StoreInst>(user)) {
    if (use.getOperandNo() != StoreInst::getPointerOperandIndex())
      return visitStored(*store, place);
    uses.stores.push_back({store, place});
    return true;
  }
  if (auto *result = dyn_cast<ReturnInst>(user))
    return visitReturn(*result, place);
  auto *call = dyn_cast<CallBase>(user);
  return call && visitCall(*call, use, place);
}

bool ForwardSearch::search(Value &object) {
  worklist.add(&object, Place());
  while (!worklist.isEmpty()) {
    auto [pointer, place] = worklist.pop();
    for (Use &use : pointer->uses())
      if (++objects.steps > maxSteps || !visit(use, place))
        return false;
  }
  return true;
}

const DominatorTree &Objects::getDominance(const Function &function) {
  std::unique_ptr<DominatorTree> &tree = dominance[&function];
  if (!tree)
    tree = std::make_unique<DominatorTree>(const_cast<Function &>(function));
  return *tree;
}

const ObjectUses &Objects::getUses(Value &object) {
  auto [entry, isNew] = uses.try_emplace(&object);
  if (!isNew)
    return *entry->second; // still incomplete if it is requested during the search
  entry->second = std::make_unique<ObjectUses>();
  ObjectUses &result = *entry->second;
  if (depth >= maxDepth)
    return result;
  ++depth;
  result.areAll = ForwardSearch(*this, result).search(object);
  --depth;
  return result;
}

Objects::Objects(Module &module)
    : layout(module.getDataLayout()), libraryOfTarget(module.getTargetTriple()), library(libraryOfTarget) {}

Objects::~Objects() = default;

Constant *Objects::getInitialValue(Value &object, const Place &where, Type *type) const {
  if (auto *call = dyn_cast<CallBase>(&object))
    return getInitialValueOfAllocation(call, &library, type);
  auto *global = dyn_cast<GlobalVariable>(&object);
  if (!global)
    return UndefValue::get(type);
  Constant *initializer = global->getInitializer();
  if (initializer->isNullValue())
    return Constant::getNullValue(type);
  if (where.stride != 0)
    return nullptr;
  return ConstantFoldLoadFromConst(initializer, type, APInt(64, where.offset, /*isSigned=*/true), layout);
}

bool Objects::isAllocation(const CallBase &call) const {
  return isAllocationFn(&call, &library) &&
         getInitialValueOfAllocation(&call, &library, Type::getInt32Ty(call.getContext()));
}
