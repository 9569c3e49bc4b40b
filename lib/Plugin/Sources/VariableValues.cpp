//===- VariableValues.cpp - All values of a variable ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VariableValues.h"

#include "Comm/Plugin/Utils/CalledFunction.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace comm;

namespace {
/// Collects what is written to a part of one object.
class Collector {
public:
  Collector(Objects &objects, const LoadInst &load, VariableValues &values)
      : objects(objects), load(load), values(values), layout(load.getDataLayout()),
        size(layout.getTypeStoreSize(load.getType())) {}

  /// Returns false if the values are unknown.
  bool collect(Value &object, const Place &where);

private:
  bool addNumber(const Constant *number);
  bool addStore(StoreInst &store, const Place &at, const Place &where);
  bool addOutcome(const ObjectUses::Outcome &outcome, const Place &at, const Place &where);
  bool addFill(const AnyMemIntrinsic &fill, const Place &at, const Place &where);
  bool isWrittenBefore() const;

  Objects &objects;
  const LoadInst &load;
  VariableValues &values;
  const DataLayout &layout;
  uint64_t size;
};
} // namespace

bool Collector::addNumber(const Constant *number) {
  if (auto *known = dyn_cast_or_null<ConstantInt>(number))
    values.numbers.push_back(known->getSExtValue());
  return isa_and_nonnull<ConstantInt, UndefValue>(number);
}

bool Collector::addStore(StoreInst &store, const Place &at, const Place &where) {
  const Value *stored = store.getValueOperand();
  uint64_t bytes = layout.getTypeStoreSize(stored->getType());
  if (at.isApart(bytes, where, size))
    return true;
  // Bytes set to zero cannot form one of MPI's negative numbers.
  if (auto *constant = dyn_cast<Constant>(stored); constant && constant->isNullValue())
    return addNumber(ConstantInt::getNullValue(load.getType()));
  // Aligned accesses of one size to such variables are identical or disjoint.
  bool isSame = at == where && at.stride == 0;
  bool isAligned = store.getAlign() >= size && load.getAlign() >= size;
  if (bytes != size || !stored->getType()->isIntegerTy() || (!isSame && !isAligned))
    return false;
  values.stores.push_back(&store);
  return true;
}

bool Collector::addOutcome(const ObjectUses::Outcome &outcome, const Place &at, const Place &where) {
  if (outcome.bytes != 0 && at.isApart(outcome.bytes, where, size))
    return true;
  if (size != 4 || StringRef(outcome.param->cType).split(' ').first != "int" ||
      (load.getAlign() < 4 && !(at == where && at.stride == 0 && outcome.bytes == 4)))
    return false;
  values.outcomes.push_back(outcome);
  return true;
}

bool Collector::addFill(const AnyMemIntrinsic &fill, const Place &at, const Place &where) {
  auto *length = dyn_cast<ConstantInt>(fill.getLength());
  if (length && at.isApart(length->getZExtValue(), where, size))
    return true;
  auto *set = dyn_cast<AnyMemSetInst>(&fill);
  auto *byte = set ? dyn_cast<ConstantInt>(set->getValue()) : nullptr;
  return byte && byte->isZero() && addNumber(ConstantInt::getNullValue(load.getType()));
}

bool comm::tellsProcesses(const mpi::Function &function, const mpi::Param &param) {
  // A group's rank may be MPI_UNDEFINED; the size that MPI_Pack_size returns is a number of bytes.
  return function.findRole(mpi::Role::Comm, mpi::Direction::In) >= 0 &&
         (StringRef(param.name) == "rank" ||
          (StringRef(param.name) == "size" && StringRef(function.name).starts_with("MPI_Comm_")));
}

/// Returns whether the call stores a rank or a size to that address.
static bool isAskedFor(const CallBase &call, const Value *address, const APInt &offset) {
  const mpi::Function *function = getCalledMPIFunction(call);
  for (unsigned i = 0; function && i < function->numParams && i < call.arg_size(); ++i) {
    const Value *argument = call.getArgOperand(i);
    if (!tellsProcesses(*function, function->params()[i]) || !argument->getType()->isPointerTy())
      continue;
    APInt at(offset.getBitWidth(), 0);
    if (argument->stripAndAccumulateConstantOffsets(call.getDataLayout(), at, /*AllowNonInbounds=*/true) == address &&
        at == offset)
      return true;
  }
  return false;
}

/// Returns whether MPI has written the variable on all paths to the load. An address denotes one variable here: a path
/// from its definition to the load that avoids the call would also be a path from the function's entry.
bool Collector::isWrittenBefore() const {
  const Value *address = load.getPointerOperand();
  APInt offset(layout.getIndexTypeSizeInBits(address->getType()), 0);
  address = address->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  if (size != 4 || none_of(address->users(), [](const User *user) { return isa<CallBase, GEPOperator>(user); }))
    return false;
  SmallVector<const CallBase *, 2> calls;
  for (const Instruction &instruction : instructions(load.getFunction()))
    if (auto *call = dyn_cast<CallBase>(&instruction); call && isAskedFor(*call, address, offset))
      calls.push_back(call);
  if (calls.empty())
    return false;
  const DominatorTree &dominance = objects.getDominance(*load.getFunction());
  return any_of(calls, [&](const CallBase *call) { return dominance.dominates(call, &load); });
}

bool Collector::collect(Value &object, const Place &where) {
  const ObjectUses &uses = objects.getUses(object);
  const Constant *initial = uses.areAll ? objects.getInitialValue(object, where, load.getType()) : nullptr;
  return initial && (isWrittenBefore() || addNumber(initial)) &&
         all_of(uses.stores, [&](const auto &store) { return addStore(*store.first, store.second, where); }) &&
         all_of(uses.outcomes, [&](const auto &outcome) { return addOutcome(outcome.first, outcome.second, where); }) &&
         all_of(uses.fills, [&](const auto &fill) { return addFill(*fill.first, fill.second, where); });
}

std::optional<VariableValues> comm::getVariableValues(Objects &objects, const LoadInst &load) {
  if (!load.getType()->isIntegerTy() || load.isVolatile() || load.getType()->getIntegerBitWidth() % 8 != 0)
    return std::nullopt;
  std::optional<Objects::Pointees> variables = objects.findObjects(const_cast<Value &>(*load.getPointerOperand()));
  if (!variables)
    return std::nullopt;
  VariableValues values;
  Collector collector(objects, load, values);
  if (!all_of(*variables, [&](auto &entry) { return collector.collect(*entry.first, entry.second); }))
    return std::nullopt;
  return values;
}
