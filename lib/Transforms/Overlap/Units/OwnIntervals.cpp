//===- OwnIntervals.cpp - What the program does while it receives ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units/OwnIntervals.h"

#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/MPI/Sums.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace comm;

/// Returns true for characters, which may alias any object.
static bool isCharacter(Attribute type) {
  auto descriptor = dyn_cast<LLVM::TBAATypeDescriptorAttr>(type);
  return !descriptor || descriptor.getId() == "omnipotent char";
}

/// Returns true if a member of a structure, or of a nested one, is a pointer. Clang derives all pointer types from one.
static bool hasPointer(LLVM::TBAATypeDescriptorAttr structure) {
  SmallVector<LLVM::TBAATypeDescriptorAttr> work{structure};
  llvm::SmallPtrSet<const void *, 8> seen;
  while (!work.empty()) {
    LLVM::TBAATypeDescriptorAttr type = work.pop_back_val();
    if (!seen.insert(type.getAsOpaquePointer()).second)
      continue;
    if (type.getId() == "any pointer")
      return true;
    for (LLVM::TBAAMemberAttr member : type.getMembers())
      if (auto descriptor = dyn_cast<LLVM::TBAATypeDescriptorAttr>(member.getTypeDesc()))
        work.push_back(descriptor);
  }
  return false;
}

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
  ArrayAttr tags = load.getTbaaAttr();
  if (!isWithin || !writesMessagesAlone(*interval) || !tags || tags.size() != 1)
    return false;
  auto tag = cast<LLVM::TBAATagAttr>(tags[0]);
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
