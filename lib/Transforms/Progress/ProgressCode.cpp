//===- ProgressCode.cpp - Calls that let MPI progress ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgressCode.h"

#include "LoopEdits.h"

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/FrameSlots.h"
#include "Comm/MPI/Markers.h"

using namespace mlir;
using namespace comm;

/// The size of struct CommProgress (runtime/lib/overlap/Overlap.h), in 8-byte words.
static constexpr int64_t kStateWords = 8;
/// More requests than this are not tested individually.
static constexpr size_t kMostRequests = 64;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value ProgressCode::constant(Location loc, Type type, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value));
}

/// Returns the handle as the implementation represents it.
Value ProgressCode::toABI(Location loc, Value handle) {
  std::optional<mpi::HandleClass> handleClass = getHandleClass(handle.getType());
  return handleClass ? CastOp::create(builder, loc, getHandleType(*handleClass, abi, builder.getContext()), handle)
                     : handle;
}

/// Returns a handle that is never used.
Value ProgressCode::makeNull(Location loc, Type type) {
  return isa<LLVM::LLVMPointerType>(type) ? LLVM::ZeroOp::create(builder, loc, type).getResult()
                                          : constant(loc, type, 0);
}

//===----------------------------------------------------------------------===//
// After starts
//===----------------------------------------------------------------------===//

/// Asks the runtime whether MPI has to be called, right after the start, where its handles are still valid.
Value ProgressCode::ask(const Flight &flight) {
  MPIOpInterface start = flight.start;
  Location loc = start.getLoc();
  MLIRContext *context = builder.getContext();
  Type i64 = builder.getI64Type();
  Type requestType = getHandleType(mpi::HandleClass::Request, abi, context);
  Value request = flight.isInMemory
                      ? LLVM::LoadOp::create(builder, loc, requestType, start.getParam("request")).getResult()
                      : toABI(loc, start.getOutcome("request"));
  Value comm = start.getCommunicator();
  if (!comm)
    comm = ConstantOp::create(builder, loc, CommunicatorType::get(context), "MPI_COMM_SELF");
  Message message = ignoresSizes ? Message() : getMessage(start);
  Value count = constant(loc, i64, -1);
  if (message.count)
    count = message.count.getType() == i64 ? message.count
                                           : LLVM::SExtOp::create(builder, loc, i64, message.count).getResult();
  Value datatype = message.datatype ? toABI(loc, message.datatype)
                                    : makeNull(loc, getHandleType(mpi::HandleClass::Datatype, abi, context));
  mpi::UnaidedLimits limits = ignoresSizes ? mpi::UnaidedLimits() : getUnaidedLimits(start, abi);
  return runtime.call(builder, loc, mpi::kAskProgress, i64,
                      {request, toABI(loc, comm), datatype, count, constant(loc, i64, limits.ofTwo),
                       constant(loc, i64, limits.ofMore)});
}

/// Combines the answers after two starts: 0 if neither needs MPI, and 1, which disables progress, if the thread
/// computes in different ways at the two.
Value ProgressCode::combine(Location loc, Value a, Value b) {
  if (!a)
    return b;
  Type i64 = builder.getI64Type();
  auto isEqual = [&](Value x, Value y) -> Value {
    return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, x, y);
  };
  Value zero = constant(loc, i64, 0);
  Value same = LLVM::SelectOp::create(builder, loc, isEqual(a, b), a, constant(loc, i64, 1));
  Value second = LLVM::SelectOp::create(builder, loc, isEqual(b, zero), a, same);
  return LLVM::SelectOp::create(builder, loc, isEqual(a, zero), b, second);
}

/// Returns the answer after the start as a value before the loops, at the builder's position. Starts of requests in
/// memory, which may be executed any number of times, leave it in a slot.
Value ProgressCode::askAfter(const Flight &flight, Operation *begin) {
  Location loc = MPIOpInterface(flight.start).getLoc();
  Type i64 = builder.getI64Type();
  Value &answer = answers[flight.start];
  bool isNew = !answer;
  OpBuilder::InsertPoint here = builder.saveInsertionPoint();
  auto reset = [&]() { LLVM::StoreOp::create(builder, loc, constant(loc, i64, 0), answer); };
  if (isNew && flight.isInMemory) {
    answer = createFrameSlot(body, loc, i64, 1);
    builder.setInsertionPointAfter(answer.getDefiningOp());
    reset();
    builder.setInsertionPointAfter(flight.start);
    Value before = LLVM::LoadOp::create(builder, loc, i64, answer);
    LLVM::StoreOp::create(builder, loc, combine(loc, before, ask(flight)), answer);
  } else if (isNew) {
    builder.setInsertionPointAfter(flight.start);
    answer = ask(flight);
  }
  // If scopes are nested, reset it in each of them.
  if (flight.isInMemory && resets.insert({flight.start, begin}).second) {
    builder.setInsertionPoint(begin);
    reset();
  }
  builder.restoreInsertionPoint(here);
  return flight.isInMemory ? LLVM::LoadOp::create(builder, loc, i64, answer).getResult() : answer;
}

//===----------------------------------------------------------------------===//
// In loops
//===----------------------------------------------------------------------===//

/// Inserts `credit = progress(...)` at the builder's position.
void ProgressCode::addCall(const Nest &nest, Value slot) {
  Location loc = nest.loc;
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value requests = nest.requests ? nest.requests : LLVM::ZeroOp::create(builder, loc, pointer).getResult();
  for (auto [index, handle] : llvm::enumerate(nest.handles)) {
    Value now = toABI(loc, handle);
    Value place = LLVM::GEPOp::create(builder, loc, pointer, now.getType(), requests,
                                      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    LLVM::StoreOp::create(builder, loc, now, place);
  }
  Value more = runtime.call(builder, loc, mpi::kLetProgress, builder.getI64Type(),
                            {nest.state, requests, constant(loc, builder.getI32Type(), nest.handles.size())});
  LLVM::StoreOp::create(builder, loc, more, slot);
}

/// Inserts `if (--credit == 0) credit = progress(...)` at the beginning of the block.
void ProgressCode::addTick(const Nest &nest, Value slot, Block *block) {
  Location loc = nest.loc;
  Type i64 = builder.getI64Type();
  Block *rest = block->splitBlock(block->begin());
  auto *slow = new Block();
  block->getParent()->getBlocks().insert(Region::iterator(rest), slow);
  builder.setInsertionPointToEnd(block);
  Value credit =
      LLVM::SubOp::create(builder, loc, LLVM::LoadOp::create(builder, loc, i64, slot), constant(loc, i64, 1));
  LLVM::StoreOp::create(builder, loc, credit, slot);
  Value isDue = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, credit, constant(loc, i64, 0));
  LLVM::CondBrOp::create(builder, loc, isDue, slow, ValueRange(), rest, ValueRange(),
                         std::pair<int32_t, int32_t>{1, 1000});
  builder.setInsertionPointToEnd(slow);
  addCall(nest, slot);
  LLVM::BrOp::create(builder, loc, rest);
}

void ProgressCode::insert(ProgressPlan &plan) {
  Location loc = plan.places.getLoop()->getLoc();
  Type i64 = builder.getI64Type();
  builder.setInsertionPoint(plan.unit.op);
  Value answer;
  for (auto [flight, begin] : llvm::zip_equal(plan.flights, plan.begins))
    answer = combine(loc, answer, askAfter(flight, begin));
  Nest nest{loc, createFrameSlot(body, loc, i64, kStateWords), {}, {}, {}};
  // Without the requests, MPI is called until the loops are over.
  bool hasAll = plan.flights.size() <= kMostRequests &&
                llvm::none_of(plan.flights, [](const Flight &flight) { return flight.isInMemory; });
  if (hasAll) {
    for (const Flight &flight : plan.flights)
      nest.handles.push_back(MPIOpInterface(flight.start).getOutcome("request"));
    nest.requests = createFrameSlot(body, loc, getHandleType(mpi::HandleClass::Request, abi, builder.getContext()),
                                    nest.handles.size());
  }
  nest.credit = runtime.call(builder, loc, mpi::kBeginProgress, i64, {nest.state, answer});
  Value isNeeded = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, answer, constant(loc, i64, 0));
  auto makeCredit = [&]() {
    Value slot = createFrameSlot(body, loc, i64, 1);
    builder.setInsertionPoint(plan.unit.op);
    LLVM::StoreOp::create(builder, loc, nest.credit, slot);
    return slot;
  };
  for (const StripMine &strip : plan.places.strips) {
    Value slot = makeCredit();
    Block *between = stripMine(strip, isNeeded, slot);
    builder.setInsertionPointToStart(between);
    if (strip.blockSize)
      addTick(nest, slot, between);
    else
      addCall(nest, slot);
  }
  for (Block *header : plan.places.ticks) {
    Value slot = makeCredit();
    addTick(nest, slot, header);
  }
}
