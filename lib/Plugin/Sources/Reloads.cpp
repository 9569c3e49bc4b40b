//===- Reloads.cpp - Values loaded more than once -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reloads.h"

#include "VariableValues.h"

#include "Comm/Analysis/Memory/TypedAccess.h"
#include "Comm/Plugin/Utils/CalledFunction.h"
#include "Comm/Plugin/Utils/MessageWrites.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace comm;

/// Returns a load that the value is or that the phi joins.
static LoadInst *findLoad(Value &value) {
  if (auto *load = dyn_cast<LoadInst>(&value))
    return load;
  auto *phi = dyn_cast<PHINode>(&value);
  if (!phi)
    return nullptr;
  for (Value *incoming : phi->incoming_values())
    if (auto *load = dyn_cast<LoadInst>(incoming))
      return load;
  return nullptr;
}

/// Returns the call that writes the variable if nothing else does.
static CallBase *findOnlyWriter(Objects &objects, const LoadInst &load, const AllocaInst &variable) {
  std::optional<VariableValues> values = getVariableValues(objects, load);
  if (!values || !values->stores.empty() || !values->numbers.empty() || values->outcomes.size() != 1)
    return nullptr;
  SmallVector<CallBase *, 2> writers;
  for (const User *user : variable.users()) {
    auto *call = dyn_cast<CallBase>(user);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    if (callee && mpi::lookupFunction(callee->getName()) == values->outcomes.front().function)
      writers.push_back(const_cast<CallBase *>(call));
  }
  return writers.size() == 1 ? writers.front() : nullptr;
}

/// Returns whether the instruction may write, directly or indirectly, a variable that is written only in these ways.
static bool mayWrite(const Instruction &instruction, const VariableValues &values) {
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    return is_contained(values.stores, store);
  auto *call = dyn_cast<CallBase>(&instruction);
  auto *intrinsic = call ? dyn_cast<IntrinsicInst>(call) : nullptr;
  if (!call || (intrinsic && (intrinsic->isAssumeLikeIntrinsic() || !call->mayWriteToMemory())))
    return false;
  const mpi::Function *function = getCalledMPIFunction(*call);
  return !function || function->mayCallBack ||
         any_of(values.outcomes, [&](const auto &outcome) { return outcome.function == function; });
}

/// Returns whether the instruction may write, directly or indirectly, memory of unknown origin that holds no
/// floating-point number (AccessTypes). `object` is the variable that contains the memory, or null; `size` is the size
/// of the variable if it may hold such a number, else 0.
static bool mayWriteOther(const Instruction &instruction, const Value *object, uint64_t size) {
  if (!instruction.mayWriteToMemory())
    return false;
  // A small variable may be a union with a floating-point number.
  if (storesNumber(instruction) &&
      instruction.getDataLayout().getTypeStoreSize(getLoadStoreType(&instruction)).getKnownMinValue() > size)
    return false;
  auto *call = dyn_cast<CallBase>(&instruction);
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction); intrinsic && intrinsic->isAssumeLikeIntrinsic())
    return false;
  // Any other function may complete operations started elsewhere (persistent and generalized requests), let other
  // processes write windows, or call operators of the program.
  const mpi::Function *function = call ? getMessage(*call) : nullptr;
  if (!function)
    return true;
  auto isElsewhere = [&](const Value *pointer) {
    const Value *variable = getUnderlyingObject(pointer);
    return isa<Constant>(pointer) || (isa<AllocaInst>(variable) && variable != object);
  };
  for (auto [index, param] : enumerate(function->params())) {
    if (!param.writes())
      continue;
    bool isPlain = param.role == mpi::Role::Buffer &&
                   (size ? hasNoRoom(*call, *function, index, size) : isOfFloatingPoint(*call, *function, index));
    bool isOwn = param.role == mpi::Role::Status || param.role == mpi::Role::Request;
    if (!isPlain && !(isOwn && isElsewhere(call->getArgOperand(index))))
      return true;
  }
  return false;
}

/// Returns whether no path from one load to another one, which it dominates, contains an instruction that `writes`.
static bool isUnchanged(const LoadInst &from, const LoadInst &to, function_ref<bool(const Instruction &)> writes) {
  constexpr size_t mostBlocks = 64;
  const BasicBlock *first = from.getParent(), *last = to.getParent();
  if (first == last && from.comesBefore(&to))
    return std::none_of(from.getIterator(), to.getIterator(), writes);
  if (first == last || std::any_of(from.getIterator(), first->end(), writes) ||
      std::any_of(last->begin(), to.getIterator(), writes))
    return false;
  // All paths go through the first block, which executes the load again.
  SmallSetVector<const BasicBlock *, 16> between(pred_begin(last), pred_end(last));
  for (size_t i = 0; i < between.size(); ++i) {
    const BasicBlock *block = between[i];
    if (block == first)
      continue;
    if (between.size() > mostBlocks || any_of(*block, writes))
      return false;
    between.insert(pred_begin(block), pred_end(block));
  }
  return true;
}

namespace {
/// Compares loads of one function that memory writes may separate.
class LoadComparison {
public:
  LoadComparison(Objects &objects, const DominatorTree &dominance) : objects(objects), dominance(dominance) {}
  bool areSame(LoadInst &a, LoadInst &b) {
    return dominance.dominates(&a, &b) ? isReload(a, b) : dominance.dominates(&b, &a) && isReload(b, a);
  }

private:
  bool isReload(LoadInst &first, LoadInst &second, unsigned depth = 0);
  /// Returns whether both load something other than a floating-point number according to their types.
  bool areOfOther(LoadInst &first, LoadInst &second);

  Objects &objects;
  const DominatorTree &dominance;
  std::optional<AccessTypes> types; // of the function, computed on demand
};
} // namespace

static std::pair<Value *, APInt> getPlace(LoadInst &load) {
  const DataLayout &layout = load.getDataLayout();
  APInt offset(layout.getIndexTypeSizeInBits(load.getPointerOperandType()), 0);
  Value *object = load.getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
  return {object, offset};
}

bool LoadComparison::areOfOther(LoadInst &first, LoadInst &second) {
  if (!types)
    types.emplace(*first.getFunction());
  return types->isOfOther(first, Written::FloatingMessage) && types->isOfOther(second, Written::FloatingMessage);
}

/// Returns whether both load from the same place and nothing writes it in between, according to the variable's uses in
/// the file or to types. The base pointer may itself be reloaded in this way (`grid->up`).
bool LoadComparison::isReload(LoadInst &first, LoadInst &second, unsigned depth) {
  constexpr unsigned most = 3;
  auto [object, offset] = getPlace(first);
  auto [other, otherOffset] = getPlace(second);
  if (!first.isSimple() || !second.isSimple() || first.getType() != second.getType() || offset != otherOffset)
    return false;
  if (object != other) {
    auto *base = dyn_cast<LoadInst>(object), *otherBase = dyn_cast<LoadInst>(other);
    if (!base || !otherBase || depth == most || !dominance.dominates(base, otherBase) ||
        !isReload(*base, *otherBase, depth + 1))
      return false;
  }
  std::optional<VariableValues> values;
  if (first.getType()->isIntegerTy())
    values = getVariableValues(objects, second);
  if (values)
    return isUnchanged(first, second, [&](const Instruction &each) { return mayWrite(each, *values); });
  auto *variable = dyn_cast<AllocaInst>(object);
  bool haveOtherType = areOfOther(first, second);
  uint64_t size = haveOtherType ? 0 : getVariableSize(*object, first.getDataLayout());
  return (haveOtherType || size) &&
         isUnchanged(first, second, [&](const Instruction &each) { return mayWriteOther(each, variable, size); });
}

/// Returns the loads that yield the same number: the optimizer reloads file-scope variables and members of structures
/// after each call.
static SmallVector<Value *> findSameLoads(Objects &objects, LoadInst &load, const DominatorTree &dominance) {
  LoadComparison comparison(objects, dominance);
  SmallVector<Value *> same{&load};
  for (Instruction &instruction : instructions(*load.getFunction()))
    if (auto *other = dyn_cast<LoadInst>(&instruction); other && other != &load && comparison.areSame(*other, load))
      same.push_back(other);
  return same;
}

SmallVector<Value *> comm::findReloads(Objects &objects, Value &value, const DominatorTree &dominance) {
  LoadInst *load = findLoad(value);
  auto *variable = load ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
  CallBase *writer = variable ? findOnlyWriter(objects, *load, *variable) : nullptr;
  if (!writer && load == &value)
    return findSameLoads(objects, *load, dominance);
  if (!writer)
    return {};
  // This holds in loops, too: a path from such a load through the next execution of the call to a use of the load would
  // reach the use without passing the load, which dominates it.
  SmallSetVector<Value *, 8> same;
  for (User *user : variable->users())
    if (auto *other = dyn_cast<LoadInst>(user);
        other && other->getType() == load->getType() && dominance.dominates(writer, other))
      same.insert(other);
  auto joinsThem = [&](const PHINode &phi) {
    return all_of(phi.incoming_values(),
                  [&](const Use &incoming) { return incoming == &phi || same.contains(incoming); });
  };
  for (size_t i = 0; i < same.size(); ++i)
    for (User *user : same[i]->users())
      if (auto *phi = dyn_cast<PHINode>(user); phi && joinsThem(*phi))
        same.insert(phi);
  if (!same.contains(&value))
    return {};
  return SmallVector<Value *>(same.begin(), same.end());
}
