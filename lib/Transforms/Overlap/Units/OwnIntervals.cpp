//===- OwnIntervals.cpp - What the program does while it receives ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units/OwnIntervals.h"

#include "Units/TypeTags.h"

#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/MPI/Sums.h"

using namespace mlir;
using namespace comm;

/// Returns true if the interval writes only messages, which the program must not access meanwhile: no status, and no
/// handle.
static bool writesMessagesAlone(const Interval &interval) {
  WaitOp wait = interval.wait;
  MPIOpInterface start = interval.start;
  Value status = wait.getStatus();
  return (!status || !getConstantName(status).empty()) &&
         llvm::all_of(start.getAccesses(), [](const BufferAccess &access) {
           return !access.writes || access.param->role == mpi::Role::Buffer;
         });
}

/// Returns the interval of the program itself that the unit starts.
static std::optional<Interval> getOwnInterval(const Unit &unit) {
  bool isOwn = !unit.isPiece() && unit.op->hasAttr(kProgramsIntervalAttrName);
  std::optional<Interval> interval = isOwn ? getInterval(unit.op) : std::nullopt;
  return interval && interval->start == unit.op ? interval : std::nullopt;
}

bool comm::isForeignInFlight(const Chain &chain, LLVM::LoadOp load, unsigned unit, unsigned start) {
  std::optional<Interval> interval = getOwnInterval(chain.getUnits()[start]);
  bool isWithin = interval && start < unit && static_cast<int>(unit) < chain.findUnit(interval->wait);
  LLVM::TBAATagAttr tag = getTypeTag(load);
  if (!isWithin || !writesMessagesAlone(*interval) || !tag)
    return false;
  if (isCharacter(tag.getAccessType()))
    return false;
  if (isa<LLVM::LLVMPointerType>(load.getType()))
    return true;
  if (!load.getType().isIntOrIndex())
    return false;
  auto around = dyn_cast<LLVM::TBAATypeDescriptorAttr>(tag.getBaseType());
  if (around && tag.getBaseType() != tag.getAccessType() && hasPointer(around))
    return true;
  MPIOpInterface receive = interval->start;
  Value datatype = receive.getParam("datatype");
  return datatype && llvm::is_contained(mpi::getFloatingDatatypes(), getConstantName(datatype));
}
