//===- GraphEvaluator.cpp - A graph for a number of processes --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Symbolic/GraphEvaluator.h"

#include "Comm/Analysis/Symbolic/IntegerEvaluator.h"
#include "Comm/Dialect/Comm/Utils/CommQueries.h"

#include "Comm/CDag/AccessMap.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;
using namespace comm;
using llvm::APInt;

namespace {
/// A loop that takes more steps than this counts as infinite.
constexpr uint64_t maxSteps = 4u << 20;

/// An integer, or an address: a buffer and an offset in it.
struct Known {
  std::optional<APInt> integer;
  std::optional<unsigned> buffer;
  int64_t offset = 0;
  bool isNobody = false; // MPI_PROC_NULL

  static Known of(const APInt &integer) {
    Known known;
    known.integer = integer;
    return known;
  }
  static Known startOf(unsigned buffer) {
    Known known;
    known.buffer = buffer;
    return known;
  }
};

/// Executes the graph for one process after another.
class Evaluator {
public:
  Evaluator(CDagOp op, unsigned ranks, const mpi::ABI &abi, AssumeValue assume)
      : op(op), abi(abi), assume(assume), layout(DataLayout::closest(op)),
        result(std::make_unique<EvaluatedGraph>(ranks)), ranks(ranks), accesses(ranks) {}

  FailureOr<std::unique_ptr<EvaluatedGraph>> run();

private:
  LogicalResult runRank(unsigned rank);
  LogicalResult addMessage(MPIOpInterface message);
  LogicalResult addOrder(AfterOp after);
  Block *follow(Operation *terminator);
  std::optional<Known> get(Value value);
  std::optional<Known> compute(Operation *definition, Value value);
  std::optional<Known> computeAddress(LLVM::GEPOp gep);
  unsigned getBuffer(Value value);
  InFlightDiagnostic unknown(Operation *at, const Twine &what, Value value);

  CDagOp op;
  const mpi::ABI &abi;
  AssumeValue assume;
  DataLayout layout;
  std::unique_ptr<EvaluatedGraph> result;
  unsigned ranks, rank = 0;
  DenseMap<Value, Known> values;
  DenseMap<Value, cdag::OpId> started;
  cdag::AccessMap accesses;
};
} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

InFlightDiagnostic Evaluator::unknown(Operation *at, const Twine &what, Value value) {
  InFlightDiagnostic error = at->emitOpError() << "has a " << what.str()
                                               << " that is not known at compile time for a number of processes";
  if (Operation *definition = value ? value.getDefiningOp() : nullptr)
    error.attachNote(definition->getLoc()) << "it depends on this";
  return error;
}

unsigned Evaluator::getBuffer(Value value) {
  auto *it = llvm::find(result->buffers, value);
  if (it == result->buffers.end()) {
    result->buffers.push_back(value);
    return result->buffers.size() - 1;
  }
  return it - result->buffers.begin();
}

std::optional<Known> Evaluator::computeAddress(LLVM::GEPOp gep) {
  std::optional<Known> known = get(gep.getBase());
  if (!known || !known->buffer)
    return std::nullopt;
  Type type = gep.getElemType();
  bool isFirst = true;
  for (auto index : gep.getIndices()) {
    std::optional<int64_t> number;
    if (auto value = dyn_cast<Value>(index)) {
      if (std::optional<Known> each = get(value); each && each->integer)
        number = each->integer->getSExtValue();
    } else {
      number = cast<IntegerAttr>(index).getInt();
    }
    if (!number)
      return std::nullopt;
    if (!isFirst) {
      // Offsets of fields depend on the data layout: only the first one is 0 in any layout.
      if (auto structure = dyn_cast<LLVM::LLVMStructType>(type)) {
        if (*number != 0)
          return std::nullopt;
        type = structure.getBody().front();
        continue;
      }
      auto array = dyn_cast<LLVM::LLVMArrayType>(type);
      if (!array)
        return std::nullopt;
      type = array.getElementType();
    }
    isFirst = false;
    known->offset += *number * static_cast<int64_t>(layout.getTypeSize(type).getFixedValue());
  }
  return known;
}

std::optional<Known> Evaluator::compute(Operation *definition, Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return Known::of(constant);
  if (isa<ConstantOp>(definition) && value.getType().isInteger()) {
    Known known;
    known.isNobody = getConstantName(value) == "MPI_PROC_NULL";
    if (!known.isNobody)
      return std::nullopt;
    return known;
  }
  if (std::optional<CommQuery> query = getCommQuery(value)) {
    if (!isSameHandle(query->communicator, op.getComm()))
      return std::nullopt;
    return Known::of(APInt(32, query->isRank ? rank : ranks));
  }
  if (auto gep = dyn_cast<LLVM::GEPOp>(definition))
    return computeAddress(gep);
  if (auto select = dyn_cast<LLVM::SelectOp>(definition)) {
    // One arm may be an address, and the other unknown.
    std::optional<Known> condition = get(select.getCondition());
    if (!condition || !condition->integer)
      return std::nullopt;
    return get(condition->integer->isZero() ? select.getFalseValue() : select.getTrueValue());
  }
  SmallVector<APInt> operands;
  for (Value operand : definition->getOperands()) {
    std::optional<Known> known = get(operand);
    if (!known || !known->integer)
      return std::nullopt;
    operands.push_back(*known->integer);
  }
  if (!value.getType().isIntOrIndex())
    return std::nullopt;
  if (std::optional<APInt> integer = evaluateInteger(definition, operands))
    return Known::of(*integer);
  return std::nullopt;
}

std::optional<Known> Evaluator::get(Value value) {
  if (auto it = values.find(value); it != values.end())
    return it->second;
  Operation *definition = value.getDefiningOp();
  std::optional<Known> known;
  if (assume && value.getType().isInteger() && !op.getBody().isAncestor(value.getParentRegion()))
    if (std::optional<int64_t> number = assume(value))
      known = Known::of(APInt(value.getType().getIntOrFloatBitWidth(), *number, /*isSigned=*/true,
                              /*implicitTrunc=*/true));
  if (!known && definition)
    known = compute(definition, value);
  if (!known && isa<LLVM::LLVMPointerType, MemRefType>(value.getType()) &&
      !op.getBody().isAncestor(value.getParentRegion()))
    known = Known::startOf(getBuffer(value));
  // Values that loops change are recomputed in each iteration.
  if (known && !op.getBody().isAncestor(value.getParentRegion()))
    values[value] = *known;
  return known;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

LogicalResult Evaluator::addMessage(MPIOpInterface message) {
  bool isSend = message.getMatching().kind == Matching::Kind::Send;
  auto integer = [&](StringRef name) -> std::optional<int64_t> {
    Value value = message.getParam(name);
    std::optional<Known> known = value ? get(value) : std::nullopt;
    if (known && known->integer)
      return known->integer->getSExtValue();
    return std::nullopt;
  };
  StringRef peerName = isSend ? "dest" : "source";
  if (std::optional<Known> known = get(message.getParam(peerName)); known && known->isNobody)
    return success();
  std::optional<int64_t> peer = integer(peerName), tag = integer("tag");
  if (!peer)
    return unknown(message, peerName, message.getParam(peerName));
  if (!tag)
    return unknown(message, "tag", message.getParam("tag"));

  Value buffer = message.getParam("buf");
  std::optional<Known> address = get(buffer);
  if (!address || !address->buffer)
    return unknown(message, "buffer", buffer);
  std::optional<int64_t> bytes;
  if (auto memref = dyn_cast<MemRefType>(buffer.getType())) {
    if (memref.hasStaticShape() && memref.getLayout().isIdentity())
      bytes = memref.getNumElements() * static_cast<int64_t>(layout.getTypeSize(memref.getElementType()));
  } else if (std::optional<int64_t> count = integer("count")) {
    StringRef type = getConstantName(message.getParam("datatype"));
    std::optional<unsigned> size = abi.isPredefinedContiguous(type) ? abi.getDatatypeSize(type) : std::nullopt;
    if (!size)
      return unknown(message, "datatype", message.getParam("datatype"));
    bytes = *count * static_cast<int64_t>(*size);
  }
  if (!bytes)
    return unknown(message, "count", message.getParam("count"));
  if (*bytes < 0 || address->offset < 0 ||
      address->offset > static_cast<int64_t>(EvaluatedGraph::bufferDistance) - *bytes)
    return message.emitOpError() << "in process " << rank << " of " << ranks << " has a buffer of " << *bytes
                                 << " bytes at offset " << address->offset << ", which is not part of any buffer";

  uint64_t start = (*address->buffer + 1) * EvaluatedGraph::bufferDistance + address->offset;
  auto peerRank = *peer < 0 || *peer >= ranks ? cdag::kNone - 1 : static_cast<cdag::Rank>(*peer);
  cdag::OpId id = isSend ? result->graph.addSend(rank, start, *bytes, peerRank, *tag)
                         : result->graph.addRecv(rank, start, *bytes, peerRank, *tag);
  if (id == cdag::kNone)
    return message.emitOpError() << "in process " << rank << " of " << ranks << ": " << result->graph.error().text;
  started[message.getOutcome("request")] = id;
  if (op.getImplied()) {
    cdag::Vec<cdag::OpId> conflicts;
    if (isSend)
      accesses.read(rank, start, *bytes, id, conflicts);
    else
      accesses.write(rank, start, *bytes, id, conflicts);
    llvm::SmallDenseSet<cdag::OpId> known;
    for (cdag::OpId earlier : conflicts)
      if (earlier != id && known.insert(earlier).second)
        result->graph.addDependency(id, earlier);
  }
  return success();
}

LogicalResult Evaluator::addOrder(AfterOp after) {
  auto later = started.find(after.getRequest());
  if (later == started.end())
    return success(); // to or from MPI_PROC_NULL
  for (Value request : after.getPredecessors())
    if (auto earlier = started.find(request); earlier != started.end())
      result->graph.addDependency(later->second, earlier->second);
  return success();
}

/// Returns the successor for these operands, if known.
static std::optional<unsigned> chooseSuccessor(BranchOpInterface branch, ArrayRef<std::optional<APInt>> operands) {
  // The branches of the llvm dialect do not implement getSuccessorForOperands.
  if (isa<LLVM::CondBrOp>(branch))
    return operands[0] ? std::optional<unsigned>(operands[0]->isZero() ? 1 : 0) : std::nullopt;
  if (auto choice = dyn_cast<LLVM::SwitchOp>(branch.getOperation())) {
    if (!operands[0])
      return std::nullopt;
    if (DenseIntElementsAttr cases = choice.getCaseValuesAttr())
      for (auto [index, value] : llvm::enumerate(cases.getValues<APInt>()))
        if (value == *operands[0])
          return index + 1;
    return 0;
  }
  SmallVector<Attribute> constants;
  for (auto [type, integer] : llvm::zip(branch->getOperandTypes(), operands))
    constants.push_back(integer ? Attribute(IntegerAttr::get(type, *integer)) : Attribute());
  Block *target = branch.getSuccessorForOperands(constants);
  // With two edges to one block, either one could be meant.
  std::optional<unsigned> index;
  for (unsigned i = 0; target && i < branch->getNumSuccessors(); ++i)
    if (branch->getSuccessor(i) == target) {
      if (index)
        return std::nullopt;
      index = i;
    }
  return index;
}

/// Moves to the successor and assigns its arguments. Returns null if the successor is unknown.
Block *Evaluator::follow(Operation *terminator) {
  auto branch = dyn_cast<BranchOpInterface>(terminator);
  if (!branch)
    return nullptr;
  std::optional<unsigned> index = 0;
  if (terminator->getNumSuccessors() != 1) {
    SmallVector<std::optional<APInt>> operands;
    for (Value operand : terminator->getOperands()) {
      std::optional<Known> known = get(operand);
      operands.push_back(known ? known->integer : std::nullopt);
    }
    index = chooseSuccessor(branch, operands);
  }
  if (!index)
    return nullptr;
  Block *target = terminator->getSuccessor(*index);
  SuccessorOperands operands = branch.getSuccessorOperands(*index);
  SmallVector<std::optional<Known>> incoming;
  for (unsigned i = 0; i < target->getNumArguments(); ++i)
    incoming.push_back(operands[i] ? get(operands[i]) : std::nullopt);
  for (auto [argument, known] : llvm::zip(target->getArguments(), incoming)) {
    if (known)
      values[argument] = *known;
    else
      values.erase(argument);
  }
  return target;
}

LogicalResult Evaluator::runRank(unsigned which) {
  rank = which;
  values.clear();
  started.clear();
  Block *block = &op.getBody().front();
  for (uint64_t steps = 0;;) {
    for (Operation &each : *block) {
      if (++steps > maxSteps)
        return op.emitOpError() << "goes on for more than " << maxSteps << " operations in process " << rank << " of "
                                << ranks;
      if (auto message = dyn_cast<MPIOpInterface>(each);
          message && message.getMatching().kind != Matching::Kind::None) {
        if (failed(addMessage(message)))
          return failure();
        continue;
      }
      if (auto after = dyn_cast<AfterOp>(each)) {
        if (failed(addOrder(after)))
          return failure();
        continue;
      }
      if (isa<YieldOp>(each))
        return success();
      if (isa<TransferOp>(each))
        return each.emitOpError() << "is in single-transfer form already";
      if (each.getNumRegions() != 0)
        return each.emitOpError()
               << "has regions, which are not evaluated: convert them to branches first (-convert-scf-to-cf)";
      if (each.hasTrait<OpTrait::IsTerminator>())
        break;
      // Values in loops are those of the current iteration.
      for (Value value : each.getResults()) {
        values.erase(value);
        if (std::optional<Known> known = get(value))
          values[value] = *known;
      }
    }
    Operation *terminator = block->getTerminator();
    block = follow(terminator);
    if (!block)
      return unknown(terminator, "condition", terminator->getNumOperands() ? terminator->getOperand(0) : Value());
  }
}

FailureOr<std::unique_ptr<EvaluatedGraph>> Evaluator::run() {
  for (unsigned each = 0; each < ranks; ++each)
    if (failed(runRank(each)))
      return failure();
  if (const cdag::Error &error = result->graph.error())
    return op.emitOpError() << "for " << ranks << " processes: " << error.text;
  for (auto [index, buffer] : llvm::enumerate(result->buffers)) {
    std::string name = "buffer" + std::to_string(index);
    result->graph.addBuffer(cdag::kNone, (index + 1) * EvaluatedGraph::bufferDistance, EvaluatedGraph::bufferDistance,
                            name.c_str());
  }
  return std::move(result);
}

FailureOr<std::unique_ptr<EvaluatedGraph>> comm::evaluateGraph(CDagOp op, unsigned ranks, const mpi::ABI &abi,
                                                               AssumeValue assume) {
  if (!op.getComm())
    return op.emitOpError() << "is for a window: the bytes that its gets and puts access are only known at run time";
  return Evaluator(op, ranks, abi, assume).run();
}
