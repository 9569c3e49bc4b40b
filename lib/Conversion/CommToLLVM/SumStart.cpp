//===- SumStart.cpp - Nonblocking sums that keep their digits -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All processes of a communicator must decide alike. So the question is its size, and not that of the two groups of an
// inter-communicator, which stays blocking.
//
//===----------------------------------------------------------------------===//

#include "SumStart.h"

#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/MPI/Sums.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace comm;

namespace {
/// Builds the body of one such function.
class BodyBuilder {
public:
  BodyBuilder(CallBuilder &calls, LLVM::LLVMFuncOp function)
      : builder(calls.builder), loc(builder.getUnknownLoc()), function(function), body(builder, function, calls.abi),
        i32(builder.getI32Type()) {}

  void build(const mpi::Function &start, const mpi::Function &blocking);

private:
  /// The integer that a local function of the communicator gives.
  Value ask(StringRef name, Value communicator);
  Value isAtMost(Value value, int64_t most) {
    return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::sle, value,
                                body.createInteger(value.getType(), most));
  }
  Value number(int64_t value) { return body.createInteger(i32, value); }
  void createReturn(const mpi::Function &callee, ValueRange arguments);

  OpBuilder &builder;
  Location loc;
  LLVM::LLVMFuncOp function;
  CallBuilder body;
  Type i32;
};
} // namespace

Value BodyBuilder::ask(StringRef name, Value communicator) {
  Value slot;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&function.getBody().front());
    slot = LLVM::AllocaOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), i32, number(1));
  }
  // What is in error, under a handler that returns, is for the nonblocking function to say.
  LLVM::StoreOp::create(builder, loc, number(0), slot);
  body.createCall(*mpi::lookupFunction(name), {communicator, slot});
  return LLVM::LoadOp::create(builder, loc, i32, slot);
}

void BodyBuilder::createReturn(const mpi::Function &callee, ValueRange arguments) {
  LLVM::ReturnOp::create(builder, loc, body.createCall(callee, arguments).getResults());
}

void BodyBuilder::build(const mpi::Function &start, const mpi::Function &blocking) {
  OpBuilder::InsertionGuard guard(builder);
  Block *entry = function.addEntryBlock(builder);
  Block *asking = builder.createBlock(&function.getBody(), function.getBody().end());
  Block *nonblocking = builder.createBlock(&function.getBody(), function.getBody().end());
  Block *waiting = builder.createBlock(&function.getBody(), function.getBody().end());
  Value communicator = entry->getArgument(start.findRole(mpi::Role::Comm, mpi::Direction::In));

  builder.setInsertionPointToStart(entry);
  LLVM::CondBrOp::create(builder, loc,
                         isMarkerDefined(builder, loc, mpi::getMarkerName(blocking.name, mpi::Marker::AllSums)),
                         nonblocking, asking);
  builder.setInsertionPointToStart(asking);
  Value between = ask("MPI_Comm_test_inter", communicator), size = ask("MPI_Comm_size", communicator);
  Value lower = LLVM::SubOp::create(builder, loc, size, number(1));
  Value common = LLVM::AndOp::create(builder, loc, size, lower);
  Value otherwise = LLVM::OrOp::create(builder, loc, between, common);
  Value isPower = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, otherwise, number(0));
  Value count = entry->getArgument(start.findParam("count"));
  Value isSmall = LLVM::OrOp::create(builder, loc, isAtMost(size, mpi::kMostOrderedProcesses),
                                     isAtMost(count, mpi::kMostOrderedElements));
  Value keeps = LLVM::AndOp::create(builder, loc, isPower, isSmall);
  LLVM::CondBrOp::create(builder, loc, keeps, nonblocking, waiting);

  builder.setInsertionPointToStart(nonblocking);
  createReturn(start, entry->getArguments());
  builder.setInsertionPointToStart(waiting);
  createReturn(blocking, entry->getArguments().drop_back());
}

LLVM::CallOp comm::createSumStart(CallBuilder &calls, const mpi::Function &start, ValueRange arguments) {
  const mpi::Function &blocking = *mpi::lookupFunction(start.blocking);
  auto module = calls.anchor->getParentOfType<ModuleOp>();
  std::string name = mpi::getSumStartName(blocking.name);
  auto function = dyn_cast_or_null<LLVM::LLVMFuncOp>(SymbolTable::lookupSymbolIn(module, name));
  if (!function) {
    OpBuilder::InsertionGuard guard(calls.builder);
    calls.builder.setInsertionPointToEnd(module.getBody());
    function = LLVM::LLVMFuncOp::create(calls.builder, calls.builder.getUnknownLoc(), name,
                                        getFunctionType(start, calls.abi, calls.builder.getContext()),
                                        LLVM::Linkage::Internal);
    BodyBuilder(calls, function).build(start, blocking);
  }
  return LLVM::CallOp::create(calls.builder, calls.loc, function, arguments);
}
