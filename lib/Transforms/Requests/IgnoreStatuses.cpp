//===- IgnoreStatuses.cpp - Ignore unused statuses ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many programs pass the same `MPI_Status status;` to all calls and never read it. Waits that write the same memory
// would have to keep their order needlessly.
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "Comm/Dialect/Comm/IR/CommInterfaces.h"
#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace comm {
#define GEN_PASS_DEF_COMMIGNORESTATUSES
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
struct IgnoreStatuses : public comm::impl::CommIgnoreStatusesBase<IgnoreStatuses> {
  using CommIgnoreStatusesBase::CommIgnoreStatusesBase;
  void runOnOperation() final;
};
} // namespace

/// Returns the parameter of the operation to which the use belongs, if MPI only writes statuses there, otherwise null.
static const mpi::Param *getWrittenStatus(OpOperand &use) {
  auto op = dyn_cast<MPIOpInterface>(use.getOwner());
  if (!op)
    return nullptr;
  for (const mpi::Param &param : op.getCalledFunction().params()) {
    if (param.role != mpi::Role::Status || param.reads())
      continue;
    OperandRange operands = comm::detail::getParamOperands(op, param.name);
    if (operands.size() == 1 && operands.getBeginOperandIndex() == use.getOperandNumber())
      return &param;
  }
  return nullptr;
}

/// Returns the places where MPI writes statuses to the variable, or none if it has other uses.
static std::optional<SmallVector<OpOperand *>> findWrites(LLVM::AllocaOp variable) {
  constexpr size_t mostAddresses = 64;
  SmallVector<OpOperand *> writes;
  SmallVector<Value> addresses{variable};
  for (size_t i = 0; i < addresses.size(); ++i) {
    if (addresses.size() > mostAddresses)
      return std::nullopt;
    for (OpOperand &use : addresses[i].getUses()) {
      if (auto gep = dyn_cast<LLVM::GEPOp>(use.getOwner()); gep && use.get() == gep.getBase())
        addresses.push_back(gep);
      else if (getWrittenStatus(use))
        writes.push_back(&use);
      else if (!isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(use.getOwner()))
        return std::nullopt;
    }
  }
  return writes;
}

void IgnoreStatuses::runOnOperation() {
  getOperation()->walk([&](LLVM::AllocaOp variable) {
    std::optional<SmallVector<OpOperand *>> writes = findWrites(variable);
    if (!writes)
      return;
    for (OpOperand *use : *writes) {
      StringRef name = getWrittenStatus(*use)->isArray ? "MPI_STATUSES_IGNORE" : "MPI_STATUS_IGNORE";
      // At the variable, since the call may move.
      OpBuilder builder(variable);
      use->set(ConstantOp::create(builder, variable.getLoc(), use->get().getType(), name));
    }
    numIgnored += writes->size();
  });
}
