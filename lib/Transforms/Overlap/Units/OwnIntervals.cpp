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

std::optional<OwnInterval> comm::getOwnInterval(const Chain &chain, unsigned unit) {
  Operation *op = chain.getUnits()[unit].isPiece() ? nullptr : chain.getUnits()[unit].op;
  auto wait = dyn_cast_or_null<WaitOp>(op);
  Operation *start = wait ? wait.getRequest().getDefiningOp() : op;
  std::optional<Interval> interval =
      start && start->hasAttr(kProgramsIntervalAttrName) ? getInterval(start) : std::nullopt;
  if (!interval)
    return std::nullopt;
  int begin = chain.findUnit(interval->start), end = chain.findUnit(interval->wait);
  if (begin < 0 || end < begin)
    return std::nullopt;
  return OwnInterval{static_cast<unsigned>(begin), static_cast<unsigned>(end)};
}

/// Characters may be of any object.
static bool isCharacter(Attribute type) {
  auto descriptor = dyn_cast<LLVM::TBAATypeDescriptorAttr>(type);
  return !descriptor || descriptor.getId() == "omnipotent char";
}

/// Whether a member of a structure, or of one in it, is a pointer: clang makes all pointers kinds of one type.
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

/// Whether nothing is written but messages, which the program may not look at: no status, and no handle.
static bool writesMessagesAlone(MPIOpInterface start, WaitOp wait) {
  Value status = wait.getStatus();
  return (!status || !getConstantName(status).empty()) &&
         llvm::all_of(start.getAccesses(), [](const BufferAccess &access) {
           return !access.writes || access.param->role == mpi::Role::Buffer;
         });
}

bool comm::isForeignInFlight(const Chain &chain, OwnInterval interval, LLVM::LoadOp load) {
  auto start = dyn_cast<MPIOpInterface>(chain.getUnits()[interval.start].op);
  auto wait = dyn_cast<WaitOp>(chain.getUnits()[interval.wait].op);
  ArrayAttr tags = load.getTbaaAttr();
  if (!start || !wait || !writesMessagesAlone(start, wait) || !tags || tags.size() != 1)
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
  Value datatype = start.getParam("datatype");
  return datatype && llvm::is_contained(mpi::getFloatingDatatypes(), getConstantName(datatype));
}
