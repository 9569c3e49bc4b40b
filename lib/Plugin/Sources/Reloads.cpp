//===- Reloads.cpp - Values that are loaded more than once -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reloads.h"

#include "VariableValues.h"

#include "Comm/Plugin/Utils/CalledFunction.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace comm;

/// A load that the value is, or joins.
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

/// The call that writes the variable, if nothing else does.
static CallBase *findOnlyWriter(Objects &objects, const LoadInst &load, const AllocaInst &variable) {
  std::optional<VariableValues> values = getVariableValues(objects, load);
  if (!values || !values->stores.empty() || !values->numbers.empty() || values->outcomes.size() != 1)
    return nullptr;
  SmallVector<CallBase *, 2> writers;
  for (const User *user : variable.users()) {
    auto *call = dyn_cast<CallBase>(user);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    if (callee && mpi::lookupFunction(callee->getName()) == values->outcomes.front().first)
      writers.push_back(const_cast<CallBase *>(call));
  }
  return writers.size() == 1 ? writers.front() : nullptr;
}

/// Whether the instruction may write a variable that is only written in these ways, or have others do so.
static bool mayWrite(const Instruction &instruction, const VariableValues &values) {
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    return is_contained(values.stores, store);
  auto *call = dyn_cast<CallBase>(&instruction);
  auto *intrinsic = call ? dyn_cast<IntrinsicInst>(call) : nullptr;
  if (!call || (intrinsic && (intrinsic->isAssumeLikeIntrinsic() || !call->mayWriteToMemory())))
    return false;
  const mpi::Function *function = getCalledMPIFunction(*call);
  return !function || function->mayCallBack ||
         any_of(values.outcomes, [&](const auto &outcome) { return outcome.first == function; });
}

/// Whether nothing that may write the variable is on a way from one load to another one, which it dominates.
static bool isUnchanged(const LoadInst &from, const LoadInst &to, const VariableValues &values) {
  constexpr size_t mostBlocks = 64;
  auto isQuiet = [&](BasicBlock::const_iterator begin, BasicBlock::const_iterator end) {
    return std::none_of(begin, end, [&](const Instruction &instruction) { return mayWrite(instruction, values); });
  };
  const BasicBlock *first = from.getParent(), *last = to.getParent();
  if (first == last && from.comesBefore(&to))
    return isQuiet(from.getIterator(), to.getIterator());
  if (first == last || !isQuiet(from.getIterator(), first->end()) || !isQuiet(last->begin(), to.getIterator()))
    return false;
  // All ways lead through the first block, where the load is executed again.
  SmallSetVector<const BasicBlock *, 16> between(pred_begin(last), pred_end(last));
  for (size_t i = 0; i < between.size(); ++i) {
    const BasicBlock *block = between[i];
    if (block == first)
      continue;
    if (between.size() > mostBlocks || !isQuiet(block->begin(), block->end()))
      return false;
    between.insert(pred_begin(block), pred_end(block));
  }
  return true;
}

/// Loads of the same variable before this one, between which and this one nothing writes it: the optimizer loads what
/// is at file scope or in a structure once more after each call.
static SmallVector<Value *> findEarlierLoads(Objects &objects, LoadInst &load, const DominatorTree &dominance) {
  auto getPlace = [](const LoadInst &of) {
    const DataLayout &layout = of.getDataLayout();
    APInt offset(layout.getIndexTypeSizeInBits(of.getPointerOperandType()), 0);
    const Value *object = of.getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
    return std::pair(object, offset);
  };
  std::optional<VariableValues> values = load.isSimple() ? getVariableValues(objects, load) : std::nullopt;
  if (!values)
    return {};
  SmallVector<Value *> same{&load};
  for (Instruction &instruction : instructions(*load.getFunction()))
    if (auto *other = dyn_cast<LoadInst>(&instruction);
        other && other != &load && other->isSimple() && other->getType() == load.getType() &&
        getPlace(*other) == getPlace(load) && dominance.dominates(other, &load) && isUnchanged(*other, load, *values))
      same.push_back(other);
  return same;
}

SmallVector<Value *> comm::findReloads(Objects &objects, Value &value, const DominatorTree &dominance) {
  LoadInst *load = findLoad(value);
  auto *variable = load ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
  CallBase *writer = variable ? findOnlyWriter(objects, *load, *variable) : nullptr;
  if (!writer && load == &value)
    return findEarlierLoads(objects, *load, dominance);
  if (!writer)
    return {};
  // In a loop too: a way from such a load past the next execution of the call to a use of the load would be a way to
  // the use that avoids the load, which dominates it.
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
