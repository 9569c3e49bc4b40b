//===- VariableValues.cpp - All values that a variable can have ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VariableValues.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace comm;

namespace {
/// Follows all pointers into one object.
class Collector {
public:
  Collector(const Value &object, int64_t offset, uint64_t size, const DataLayout &layout)
      : object(object), offset(offset), size(size), layout(layout) {}

  /// False if somebody may write the variable who is not seen.
  bool collect();
  VariableValues values;

private:
  bool addUse(const Use &use, int64_t at);
  bool addStore(const StoreInst &store, int64_t at);
  bool addCall(const CallBase &call, const Use &use, int64_t at);
  bool isApart(int64_t at, uint64_t bytes) const {
    return at + static_cast<int64_t>(bytes) <= offset || at >= offset + static_cast<int64_t>(size);
  }

  const Value &object;
  int64_t offset;
  uint64_t size;
  const DataLayout &layout;
};
} // namespace

bool Collector::addStore(const StoreInst &store, int64_t at) {
  uint64_t bytes = layout.getTypeStoreSize(store.getValueOperand()->getType());
  if (isApart(at, bytes))
    return true;
  if (at != offset || bytes != size || !store.getValueOperand()->getType()->isIntegerTy())
    return false;
  values.stores.push_back(const_cast<StoreInst *>(&store));
  return true;
}

/// A blocking function of MPI that reads the memory, or writes one number there. MPI keeps no such pointer.
bool Collector::addCall(const CallBase &call, const Use &use, int64_t at) {
  const Function *callee = call.getCalledFunction();
  const mpi::Function *function = callee && callee->isDeclaration() ? mpi::lookupFunction(callee->getName()) : nullptr;
  if (!function || function->mayCallBack || !call.isArgOperand(&use) ||
      call.getArgOperandNo(&use) >= function->numParams)
    return false;
  const mpi::Param &param = function->params()[call.getArgOperandNo(&use)];
  if (param.isAsync || param.role == mpi::Role::Buffer || param.role == mpi::Role::Address)
    return false;
  if (!param.writes())
    return true;
  if (!param.isScalarOut() && !(param.role == mpi::Role::Rank && param.isPointer && !param.isArray))
    return false;
  // A number of C's type int, or a handle: as large as what is loaded, or larger.
  if (isApart(at, 8))
    return true;
  if (at != offset || size != 4 || StringRef(param.cType).split(' ').first != "int")
    return false;
  values.outcomes.push_back({function, &param});
  return true;
}

bool Collector::addUse(const Use &use, int64_t at) {
  const User *user = use.getUser();
  if (isa<LoadInst>(user))
    return true;
  if (const auto *store = dyn_cast<StoreInst>(user))
    return use.getOperandNo() == StoreInst::getPointerOperandIndex() && addStore(*store, at);
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(user); intrinsic && intrinsic->isLifetimeStartOrEnd())
    return true;
  if (const auto *call = dyn_cast<CallBase>(user))
    return addCall(*call, use, at);
  return false;
}

bool Collector::collect() {
  SmallVector<std::pair<const Value *, int64_t>> pointers{{&object, 0}};
  while (!pointers.empty()) {
    auto [pointer, at] = pointers.pop_back_val();
    for (const Use &use : pointer->uses()) {
      if (const auto *gep = dyn_cast<GEPOperator>(use.getUser())) {
        APInt more(64, 0);
        if (!gep->accumulateConstantOffset(layout, more))
          return false;
        pointers.push_back({gep, at + more.getSExtValue()});
      } else if (!addUse(use, at)) {
        return false;
      }
    }
  }
  return true;
}

std::optional<VariableValues> comm::getVariableValues(const LoadInst &load) {
  if (!load.getType()->isIntegerTy() || load.isVolatile())
    return std::nullopt;
  const DataLayout &layout = load.getModule()->getDataLayout();
  APInt offset(64, 0);
  const Value *object =
      load.getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  const auto *global = dyn_cast<GlobalVariable>(object);
  bool isOurs = isa<AllocaInst>(object) || (global && global->hasLocalLinkage() && global->hasInitializer());
  if (!isOurs)
    return std::nullopt;
  Collector collector(*object, offset.getSExtValue(), layout.getTypeStoreSize(load.getType()), layout);
  if (!collector.collect())
    return std::nullopt;
  if (global) {
    auto *initial = dyn_cast_or_null<ConstantInt>(
        ConstantFoldLoadFromConst(const_cast<Constant *>(global->getInitializer()), load.getType(), offset, layout));
    if (!initial)
      return std::nullopt;
    collector.values.initial = initial->getSExtValue();
  }
  return std::move(collector.values);
}
