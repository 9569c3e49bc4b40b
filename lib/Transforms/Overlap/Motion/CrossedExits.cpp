//===- CrossedExits.cpp - Which exits operations cross --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Motion/ChainMotion.h"

#include "Comm/Dialect/Comm/Utils/Interval.h"

using namespace mlir;
using namespace comm;

/// Returns the unit and those that compute its operands, directly or through units that are copied with it.
llvm::BitVector ChainMotion::findSources(Segment segment, unsigned unit,
                                         llvm::function_ref<bool(unsigned)> isCopied) const {
  llvm::BitVector sources(segment.end - segment.begin);
  sources.set(unit);
  SmallVector<unsigned> work{unit};
  while (!work.empty())
    for (Value operand : chain.getUnits()[segment.begin + work.pop_back_val()].op->getOperands()) {
      int definition = chain.findDefiningUnit(operand) - static_cast<int>(segment.begin);
      if (definition < 0 || sources.test(definition))
        continue;
      sources.set(definition);
      if (isCopied(definition))
        work.push_back(definition);
    }
  return sources;
}

/// Keeps branches and loops before an exit if operations that cross the exit are computed from them. Other statements
/// may move across it, too, since they are copied to the exit.
void ChainMotion::keepWhatCopiesNeed(Segment segment, ScheduleProblem &problem) const {
  auto isPiece = [&](unsigned unit) { return chain.getUnits()[segment.begin + unit].isPiece(); };
  llvm::BitVector needed(problem.units.size());
  for (unsigned v = 0; v < problem.units.size(); ++v) {
    unsigned index = segment.begin + v;
    if (chain.getUnits()[index].leavesAbnormally() || !dependence.getThrowing(index).empty())
      problem.predecessors[v] |= needed;
    if (!dependence.mayCrossExits(index))
      continue;
    llvm::BitVector sources = findSources(segment, v, [&](unsigned unit) { return !isPiece(unit); });
    for (unsigned source : sources.set_bits())
      if (isPiece(source))
        needed.set(source);
  }
}

void ChainMotion::findExits(Segment segment, ArrayRef<unsigned> order, AbnormalExits &exits) const {
  ArrayRef<Unit> units = ArrayRef(chain.getUnits()).slice(segment.begin, segment.end - segment.begin);
  for (size_t place = 0; place < order.size(); ++place) {
    unsigned leaving = order[place];
    const Unit &unit = units[leaving];
    ArrayRef<Operation *> calls = dependence.getThrowing(segment.begin + leaving);
    if (calls.empty() && !unit.leavesAbnormally())
      continue;
    llvm::BitVector after(units.size()), crossing(units.size());
    for (unsigned other : order.drop_front(place + 1))
      after.set(other);
    // Find the units that preceded it in the program and now follow it, and what they are computed from. Skip guards: a
    // wait for the same request crosses, too.
    for (unsigned other : after.set_bits())
      if (other < leaving && dependence.mayCrossExits(segment.begin + other) && !isConditionalWait(units[other].op))
        crossing |= findSources(segment, other, [&](unsigned source) { return after.test(source); });
    crossing &= after;
    AbnormalExits::Operations operations;
    for (unsigned other : crossing.set_bits())
      operations.push_back(units[other].op);
    if (operations.empty())
      continue;
    for (Operation *call : calls)
      exits.calls[call].append(operations);
    for (BlockOperand *edge : unit.exits)
      exits.edges[edge].append(operations);
  }
}
