//===- Reloads.cpp - Values that are loaded more than once -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reloads.h"

#include "VariableValues.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

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

SmallVector<Value *> comm::findReloads(Objects &objects, Value &value, const DominatorTree &dominance) {
  LoadInst *load = findLoad(value);
  auto *variable = load ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
  CallBase *writer = variable ? findOnlyWriter(objects, *load, *variable) : nullptr;
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
