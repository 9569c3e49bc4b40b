//===- CopyFlow.cpp - Copied requests -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopyFlow.h"

#include "Comm/Analysis/Requests/RequestFlow.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace comm;

CopyFlow::CopyFlow(const RequestObject &object, FlowBlocks &blocks)
    : object(object), blocks(blocks), in(blocks.getOrder().size()), out(blocks.getOrder().size()) {
  findPlaces();
  live.assign(object.allocations.size(), llvm::BitVector(blocks.getOrder().size()));
  for (Value pointer : object.pointers) {
    llvm::BitVector found = blocks.findLive(pointer);
    for (Place place : getPlaces(pointer))
      live[place] |= found;
  }
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Follows the pointers that are computed from each allocation.
void CopyFlow::findPlaces() {
  for (auto [place, allocation] : llvm::enumerate(object.allocations)) {
    llvm::SmallSetVector<Value, 8> reached;
    reached.insert(allocation);
    for (size_t i = 0; i < reached.size(); ++i) {
      pointsTo[reached[i]].push_back(place);
      for (OpOperand &use : reached[i].getUses()) {
        Operation *user = use.getOwner();
        auto branch = dyn_cast<BranchOpInterface>(user);
        std::optional<BlockArgument> argument =
            branch ? branch.getSuccessorBlockArgument(use.getOperandNumber()) : std::nullopt;
        if (argument)
          reached.insert(*argument);
        else if (user->getNumResults() == 1 && object.pointers.contains(user->getResult(0)))
          reached.insert(user->getResult(0));
      }
    }
  }
  for (Value handle : object.handles)
    placeOf.try_emplace(handle, object.allocations.size() + placeOf.size());
}

ArrayRef<CopyFlow::Place> CopyFlow::getPlaces(Value pointer) const {
  auto it = pointsTo.find(pointer);
  return it == pointsTo.end() ? ArrayRef<Place>() : ArrayRef<Place>(it->second);
}

bool CopyFlow::isWhole(Value pointer, uint64_t stored) const {
  auto variable = pointer.getDefiningOp<LLVM::AllocaOp>();
  if (!variable || !variable->getBlock()->isEntryBlock())
    return false;
  return getConstantInteger(variable.getArraySize()) == 1 &&
         object.getLayout().getTypeSize(variable.getElemType()).getFixedValue() == stored;
}

//===----------------------------------------------------------------------===//
// Flow
//===----------------------------------------------------------------------===//

ActiveStarts CopyFlow::get(const State &state, ArrayRef<Place> places) const {
  ActiveStarts result;
  for (Place place : places)
    join(result, state[place]);
  return result;
}

ActiveStarts CopyFlow::getValue(const State &state, Value value) const {
  auto it = placeOf.find(value);
  return it == placeOf.end() ? ActiveStarts() : state[it->second];
}

void CopyFlow::put(State &state, Value pointer, const ActiveStarts &starts, bool replaces) const {
  for (Place place : getPlaces(pointer))
    if (replaces)
      state[place] = starts;
    else
      join(state[place], starts);
}

void CopyFlow::transfer(Operation &op, State &state) const {
  if (object.starts.contains(&op)) {
    unsigned number = llvm::find(object.starts, &op) - object.starts.begin();
    Value pointer = getRequestPointer(&op);
    ActiveStarts starts;
    starts.try_emplace(number, llvm::BitVector(blocks.getOrder().size()));
    put(state, pointer, starts, isWhole(pointer, object.getHandleSize()));
  } else if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
    put(state, store.getAddr(), getValue(state, store.getValue()),
        isWhole(store.getAddr(), object.getLayout().getTypeSize(store.getValue().getType()).getFixedValue()));
  } else if (isa<LLVM::MemcpyOp, LLVM::MemmoveOp>(op)) {
    put(state, op.getOperand(0), get(state, getPlaces(op.getOperand(1))), /*replaces=*/false);
  } else if (isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(op)) {
    for (Value pointer : op.getOperands())
      if (object.allocations.contains(pointer))
        put(state, pointer, {}, /*replaces=*/true);
  } else if (op.getNumResults() == 1 && placeOf.contains(op.getResult(0))) {
    ActiveStarts starts;
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      starts = get(state, getPlaces(load.getAddr()));
    else
      for (Value operand : op.getOperands())
        join(starts, getValue(state, operand));
    state[placeOf.lookup(op.getResult(0))] = std::move(starts);
  }
}

CopyFlow::State CopyFlow::getIncoming(Block *block) const {
  State result;
  size_t size = object.allocations.size() + placeOf.size();
  if (block->isEntryBlock())
    result.resize(size);
  for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
    Block *from = *it;
    if (!blocks.contains(from) || out[blocks.getNumber(from)].empty())
      continue;
    const State &before = out[blocks.getNumber(from)];
    State state = before;
    auto branch = dyn_cast<BranchOpInterface>(from->getTerminator());
    for (BlockArgument argument : block->getArguments())
      if (auto place = placeOf.find(argument); place != placeOf.end())
        state[place->second] =
            getValue(before, branch.getSuccessorOperands(it.getSuccessorIndex())[argument.getArgNumber()]);
    if (blocks.isBackEdge(from, block))
      for (ActiveStarts &starts : state)
        for (auto &[start, again] : starts)
          again.set(blocks.getNumber(block));
    result.resize(size);
    for (auto [starts, others] : llvm::zip_equal(result, state))
      join(starts, others);
  }
  // Once no pointer into the memory is live, its requests cannot be accessed.
  for (auto [place, isLive] : llvm::enumerate(live))
    if (!result.empty() && !isLive.test(blocks.getNumber(block)))
      result[place].clear();
  return result;
}

void CopyFlow::solve() {
  for (bool changed = true; changed;) {
    changed = false;
    for (Block *block : blocks.getOrder()) {
      unsigned number = blocks.getNumber(block);
      State state = getIncoming(block);
      if (state.empty() || state == in[number])
        continue;
      changed = true;
      in[number] = state;
      for (Operation &op : *block)
        transfer(op, state);
      out[number] = std::move(state);
    }
  }
}

void CopyFlow::forEachWait(llvm::function_ref<void(Operation *, const ActiveStarts &)> fn) {
  for (Block *block : blocks.getOrder()) {
    State state = in[blocks.getNumber(block)];
    if (state.empty())
      continue;
    for (Operation &op : *block) {
      if (object.completions.contains(&op) && isWaitInMemory(&op))
        fn(&op, get(state, getPlaces(getRequestPointer(&op))));
      transfer(op, state);
    }
  }
}
