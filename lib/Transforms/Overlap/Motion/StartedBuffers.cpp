//===- StartedBuffers.cpp - What starts own until their waits --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Motion/StartedBuffers.h"

#include "Comm/Analysis/Order/Dependence.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace comm;

/// Returns true if everything that the piece is computed from is the same at the wait as at the start.
static bool isSame(const InFlightStart &start, const Piece &piece) {
  bool same = !piece.base.pointer || start.isSame(piece.base.pointer);
  auto check = [&](Value value) { same &= start.isSame(value); };
  piece.begin.forEachSymbol(check);
  piece.size.forEachSymbol(check);
  for (const Level &level : piece.levels) {
    level.stride.forEachSymbol(check);
    level.count.forEachSymbol(check);
  }
  piece.holds.forEachSymbol(check);
  return same;
}

/// Returns the object of a pointer that is not derived from another one, as pieces name it.
static Base getObject(Value pointer) {
  auto variable = pointer ? pointer.getDefiningOp<LLVM::AddressOfOp>() : LLVM::AddressOfOp();
  return variable ? Base{Value(), variable.getGlobalNameAttr().getAttr()} : Base{pointer, StringAttr()};
}

/// Returns true if the pointer refers to the object, or to one of several objects that include it. The object's address
/// is not known elsewhere.
static bool mayPointInto(Value pointer, const Base &object) {
  SmallVector<Value> work{pointer};
  llvm::SmallDenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (getObject(value) == object)
      return true;
    if (!value || !seen.insert(value).second)
      continue;
    if (auto gep = value.getDefiningOp<LLVM::GEPOp>()) {
      work.push_back(gep.getBase());
    } else if (auto select = value.getDefiningOp<LLVM::SelectOp>()) {
      work.append({select.getTrueValue(), select.getFalseValue()});
    } else if (auto argument = dyn_cast<BlockArgument>(value); argument && !argument.getOwner()->isEntryBlock()) {
      Block *block = argument.getOwner();
      for (auto edge = block->pred_begin(); edge != block->pred_end(); ++edge)
        if (auto branch = dyn_cast<BranchOpInterface>((*edge)->getTerminator()))
          work.push_back(branch.getSuccessorOperands(edge.getSuccessorIndex())[argument.getArgNumber()]);
    }
  }
  return false;
}

Footprint comm::findBuffers(MPIOpInterface start, const Footprint &home) {
  Footprint result;
  Value request = start.getParam("request");
  Base object = request ? getObject(getBasePointer(request)) : Base();
  for (const BufferAccess &access : start.getAccesses())
    if (object.isKnown() && access.param->role != mpi::Role::Request && mayPointInto(access.buffer, object))
      object = Base();
  for (const Piece &piece : home.pieces)
    if (piece.op == start && (!object.isKnown() || !(piece.base == object)))
      result.pieces.push_back(piece);
  if (home.unknownOps.contains(start) && !(object.isKnown() && home.unknownRequests.contains(start)))
    result.unknownOps.insert(start);
  return result;
}

std::optional<unsigned> comm::findHome(const InFlightStart &start, unsigned wait, const Chain &chain) {
  int home = chain.findUnit(start.start);
  bool isHere =
      home >= 0 && home <= static_cast<int>(wait) && !start.renewed->contains(chain.getUnits()[home].op->getBlock());
  return isHere ? std::optional<unsigned>(home) : std::nullopt;
}

Expr comm::isEntered(const Unit &unit) {
  auto [condition, isEnteredIfTrue] = getEntry(unit);
  if (!condition)
    return Expr(1);
  // As a signed number, true is -1.
  Expr holds = Expr::symbol(condition);
  return isEnteredIfTrue ? Expr() - holds : Expr(1) + holds;
}

bool comm::isSameAtWait(const InFlightStart &start, const Footprint &buffers) {
  return llvm::all_of(buffers.pieces, [&](const Piece &piece) { return isSame(start, piece); });
}
