//===- InstrumentChecks.cpp - Watch the buffers in flight ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The meaning of a buffer's arguments comes from the standard's tables: a single count or an array of them,
// displacements, one type or one for each block. No MPI function needs special code.
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Transforms/Utils/RuntimeCalls.h"

#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/FrameSlots.h"

namespace comm {
#define GEN_PASS_DEF_COMMINSTRUMENTCHECKS
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
struct InstrumentChecks : public comm::impl::CommInstrumentChecksBase<InstrumentChecks> {
  using CommInstrumentChecksBase::CommInstrumentChecksBase;
  void runOnOperation() final;
};

/// The values of `access` in comm/check.h.
enum AccessFlags : int64_t { Read = 1, Write = 2, Neighbors = 8, AintDispls = 16 };

/// COMM_CHECK_ABI_VERSION.
constexpr unsigned kABIVersion = 1;
/// The name of variables that describe sites.
constexpr StringLiteral kSite = "comm.check.site";

/// The arguments that describe one buffer, as indices of parameters, or -1.
struct BufferShape {
  const mpi::Param *param = nullptr;
  int count = -1, datatype = -1, displs = -1;
  bool hasCounts = false, hasTypes = false, isPerRank = false;
};

/// Emits the runtime calls for one interval.
class Watcher {
public:
  Watcher(RuntimeCalls &runtime, OpBuilder &builder, Interval interval, const mpi::ABI &abi)
      : runtime(runtime), builder(builder), interval(interval), start(interval.start), function(start.getFunction()),
        abi(abi), loc(start.getLoc()), pointer(LLVM::LLVMPointerType::get(builder.getContext())) {}

  /// Returns the number of watched buffers.
  unsigned watch();

private:
  BufferShape getShape(unsigned index);
  bool isRootOnly(const BufferShape &shape);
  void watchBuffer(const BufferAccess &access, const BufferShape &shape);
  bool watchArray(const BufferAccess &access);

  Value getKey();
  Value getCommunicator();
  Value getRoot(bool isRootOnly);
  Value getAccess(const mpi::Param &param, int64_t more = 0);
  Value getOwnBlock(Value counts);
  Value zeroWithoutPeer(const mpi::Param &param, Value count);
  void callBuffer(Value buffer, Value count, Value type, bool isPerRank, Value root, Value access);

  Value constant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value));
  }
  Value predefined(StringRef name, Type type) { return ConstantOp::create(builder, loc, type, name); }
  /// Returns the handle as the implementation represents it.
  Value toABI(Value handle) {
    auto handleClass = getHandleClass(handle.getType());
    if (!handleClass)
      return handle;
    return CastOp::create(builder, loc, getHandleType(*handleClass, abi, builder.getContext()), handle);
  }
  Value getParam(int index) { return start.getParam(function.params()[index].name); }
  void finish(Value key) { runtime.call(builder, loc, "comm_check_finish", nullptr, key); }
  bool isNeighborhood() { return start.isNeighborhood(); }

  RuntimeCalls &runtime;
  OpBuilder &builder;
  Interval interval;
  MPIOpInterface start;
  const mpi::Function &function;
  const mpi::ABI &abi;
  Location loc;
  Type pointer;
  Value site, key;
};
} // namespace

//===----------------------------------------------------------------------===//
// Information from the tables
//===----------------------------------------------------------------------===//

BufferShape Watcher::getShape(unsigned index) {
  ArrayRef<mpi::Param> params = function.params();
  BufferShape shape;
  shape.param = &params[index];
  shape.count = function.countOf(index);
  shape.datatype = function.datatypeOf(index);
  // Displacements between this buffer's counts and the next buffer belong to this buffer.
  shape.displs = function.findAfter(index, mpi::Role::Displacement);
  int next = function.findAfter(index, mpi::Role::Buffer);
  if (next >= 0 && shape.displs > next)
    shape.displs = -1;
  shape.hasCounts = shape.count >= 0 && params[shape.count].isArray;
  shape.hasTypes = shape.datatype >= 0 && params[shape.datatype].isArray;
  // Each neighbor sends a separate block, and receives a separate one in an all-to-all (MPI-4, 8.6).
  shape.isPerRank = isNeighborhood() ? shape.param->writes() ||
                                           isa<NeighborAlltoallOp, NeighborAlltoallvOp, NeighborAlltoallwOp>(*start)
                                     : llvm::is_contained(start.getPerRankBuffers(), StringRef(shape.param->name));
  return shape;
}

/// Returns true if the buffer is significant only at the root. Of a rooted operation's two buffers, that is the one
/// with a block for each process (gather, scatter; MPI-4, 6.5 and 6.6), or else the one that takes the result (reduce;
/// 6.9.1).
bool Watcher::isRootOnly(const BufferShape &shape) {
  if (function.findParam("root") < 0)
    return false;
  bool someIsPerRank = false;
  for (auto [index, param] : llvm::enumerate(function.params()))
    if (param.role == mpi::Role::Buffer) {
      BufferShape other = getShape(index);
      someIsPerRank |= other.isPerRank || other.hasCounts;
    }
  return someIsPerRank ? shape.isPerRank || shape.hasCounts : !shape.param->reads();
}

/// Returns true for MPI_IN_PLACE as far as the IR shows it. The runtime detects the rest.
static bool isInPlace(Value value) { return value && getConstantName(value) == "MPI_IN_PLACE"; }

//===----------------------------------------------------------------------===//
// Arguments of the runtime's functions
//===----------------------------------------------------------------------===//

/// Creates a byte whose address identifies the interval. (The memory of the request is not known before comm is
/// lowered.)
Value Watcher::getKey() { return createFrameSlot(start, loc, builder.getI8Type()); }

/// MPI_Imrecv has no communicator; any one then tells the runtime that the buffer is significant.
Value Watcher::getCommunicator() {
  Value comm = start.getCommunicator();
  return toABI(comm ? comm : predefined("MPI_COMM_SELF", CommunicatorType::get(builder.getContext())));
}

Value Watcher::getRoot(bool isRootOnly) {
  return isRootOnly ? start.getParam("root") : constant(builder.getI32Type(), -1);
}

Value Watcher::getAccess(const mpi::Param &param, int64_t more) {
  int64_t flags = more | (param.reads() ? Read : 0) | (param.writes() ? Write : 0);
  return constant(builder.getI32Type(), flags | (isNeighborhood() ? Neighbors : 0));
}

/// Returns a process's own entry in the counts of a reduce-scatter, which is the length of what it receives.
Value Watcher::getOwnBlock(Value counts) {
  MPIOpInterface query =
      createMPIOp(builder, loc, "MPI_Comm_rank", Mode::blocking, {{"comm", start.getCommunicator()}}, {"rank"});
  Value address = LLVM::GEPOp::create(builder, loc, pointer, builder.getI32Type(), counts,
                                      ArrayRef<LLVM::GEPArg>{query.getOutcome("rank")});
  return LLVM::LoadOp::create(builder, loc, builder.getI32Type(), address);
}

/// Sets the count to 0 for MPI_PROC_NULL, since nothing is in flight then (MPI-4, 3.10).
Value Watcher::zeroWithoutPeer(const mpi::Param &param, Value count) {
  Value noPeer;
  for (auto [name, takesPart] : {std::pair("dest", param.reads()), std::pair("source", param.writes())}) {
    Value peer = takesPart ? start.getParam(name) : Value();
    if (!peer)
      continue;
    Value isNull =
        LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, peer, predefined("MPI_PROC_NULL", peer.getType()));
    noPeer = noPeer ? LLVM::AndOp::create(builder, loc, noPeer, isNull).getResult() : isNull;
  }
  if (!noPeer)
    return count;
  return LLVM::SelectOp::create(builder, loc, noPeer, constant(count.getType(), 0), count);
}

void Watcher::callBuffer(Value buffer, Value count, Value type, bool isPerRank, Value root, Value access) {
  Type i64 = builder.getI64Type();
  if (count.getType() != i64)
    count = LLVM::SExtOp::create(builder, loc, i64, count);
  runtime.call(builder, loc, "comm_check_buffer", nullptr,
               {site, key, buffer, count, toABI(type), getCommunicator(), constant(builder.getI32Type(), isPerRank),
                root, access});
}

//===----------------------------------------------------------------------===//
// Buffers and arrays
//===----------------------------------------------------------------------===//

void Watcher::watchBuffer(const BufferAccess &access, const BufferShape &shape) {
  const mpi::Param &param = *shape.param;
  bool isRooted = function.findParam("root") >= 0;
  // The root reads the buffer of a broadcast, other processes write it: the runtime needs the root to tell which.
  Value root = getRoot(isRootOnly(shape) || (isRooted && param.reads() && param.writes()));
  Value count = getParam(shape.count), type = getParam(shape.datatype);
  bool hasAint = shape.hasTypes && StringRef(function.params()[shape.displs].cType) == "MPI_Aint";
  Value flags = getAccess(param, hasAint ? AintDispls : 0);
  // A reduce-scatter in place has all of its input in the receive buffer.
  bool isWholeInput = param.reads() || llvm::any_of(start->getOperands(), isInPlace);
  if (shape.hasTypes) {
    runtime.call(builder, loc, "comm_check_buffer_w", nullptr,
                 {site, key, access.buffer, count, getParam(shape.displs), type, getCommunicator(), flags});
  } else if (shape.hasCounts && (shape.displs >= 0 || isWholeInput)) {
    Value displs = shape.displs >= 0 ? getParam(shape.displs) : LLVM::ZeroOp::create(builder, loc, pointer).getResult();
    runtime.call(builder, loc, "comm_check_buffer_v", nullptr,
                 {site, key, access.buffer, count, displs, toABI(type), getCommunicator(), root, flags});
  } else if (shape.hasCounts) {
    callBuffer(access.buffer, getOwnBlock(count), type, /*isPerRank=*/false, root, flags);
  } else {
    // The operands of a reduction have the same length, except for a reduce-scatter, which has one buffer per rank.
    bool sharesCount = function.findAfter(shape.param - function.params().data(), mpi::Role::Buffer) < 0 &&
                       function.findRole(mpi::Role::Op, mpi::Direction::In) >= 0;
    bool isPerRank = shape.isPerRank || (sharesCount && isWholeInput && !start.getPerRankBuffers().empty());
    callBuffer(access.buffer, zeroWithoutPeer(param, count), type, isPerRank, root, flags);
  }
}

/// Watches an array of counts, displacements or types, which must not change either (MPI-4, 6.12): one element for each
/// process. Returns false if the communicator alone does not determine the length of the array.
bool Watcher::watchArray(const BufferAccess &access) {
  int index = access.param - function.params().data(), owner = -1;
  for (auto [i, param] : llvm::enumerate(function.params().take_front(index)))
    if (param.role == mpi::Role::Buffer)
      owner = i;
  if (owner < 0)
    return false;
  BufferShape shape = getShape(owner);
  Value buffer = getParam(owner);
  // The number of neighbors depends on what MPI does with the array: it reads the whole array, even receive counts.
  // Counts without displacements are those of the local group (reduce-scatter).
  if (!shape.hasCounts || shape.displs < 0 || isInPlace(buffer) || (isNeighborhood() && shape.param->writes()))
    return false;
  Type element = getObjectType(*access.param, abi, builder.getContext());
  if (!element)
    return false;
  int64_t bytes = isa<LLVM::LLVMPointerType>(element) ? 8 : element.getIntOrFloatBitWidth() / 8;
  Type i64 = builder.getI64Type();
  // The arrays of a buffer in place are ignored and may be anything.
  Value inPlace =
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, buffer, predefined("MPI_IN_PLACE", buffer.getType()));
  Value size = LLVM::SelectOp::create(builder, loc, inPlace, constant(i64, 0), constant(i64, bytes));
  Value type = predefined("MPI_BYTE", DatatypeType::get(builder.getContext()));
  Value root = getRoot(isRootOnly(shape));
  Value flags = getAccess(*access.param);
  callBuffer(access.buffer, size, type, /*isPerRank=*/true, root, flags);
  return true;
}

unsigned Watcher::watch() {
  unsigned watched = 0;
  builder.setInsertionPointAfter(start);
  site = runtime.makeSite(builder, start, kSite, kABIVersion, /*isConstant=*/true);
  key = getKey();
  for (const BufferAccess &access : start.getAccesses()) {
    if (!access.inFlight)
      continue;
    // The access may refer to the nonblocking form, which has the same names.
    int index = function.findParam(access.param->name);
    if (index < 0)
      continue;
    if (function.params()[index].role == mpi::Role::Buffer) {
      watchBuffer(access, getShape(index));
      ++watched;
    } else if (access.reads && !access.writes && function.params()[index].isArray) {
      watched += watchArray(access);
    }
  }
  SmallVector<WaitOp, 1> waits = interval.cleanups;
  waits.push_back(interval.wait);
  for (WaitOp wait : waits) {
    builder.setInsertionPoint(wait);
    finish(key);
  }
  // The key null has no buffer in flight, nor has this key when the late wait comes.
  if (WaitIfOp guard = interval.guard) {
    builder.setInsertionPoint(guard);
    Value null = LLVM::ZeroOp::create(builder, loc, pointer);
    Value finished = LLVM::SelectOp::create(builder, loc, guard.getCondition(), key, null);
    finish(finished);
  }
  return watched;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Emits an error unless the interval is in the llvm dialect.
static LogicalResult verifyWatchable(MPIOpInterface start) {
  if (!start->getParentOfType<LLVM::LLVMFuncOp>())
    return start->emitOpError("cannot be watched outside an llvm.func: convert the function to the llvm dialect first");
  for (const mpi::Param &param : start.getFunction().params()) {
    Value value = start.getParam(param.name);
    if (value && isa<BaseMemRefType, IndexType>(value.getType()))
      return start->emitOpError() << "cannot be watched with '" << param.name << "' of type " << value.getType()
                                  << ": convert it to the llvm dialect first";
  }
  return success();
}

/// Returns true for collectives whose order and arguments the runtime compares with those of other processes. They need
/// a site, since their address in the binary means nothing to people.
static bool isComparedCollective(MPIOpInterface op) {
  return op.getMatching().kind == Matching::Kind::Collective && op.hasAsyncForm() &&
         op->getParentOfType<LLVM::LLVMFuncOp>();
}

/// Tells the runtime the call site of the collective, right before the call.
static void tellSite(RuntimeCalls &runtime, OpBuilder &builder, MPIOpInterface op) {
  builder.setInsertionPoint(op);
  // The request of the program's own nonblocking call is in memory.
  bool isOwn = op.isAsync() && op.getParam("request") && !op->hasAttr(kOriginAttrName);
  if (isOwn)
    op->setDiscardableAttr(kOriginAttrName, builder.getStringAttr(op.getCalledFunction().name));
  Value site = runtime.makeSite(builder, op, kSite, kABIVersion, /*isConstant=*/true);
  if (isOwn)
    op->removeDiscardableAttr(kOriginAttrName);
  runtime.call(builder, op.getLoc(), "comm_check_at", nullptr, site);
  markChanged(op);
}

void InstrumentChecks::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<Interval> intervals;
  SmallVector<MPIOpInterface> collectives;
  bool isWatchable = true;
  module.walk([&](MPIOpInterface op) {
    if (isComparedCollective(op))
      collectives.push_back(op);
    if (std::optional<Interval> interval = getInterval(op)) {
      intervals.push_back(*interval);
      isWatchable &= succeeded(verifyWatchable(op));
    }
  });
  if (!isWatchable)
    return signalPassFailure();
  RuntimeCalls runtime(module);
  OpBuilder builder(&getContext());
  for (MPIOpInterface op : collectives)
    tellSite(runtime, builder, op);
  if (intervals.empty())
    return;
  auto name = module->getAttrOfType<StringAttr>(kABIAttrName);
  if (!name) {
    module.emitError() << "has no attribute " << kABIAttrName
                       << ", which determines how handles are passed to the checker: name the MPI implementation in it";
    return signalPassFailure();
  }
  const mpi::ABI *abi = lookupABI(name.getValue(), module);
  if (!abi)
    return signalPassFailure();
  for (const Interval &interval : intervals) {
    numWatched += Watcher(runtime, builder, interval, *abi).watch();
    markChanged(interval.start);
  }
}
