//===- MPIOpAccess.cpp - Memory and messages of MPI ops -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/IR/MPIOpSupport.h"
#include "Comm/Dialect/Comm/IR/RecordedABI.h"
#include "Comm/MPI/ABI.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace comm;

OperandRange comm::detail::getParamOperands(Operation *op, StringRef name) {
  auto mpiOp = cast<MPIOpInterface>(op);
  ArrayRef<StringRef> names = mpiOp.getParamNames();
  const auto *it = llvm::find(names, name);
  return it == names.end() ? op->getOperands().take_front(0) : mpiOp.getParamOperands(it - names.begin());
}

Value comm::detail::getParam(Operation *op, StringRef name) {
  OperandRange operands = getParamOperands(op, name);
  return operands.size() == 1 ? operands.front() : Value();
}

Value comm::detail::getOutcome(Operation *op, StringRef name) {
  auto mpiOp = cast<MPIOpInterface>(op);
  ArrayRef<StringRef> names = mpiOp.getOutcomeNames();
  const auto *it = llvm::find(names, name);
  if (it == names.end())
    return nullptr;
  ResultRange results = mpiOp.getOutcomeResults(it - names.begin());
  return results.empty() ? Value() : results.front();
}

bool comm::isLocal(Operation *op) {
  auto mpiOp = cast<MPIOpInterface>(op);
  return mpiOp.isLocalOperation() || mpiOp.getFunction().isLocal;
}

bool comm::reachesBeyondArguments(Operation *op) {
  auto mpiOp = cast<MPIOpInterface>(op);
  const mpi::Function &function = mpiOp.getFunction();
  // A completion touches the buffers of its requests, and a one-sided operation those of its window. Both are handled
  // elsewhere.
  if (isa<CompletionOpInterface>(op) || function.isOneSided())
    return function.mayCallBack;
  return function.reachesBeyondArguments();
}

bool comm::isElementwiseReduction(Operation *op) {
  auto mpiOp = cast<MPIOpInterface>(op);
  Value reduction = mpiOp.getParam("op");
  return reduction && !mpiOp.isOneSided() && !getConstantName(reduction).empty() && mpiOp.getPerRankBuffers().empty() &&
         mpiOp.getFunction().findParam("recvcounts") < 0;
}

static bool isMemory(Value value) { return isa<LLVM::LLVMPointerType, BaseMemRefType>(value.getType()); }

/// Whether the operation is in place: MPI reads from the other buffer instead (MPI-4, 6.2.1).
static bool isInPlace(Value buffer) { return getConstantName(buffer) == "MPI_IN_PLACE"; }

static BufferAccess describeBuffer(MPIOpInterface op, unsigned index) {
  const mpi::Function &function = op.getFunction();
  BufferAccess access;
  access.param = &function.params()[index];
  access.buffer = op.getParam(access.param->name);
  int count = function.countOf(index), datatype = function.datatypeOf(index);
  if (isa<MemRefType>(access.buffer.getType())) {
    access.extent = BufferAccess::Extent::MemRef;
  } else if (count >= 0 && datatype >= 0 && !function.params()[count].isArray && !function.params()[datatype].isArray) {
    access.count = op.getParam(function.params()[count].name);
    access.datatype = op.getParam(function.params()[datatype].name);
    // An in-place reduction that scatters its result reads all blocks from the other buffer. A pointer may be
    // MPI_IN_PLACE without this being known.
    bool perRank = llvm::is_contained(op.getPerRankBuffers(), StringRef(access.param->name)) ||
                   (function.findRole(mpi::Role::Op, mpi::Direction::In) >= 0 && !op.getPerRankBuffers().empty());
    access.extent = perRank ? BufferAccess::Extent::ElementsPerRank : BufferAccess::Extent::Elements;
  } else if (datatype >= 0 && !function.params()[datatype].isArray) {
    access.datatype = op.getParam(function.params()[datatype].name);
  }
  // Neighborhood collectives: the topology determines the number of blocks, and no operand shows it.
  if (op.isNeighborhood())
    access.extent = BufferAccess::Extent::Unknown;
  return access;
}

SmallVector<BufferAccess> comm::getAccesses(Operation *op) {
  auto mpiOp = cast<MPIOpInterface>(op);
  const mpi::Function &function = mpiOp.getFunction();
  const mpi::Function &called = mpiOp.getCalledFunction();
  SmallVector<BufferAccess> accesses;
  bool inPlace = llvm::any_of(op->getOperands(), isInPlace);
  for (auto [index, param] : llvm::enumerate(function.params())) {
    Value value = mpiOp.getParam(param.name);
    if (!value || !isMemory(value) || isInPlace(value))
      continue;
    BufferAccess access;
    if (param.role == mpi::Role::Buffer) {
      access = describeBuffer(mpiOp, index);
    } else {
      access.param = &param;
      access.buffer = value;
      access.extent = param.isArray ? BufferAccess::Extent::Unknown : BufferAccess::Extent::Scalar;
      // Another parameter gives the length of an array of requests or statuses.
      if (param.isArray)
        access.count = mpiOp.getParam(param.length);
    }
    access.reads = param.reads() || (inPlace && param.role == mpi::Role::Buffer);
    access.writes = param.writes();
    int calledIndex = called.findParam(param.name);
    access.inFlight =
        (mpiOp.isAsync() || mpiOp.isOneSided()) && calledIndex >= 0 && called.params()[calledIndex].isAsync;
    accesses.push_back(access);
  }
  if (Value request = mpiOp.getParam("request"); request && mpiOp.isAsync()) {
    BufferAccess access;
    access.param = &called.params()[called.findParam("request")];
    access.buffer = request;
    access.extent = BufferAccess::Extent::Scalar;
    access.writes = true;
    accesses.push_back(access);
  }
  return accesses;
}

const mpi::ABI *comm::getRecordedABI(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  auto name = module ? module->getAttrOfType<StringAttr>(kABIAttrName) : StringAttr();
  return name ? mpi::ABI::lookup(name.getValue()) : nullptr;
}

/// Returns the value of MPI_ANY_SOURCE in the implementation that the module was raised from, if known.
static std::optional<int64_t> getAnySource(Operation *op) {
  const mpi::ABI *abi = getRecordedABI(op);
  return abi ? abi->getConstant("MPI_ANY_SOURCE") : std::nullopt;
}

/// Whether the value is the rank of this process, or a number of processes.
static bool isRankOrSize(Value value) {
  auto query = value.getDefiningOp<MPIOpInterface>();
  return query && query.isLocal() && (query.getOutcome("rank") == value || query.getOutcome("size") == value);
}

/// Looks for MPI_ANY_SOURCE, or for a constant that a select or a branch may choose (any negative one, if the
/// implementation is unknown). A value that is loaded, passed in, or computed may be any number.
static Matching::Source getSource(Operation *op, Value source) {
  std::optional<int64_t> anySource = getAnySource(op);
  auto isAnySource = [&](const APInt &number) {
    return anySource ? number.getSExtValue() == *anySource : number.isNegative();
  };
  Matching::Source result = Matching::Source::Known;
  SmallVector<Value> work{source};
  llvm::SmallPtrSet<void *, 8> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value.getAsOpaquePointer()).second || isRankOrSize(value))
      continue;
    APInt number;
    if (StringRef name = getConstantName(value); !name.empty()) {
      if (name == "MPI_ANY_SOURCE")
        return Matching::Source::Any;
      continue;
    }
    if (matchPattern(value, m_ConstantInt(&number))) {
      if (isAnySource(number))
        return Matching::Source::Any;
      continue;
    }
    if (Operation *definition = value.getDefiningOp()) {
      if (isa<LLVM::SelectOp>(definition) || isa<SelectLikeOpInterface>(definition))
        llvm::append_range(work, definition->getOperands().drop_front());
      else
        result = Matching::Source::MaybeAny;
      continue;
    }
    auto argument = cast<BlockArgument>(value);
    Block *block = argument.getOwner();
    if (block->isEntryBlock())
      result = Matching::Source::MaybeAny;
    for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
      auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
      if (Value passed =
              branch ? branch.getSuccessorOperands(it.getSuccessorIndex())[argument.getArgNumber()] : Value())
        work.push_back(passed);
      else
        result = Matching::Source::MaybeAny;
    }
  }
  return result;
}

Matching comm::getMatching(Operation *op) {
  auto mpiOp = cast<MPIOpInterface>(op);
  const mpi::Function &function = mpiOp.getFunction();
  Matching matching;
  matching.communicator = mpiOp.getCommunicator();
  bool sends = function.findParam("dest") >= 0, receives = function.findParam("source") >= 0;
  bool hasBuffer = llvm::any_of(function.params(), [](const mpi::Param &p) { return p.role == mpi::Role::Buffer; });
  Value source = mpiOp.getParam("source");
  if (sends) {
    matching.kind = receives ? Matching::Kind::SendReceive : Matching::Kind::Send;
    matching.peer = mpiOp.getParam("dest");
    matching.tag = mpiOp.getParam(receives ? "sendtag" : "tag");
  } else if (receives) {
    matching.kind = hasBuffer ? Matching::Kind::Receive : Matching::Kind::Probe;
    matching.peer = source;
    matching.tag = mpiOp.getParam("tag");
  } else if (function.findRole(mpi::Role::Message, mpi::Direction::InOut) >= 0) {
    matching.kind = Matching::Kind::Receive;
  } else if (matching.communicator && !isLocal(op) && !mpiOp.isOneSided()) {
    matching.kind = Matching::Kind::Collective;
  }
  if (source)
    matching.source = getSource(op, source);
  return matching;
}

RemoteAccess comm::getRemoteAccess(Operation *op) {
  auto mpiOp = cast<MPIOpInterface>(op);
  const mpi::Function &function = mpiOp.getFunction();
  RemoteAccess access;
  // Accumulates have an operator, request-based forms have a request, and a compare-and-swap has more buffers.
  auto count = [&](mpi::Role role) {
    return llvm::count_if(function.params(), [&](const mpi::Param &param) { return param.role == role; });
  };
  int origin = function.findParam("origin_addr");
  if (!mpiOp.isOneSided() || origin < 0 || function.findParam("target_rank") < 0 || count(mpi::Role::Buffer) != 1 ||
      count(mpi::Role::Op) != 0 || count(mpi::Role::Request) != 0)
    return access;
  access.kind = function.params()[origin].writes() ? RemoteAccess::Kind::Get : RemoteAccess::Kind::Put;
  access.window = mpiOp.getParam("win");
  access.origin = mpiOp.getParam("origin_addr");
  access.count = mpiOp.getParam("origin_count");
  access.datatype = mpiOp.getParam("origin_datatype");
  access.target = mpiOp.getParam("target_rank");
  access.displacement = mpiOp.getParam("target_disp");
  access.targetCount = mpiOp.getParam("target_count");
  access.targetDatatype = mpiOp.getParam("target_datatype");
  return access;
}

static bool isSameValue(Value a, Value b) {
  APInt first, second;
  if (a == b || (matchPattern(a, m_ConstantInt(&first)) && matchPattern(b, m_ConstantInt(&second)) &&
                 first.getBitWidth() == second.getBitWidth() && first == second))
    return true;
  return !getConstantName(a).empty() && getConstantName(a) == getConstantName(b);
}

bool RemoteAccess::isSameAtBothEnds() const {
  return count && datatype && targetCount && targetDatatype && isSameValue(count, targetCount) &&
         (isSameValue(datatype, targetDatatype) || getHandle(datatype) == getHandle(targetDatatype));
}

bool comm::detail::completesAll(MPIOpInterface op) {
  // Among completing functions, those whose only outputs are statuses complete everything.
  return llvm::none_of(op.getFunction().params(), [](const mpi::Param &p) {
    return p.direction == mpi::Direction::Out && p.role != mpi::Role::Status;
  });
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

namespace {
using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

template <typename Effect> void addEffect(Effects &effects, Operation *op, Value value) {
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == value) {
      effects.emplace_back(Effect::get(), &operand);
      return;
    }
  // The buffers of a request are operands of the op that started it.
  if (auto result = dyn_cast<OpResult>(value))
    effects.emplace_back(Effect::get(), result);
  else
    effects.emplace_back(Effect::get(), cast<BlockArgument>(value));
}

void addEffects(Effects &effects, Operation *op, const BufferAccess &access) {
  if (access.reads)
    addEffect<MemoryEffects::Read>(effects, op, access.buffer);
  if (access.writes)
    addEffect<MemoryEffects::Write>(effects, op, access.buffer);
}

void addUnknownEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}
} // namespace

void comm::detail::getMPIEffects(MPIOpInterface op, Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), CommunicationResource::get());
  // A function that creates an object creates a different one each time, even if it is unused: each is freed once.
  if (!isLocal(op) || !op.getFunction().onlyAsks())
    effects.emplace_back(MemoryEffects::Write::get(), CommunicationResource::get());
  for (const BufferAccess &access : getAccesses(op))
    addEffects(effects, op, access);
  if (op.reachesBeyondArguments() || op.isOneSided())
    addUnknownEffects(effects);
  auto completion = dyn_cast<CompletionOpInterface>(op.getOperation());
  if (!completion)
    return;
  for (Value request : completion.getRequests()) {
    auto start = request.getDefiningOp<MPIOpInterface>();
    if (!start || !start.isAsync()) {
      if (getConstantName(request) != "MPI_REQUEST_NULL")
        addUnknownEffects(effects); // whatever the request was started with
      continue;
    }
    for (const BufferAccess &access : getAccesses(start))
      if (access.inFlight)
        addEffects(effects, op, access);
  }
}
