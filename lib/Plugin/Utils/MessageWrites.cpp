//===- MessageWrites.cpp - What messages write, in LLVM IR ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Utils/MessageWrites.h"

#include "Comm/Analysis/Memory/TypedAccess.h"
#include "Comm/MPI/Sums.h"
#include "Comm/Plugin/Utils/CalledFunction.h"
#include "Comm/Plugin/Utils/Handles.h"

#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace comm;

AnalysisKey MessageAliasAnalysis::Key;

const mpi::Function *comm::getMessage(const CallBase &call) {
  const mpi::Function *function = getCalledMPIFunction(call);
  if (!function || function->isLocal || function->isOneSided() || function->isOfFiles || function->mayCallBack ||
      call.arg_size() < function->params().size())
    return nullptr;
  bool hasBuffer = false;
  for (auto [index, param] : enumerate(function->params())) {
    hasBuffer |= param.role == mpi::Role::Buffer && function->isMessage(index);
    // Operators of the program run inside the call.
    bool isPredefined = param.role != mpi::Role::Op || isHandle(*call.getArgOperand(index), mpi::HandleClass::Op,
                                                                [](StringRef, const mpi::ABI &) { return true; });
    if (!isPredefined)
      return nullptr;
  }
  return hasBuffer ? function : nullptr;
}

/// Whether the predefined datatype of the message in that buffer satisfies `matches`.
static bool isOfDatatype(const CallBase &call, const mpi::Function &function, unsigned buffer,
                         function_ref<bool(StringRef, const mpi::ABI &)> matches) {
  int datatype = function.datatypeOf(buffer);
  return datatype >= 0 && isHandle(*call.getArgOperand(datatype), mpi::HandleClass::Datatype, matches);
}

bool comm::isOfFloatingPoint(const CallBase &call, const mpi::Function &function, unsigned buffer) {
  return isOfDatatype(call, function, buffer,
                      [](StringRef name, const mpi::ABI &) { return is_contained(mpi::getFloatingDatatypes(), name); });
}

bool comm::hasNoRoom(const CallBase &call, const mpi::Function &function, unsigned buffer, uint64_t size) {
  return size && isOfFloatingPoint(call, function, buffer) &&
         isOfDatatype(call, function, buffer, [&](StringRef name, const mpi::ABI &abi) {
           return abi.getDatatypeExtent(name).value_or(0) > size;
         });
}

uint64_t comm::getVariableSize(const Value &pointer, const DataLayout &layout) {
  const Value *object = getUnderlyingObject(&pointer);
  uint64_t size = 0;
  bool isKnown = isa<GlobalVariable, AllocaInst>(object) && getObjectSize(object, size, layout, /*TLI=*/nullptr);
  return isKnown ? size : 0;
}

bool MessageAliases::mayWrite(const CallBase &call, const mpi::Function &function, unsigned index,
                              const MemoryLocation &loaded, AAQueryInfo &query) const {
  const mpi::Param &param = function.params()[index];
  if (!param.writes())
    return false;
  const Value *pointer = call.getArgOperand(index);
  if (param.role == mpi::Role::Buffer) {
    // Derived datatypes may contain addresses or start before the buffer.
    if (!isOfDatatype(call, function, index, [](StringRef, const mpi::ABI &) { return true; }))
      return true;
    if (hasNoRoom(call, function, index, getVariableSize(*loaded.Ptr, call.getDataLayout())) ||
        (isOfFloatingPoint(call, function, index) && isLoadOfOther(loaded.AATags.TBAA, Written::FloatingMessage)))
      return false;
  }
  if (!pointer->getType()->isPointerTy())
    return true;
  bool isMissing = param.role == mpi::Role::Status && isa<Constant>(pointer) && !isa<GlobalValue>(pointer);
  return !isMissing &&
         query.AAR.alias(MemoryLocation::getBeforeOrAfter(pointer), loaded, query) != AliasResult::NoAlias;
}

const GlobalVariable *MessageAliases::getPrivateVariable(const Value *pointer) const {
  const auto *variable = dyn_cast<GlobalVariable>(getUnderlyingObject(pointer));
  return variable && privateVariables.contains(variable->getName()) ? variable : nullptr;
}

/// Whether a pointer may lead to a private variable. All pointers to it are computed from the variable itself.
static bool mayPointTo(const Value *pointer, const GlobalVariable *variable) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(pointer, objects);
  return any_of(objects, [&](const Value *object) { return object == variable || isa<PHINode, SelectInst>(object); });
}

AliasResult MessageAliases::alias(const MemoryLocation &a, const MemoryLocation &b, AAQueryInfo &,
                                  const Instruction *) {
  for (auto [pointer, other] : {std::pair(a.Ptr, b.Ptr), std::pair(b.Ptr, a.Ptr)})
    if (const GlobalVariable *variable = getPrivateVariable(pointer); variable && !mayPointTo(other, variable))
      return AliasResult::NoAlias;
  return AliasResult::MayAlias;
}

ModRefInfo MessageAliases::getModRefInfo(const CallBase *call, const MemoryLocation &loaded, AAQueryInfo &query) {
  const mpi::Function *function = loaded.Ptr ? getMessage(*call) : nullptr;
  if (!function)
    return ModRefInfo::ModRef;
  const GlobalVariable *variable = getPrivateVariable(loaded.Ptr);
  for (auto [index, param] : enumerate(function->params()))
    if (param.writes() && mayWrite(*call, *function, index, loaded, query) &&
        (!variable || mayPointTo(call->getArgOperand(index), variable)))
      return ModRefInfo::ModRef;
  return ModRefInfo::Ref;
}
