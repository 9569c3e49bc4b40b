//===- MotionRemarks.cpp - What communications overlap, or why they do not ===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Motion/ChainMotion.h"

#include "Comm/Analysis/Memory/RegionCalls.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Dialect/Comm/Utils/Naming.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Demangle/Demangle.h"

using namespace mlir;
using namespace comm;

std::string comm::describe(const Unit &unit) {
  std::string what = "the statement";
  if (unit.isLoop || (!unit.isPiece() && isa<LoopLikeOpInterface>(unit.op)))
    what = "the loop";
  else if (unit.isPiece() && !unit.interior.empty())
    what = "the branch";
  else if (auto mpiOp = dyn_cast<MPIOpInterface>(unit.op))
    what = getDisplayName(mpiOp).str();
  else if (isRegionCall(unit.op))
    what = "the OpenMP region";
  else if (auto call = dyn_cast<CallOpInterface>(unit.op))
    if (auto callee = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
      what = "the call of " + llvm::demangle(callee.getRootReference().getValue());
  SourcePosition position = getSourcePosition(unit.op->getLoc());
  return position.line ? what + " at " + toString(position) : what;
}

static std::string count(unsigned n, StringRef what) {
  return (llvm::Twine(n) + " " + what + (n == 1 ? "" : "s")).str();
}

std::string comm::describe(const Contents &contents) {
  if (contents.loops == 0 && contents.statements == 0 && contents.regions == 0 && contents.communications != 0)
    return count(contents.communications, "other communication");
  std::string regions = contents.regions ? count(contents.regions, "OpenMP region") + ", " : "";
  return regions + count(contents.loops, "loop") + ", " + count(contents.statements, "statement");
}

/// Describes the unit and why the communication cannot pass it.
static std::string explainUnit(const Unit &unit, Reason reason) {
  std::string text = comm::describe(unit) + " " + comm::describe(reason).str();
  StringRef obstacle = unit.isPiece() || reason == Reason::Memory ? "" : getRegionObstacle(unit.op);
  return obstacle.empty() ? text : text + ": it " + obstacle.str();
}

void ChainMotion::explain(Segment segment, const ScheduleProblem::Pair &pair, StringRef prefix) {
  auto start = cast<MPIOpInterface>(chain.getUnits()[segment.begin + pair.start].op);
  std::string text;
  auto isGuard = [&](unsigned unit) { return isConditionalWait(chain.getUnits()[unit].op); };
  auto note = [&](StringRef where, unsigned unit, Reason reason) {
    text += where.str() + explainUnit(chain.getUnits()[unit], reason);
  };
  unsigned wait = segment.begin + pair.wait, first = segment.begin + pair.start;
  for (unsigned unit = wait + 1; unit < chain.getUnits().size(); ++unit)
    if (Reason reason = dependence.getReason(wait, unit);
        mustPrecede(wait, unit) && !isGuard(unit) && !areOneCall(start, chain.getUnits()[unit].op)) {
      note("; after it, ", unit, reason);
      break;
    }
  for (unsigned unit = first; unit-- > 0;)
    if (Reason reason = dependence.getReason(unit, first); mustPrecede(unit, first) && !isGuard(unit) &&
                                                           !dependence.isFree(unit) &&
                                                           !areOneCall(start, chain.getUnits()[unit].op)) {
      note("; before it, ", unit, reason);
      break;
    }
  if (text.empty())
    text = "; its scope contains nothing else";
  remark::missed(start.getLoc(),
                 remark::RemarkOpts::name("NoOverlap").category("comm-move-slices").function(getFunctionName(start)))
      << getDisplayName(start) << " " << prefix << text;
}

bool ChainMotion::tellOwnWaits(Segment segment, const ScheduleProblem &problem, ArrayRef<unsigned> before,
                               ArrayRef<unsigned> order, unsigned minWeight, bool isMeasured,
                               llvm::DenseSet<Operation *> &told) {
  bool gained = false;
  for (const OwnWait &wait : ownWaits) {
    // The interval of the first start is the longest one.
    const ScheduleProblem::Pair *longest = nullptr;
    unsigned had = 0, has = 0;
    for (const ScheduleProblem::Pair &pair : problem.pairs) {
      if (!pair.isInMemory || segment.begin + pair.wait != wait.unit)
        continue;
      had = std::max(had, getIntervalWeight(problem, before, pair));
      unsigned weight = getIntervalWeight(problem, order, pair);
      if (!longest || weight > has)
        longest = &pair;
      has = std::max(has, weight);
    }
    if (!longest)
      continue;
    auto named = [&](StringRef name) {
      return remark::RemarkOpts::name(name).category("comm-move-slices").function(getFunctionName(wait.wait));
    };
    if (has >= had + minWeight) {
      if (auto why = isMeasured ? whyNoGain(segment, before, order, *longest) : std::nullopt) {
        if (told.insert(wait.wait).second)
          remark::missed(wait.wait->getLoc(), named("NotWorthwhile")) << comm::describe(wait) << " " << *why;
        continue;
      }
      gained = true;
      told.insert(wait.wait);
      std::string contents = comm::describe(describeContents(segment, order, *longest));
      if (had >= minWeight)
        contents += " instead of " + comm::describe(describeContents(segment, before, *longest));
      remark::passed(wait.wait->getLoc(), named("Overlap")) << comm::describe(wait) << " overlaps " << contents;
      markChanged(wait.wait);
      continue;
    }
    // Skip the end of its memory's lifetime, which follows it anyway.
    auto isEnd = [&](unsigned unit) {
      auto call = dyn_cast<CallOpInterface>(chain.getUnits()[unit].op);
      return isa<LLVM::LifetimeEndOp>(chain.getUnits()[unit].op) || (call && isDeallocation(call));
    };
    std::string cause = "nothing worth overlapping follows it in its scope";
    for (unsigned unit = wait.unit + 1; unit < chain.getUnits().size(); ++unit)
      if (Reason reason = dependence.getReason(wait.unit, unit); reason != Reason::None && !isEnd(unit)) {
        cause = "after it, " + explainUnit(chain.getUnits()[unit], reason);
        break;
      }
    if (told.insert(wait.wait).second)
      remark::missed(wait.wait->getLoc(), named("NoOverlap"))
          << comm::describe(wait) << " stays where it is: " << cause;
  }
  return gained;
}
