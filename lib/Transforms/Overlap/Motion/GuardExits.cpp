//===- GuardExits.cpp - Complete operations on abnormal exits -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Motion/GuardExits.h"

#include "Comm/Analysis/Order/AbnormalExits.h"
#include "Comm/Analysis/Requests/RequestFlow.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace comm;

static constexpr StringRef personalityName = "__gxx_personality_v0";

bool comm::canGuardExits(Operation *op) {
  auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
  return function && (!function.getPersonality() || *function.getPersonality() == personalityName);
}

/// Makes the C++ runtime library handle the function's exceptions. Programs that call operator new link it.
static void addPersonality(LLVM::LLVMFuncOp function) {
  if (function.getPersonality())
    return;
  auto module = function->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(personalityName)) {
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(builder.getI32Type(), {}, /*isVarArg=*/true);
    LLVM::LLVMFuncOp::create(builder, module.getLoc(), personalityName, type);
  }
  function.setPersonalityAttr(FlatSymbolRefAttr::get(function.getContext(), personalityName));
}

static void copy(OpBuilder &builder, ArrayRef<Operation *> operations) {
  IRMapping copies;
  for (Operation *op : operations) {
    auto wait = dyn_cast<WaitOp>(op);
    if (!wait || isWaitInMemory(wait)) {
      builder.clone(*op, copies);
      continue;
    }
    // This is one of several waits for the request, and not the one that ends its interval.
    MPIOpInterface last =
        createMPIOp(builder, wait.getLoc(), "MPI_Wait", Mode::blocking, {{"request", wait.getRequest()}}, {});
    last->setDiscardableAttr(kCleanupAttrName, builder.getUnitAttr());
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static Block *makeLandingPad(LLVM::LLVMFuncOp function, Location loc, ArrayRef<Operation *> operations) {
  OpBuilder builder(function.getContext());
  Block *pad = builder.createBlock(&function.getBody(), function.getBody().end());
  auto type = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), {LLVM::LLVMPointerType::get(builder.getContext()), builder.getI32Type()});
  auto landing = LLVM::LandingpadOp::create(builder, loc, type, /*cleanup=*/true, ValueRange{});
  copy(builder, operations);
  LLVM::ResumeOp::create(builder, loc, landing);
  return pad;
}

static void guardCall(LLVM::CallOp call, ArrayRef<Operation *> operations) {
  auto function = call->getParentOfType<LLVM::LLVMFuncOp>();
  addPersonality(function);
  Block *next = call->getBlock()->splitBlock(call->getNextNode());
  Block *pad = makeLandingPad(function, call.getLoc(), operations);
  OpBuilder builder(call);
  auto invoke = LLVM::InvokeOp::create(builder, call.getLoc(), call.getResultTypes(), call.getCalleeAttr(),
                                       call.getArgOperands(), next, ValueRange{}, pad, ValueRange{});
  invoke.setCConv(call.getCConv());
  if (ArrayAttr attributes = call.getArgAttrsAttr())
    invoke.setArgAttrsAttr(attributes);
  if (ArrayAttr attributes = call.getResAttrsAttr())
    invoke.setResAttrsAttr(attributes);
  call.replaceAllUsesWith(invoke.getResults());
  call.erase();
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

/// Inserts a block on the edge, which passes on the edge's operands.
static void guardBranch(BlockOperand &edge, ArrayRef<Operation *> operations) {
  Block *target = edge.get();
  OpBuilder builder(edge.getOwner()->getContext());
  Block *block = builder.createBlock(target);
  MutableOperandRange passed = cast<BranchOpInterface>(edge.getOwner())
                                   .getSuccessorOperands(edge.getOperandNumber())
                                   .getMutableForwardedOperands();
  auto given = llvm::to_vector_of<Value>(passed.getAsOperandRange());
  copy(builder, operations);
  LLVM::BrOp::create(builder, edge.getOwner()->getLoc(), given, target);
  passed.clear();
  edge.set(block);
}

/// Moves the code after the landing pad of the block to a new block, which receives the values of the first one that it
/// uses. Only exceptions lead to the first block.
static Block *splitAfterLandingPad(Block *pad) {
  Operation &landing = pad->front();
  Location loc = landing.getLoc();
  Block *rest = pad->splitBlock(landing.getNextNode());
  SmallVector<Value> values(pad->getArguments());
  values.push_back(landing.getResult(0));
  for (Value value : values)
    value.replaceAllUsesWith(rest->addArgument(value.getType(), value.getLoc()));
  OpBuilder builder = OpBuilder::atBlockEnd(pad);
  LLVM::BrOp::create(builder, loc, values, rest);
  return rest;
}

/// Returns true if `splitAfterLandingPad` was applied to the block.
static bool handsAllOver(Block *pad) {
  auto next = dyn_cast<LLVM::BrOp>(*std::next(pad->begin()));
  SmallVector<Value> values(pad->getArguments());
  values.push_back(pad->front().getResult(0));
  return next && llvm::equal(next.getDestOperands(), values) &&
         llvm::all_of(values, [](Value value) { return value.hasOneUse(); });
}

/// Gives the call its own landing pad, which continues where the previous one did.
static void guardUnwinding(BlockOperand &edge, ArrayRef<Operation *> operations) {
  Block *pad = edge.get();
  Block *rest = handsAllOver(pad) ? pad->getSuccessor(0) : splitAfterLandingPad(pad);
  OpBuilder builder(edge.getOwner()->getContext());
  Block *own = builder.createBlock(rest);
  IRMapping arguments;
  SmallVector<Value> values;
  for (BlockArgument argument : pad->getArguments()) {
    values.push_back(own->addArgument(argument.getType(), argument.getLoc()));
    arguments.map(argument, values.back());
  }
  values.push_back(builder.clone(pad->front(), arguments)->getResult(0));
  copy(builder, operations);
  LLVM::BrOp::create(builder, pad->front().getLoc(), values, rest);
  edge.set(own);
}

void comm::guardExits(const AbnormalExits &exits) {
  for (const auto &[edge, operations] : exits.edges)
    if (isUnwinding(*edge))
      guardUnwinding(*edge, operations);
    else
      guardBranch(*edge, operations);
  for (const auto &[call, operations] : exits.calls)
    guardCall(cast<LLVM::CallOp>(call), operations);
}
