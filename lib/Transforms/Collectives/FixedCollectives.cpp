//===- FixedCollectives.cpp - Graphs of a known number of processes --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FixedCollectives.h"

#include "Comm/CDag/Compile.h"

#include "mlir/IR/Diagnostics.h"

#include <map>

using namespace mlir;
using namespace comm;
using cdag::CollectiveKind;

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

namespace {
/// The source and target of one block.
struct Block {
  cdag::Addr from, to;
  uint64_t bytes;
};

/// Derives the arguments of the MPI function from the transfers of a collective.
class LayoutReader {
public:
  LayoutReader(const EvaluatedGraph &evaluated, const cdag::Schedule &schedule, const cdag::Collective &collective,
               unsigned ranks)
      : evaluated(evaluated), schedule(schedule), collective(collective), ranks(ranks) {}
  std::optional<FixedCollective> read();

private:
  bool readBlocks();
  bool place(SmallVectorImpl<FixedAddress> &where, unsigned rank, cdag::Addr address, uint64_t back);

  const EvaluatedGraph &evaluated;
  const cdag::Schedule &schedule;
  const cdag::Collective &collective;
  unsigned ranks;
  std::map<std::pair<unsigned, unsigned>, Block> blocks;
};
} // namespace

/// Collects the contiguous block of each pair of processes. Returns false if there are several, or if sizes differ: no
/// MPI function does that.
bool LayoutReader::readBlocks() {
  for (uint32_t i = collective.begin; i < collective.end; ++i) {
    const cdag::Transfer &transfer = schedule.transfers[i];
    if ((transfer.srcAddr | transfer.dstAddr) & cdag::kScratchBit)
      return false;
    auto [it, isNew] =
        blocks.try_emplace({transfer.src, transfer.dst}, Block{transfer.srcAddr, transfer.dstAddr, transfer.size});
    Block &block = it->second;
    if (isNew)
      continue;
    if (transfer.srcAddr != block.from + block.bytes || transfer.dstAddr != block.to + block.bytes)
      return false;
    block.bytes += transfer.size;
  }
  return !blocks.empty() && llvm::all_of(blocks, [&](const auto &entry) {
    return entry.second.bytes == blocks.begin()->second.bytes && entry.second.bytes <= INT32_MAX;
  });
}

/// Records that the process's buffer begins `back` bytes before the address. Returns false if that contradicts another
/// block.
bool LayoutReader::place(SmallVectorImpl<FixedAddress> &where, unsigned rank, cdag::Addr address, uint64_t back) {
  auto [base, offset] = evaluated.locate(address);
  FixedAddress first{base, offset - static_cast<int64_t>(back)};
  if (!where[rank].base)
    where[rank] = first;
  return where[rank] == first;
}

std::optional<FixedCollective> LayoutReader::read() {
  bool isToOne = collective.kind == CollectiveKind::Gather,
       isFromOne = collective.kind == CollectiveKind::Bcast || collective.kind == CollectiveKind::Scatter;
  bool isRooted = isToOne || isFromOne;
  if ((!isRooted && collective.kind != CollectiveKind::Allgather && collective.kind != CollectiveKind::Alltoall) ||
      collective.memberBegin != collective.memberEnd || !readBlocks())
    return std::nullopt;
  FixedCollective result;
  result.kind = collective.kind;
  result.root = isRooted ? collective.root : 0;
  result.bytes = blocks.begin()->second.bytes;
  result.send.resize(ranks);
  result.receive.resize(ranks);
  bool sendsBlocks = collective.kind == CollectiveKind::Scatter || collective.kind == CollectiveKind::Alltoall;
  bool receivesBlocks = !isFromOne;
  unsigned others = 0, own = 0;
  for (const auto &[pair, block] : blocks) {
    auto [source, target] = pair;
    if ((isToOne && target != result.root) || (isFromOne && source != result.root))
      return std::nullopt;
    ++(source == target ? own : others);
    if (!place(result.send, source, block.from, sendsBlocks ? target * result.bytes : 0) ||
        !place(result.receive, target, block.to, receivesBlocks ? source * result.bytes : 0))
      return std::nullopt;
  }
  if (others != (isRooted ? ranks - 1 : ranks * (ranks - 1)))
    return std::nullopt;
  unsigned numOwn = isRooted ? 1 : ranks;
  switch (collective.kind) {
  case CollectiveKind::Bcast:
    if (own != 0)
      return std::nullopt;
    result.receive[result.root] = result.send[result.root];
    return result;
  case CollectiveKind::Gather:
  case CollectiveKind::Scatter:
    result.isInPlace = own == 0;
    return own == 0 || own == numOwn ? std::optional<FixedCollective>(result) : std::nullopt;
  case CollectiveKind::Allgather:
    if (own == 0)
      for (unsigned rank = 0; rank < ranks; ++rank) {
        FixedAddress block = result.receive[rank];
        block.offset += rank * result.bytes;
        if (!(result.send[rank] == block))
          return std::nullopt;
      }
    result.isInPlace = own == 0;
    return own == 0 || own == numOwn ? std::optional<FixedCollective>(result) : std::nullopt;
  default:
    return own == numOwn && !collective.inPlace ? std::optional<FixedCollective>(result) : std::nullopt;
  }
}

std::optional<std::vector<FixedCollective>> comm::findFixedCollectives(CDagOp graph, unsigned ranks,
                                                                       const mpi::ABI &abi, std::string &reason) {
  FailureOr<std::unique_ptr<EvaluatedGraph>> evaluated = failure();
  {
    ScopedDiagnosticHandler quiet(graph.getContext(), [&](Diagnostic &error) {
      if (error.getSeverity() == DiagnosticSeverity::Error)
        reason = error.str();
      return success();
    });
    evaluated = evaluateGraph(graph, ranks, abi);
  }
  if (failed(evaluated))
    return std::nullopt;
  for (Value buffer : (*evaluated)->buffers)
    if (!isa<LLVM::LLVMPointerType>(buffer.getType()) || graph.getBody().isAncestor(buffer.getParentRegion())) {
      reason = "it has a buffer that is not a pointer defined before the graph";
      return std::nullopt;
    }
  cdag::Schedule schedule;
  if (cdag::Error error = cdag::compile((*evaluated)->graph, cdag::CompileOptions(), schedule)) {
    reason = error.text;
    return std::nullopt;
  }
  bool isComplete = !schedule.collectives.empty() && !schedule.actions.empty() && schedule.stages.empty();
  for (cdag::Action action : schedule.actions)
    isComplete &= action == cdag::Action::Drop;
  std::vector<FixedCollective> found;
  for (const cdag::Collective &collective : schedule.collectives)
    if (isComplete) {
      std::optional<FixedCollective> layout = LayoutReader(**evaluated, schedule, collective, ranks).read();
      isComplete = layout.has_value();
      if (layout)
        found.push_back(std::move(*layout));
    }
  if (isComplete)
    return found;
  reason = "it does not consist only of collectives of all processes on contiguous blocks";
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static Value makeNumber(OpBuilder &builder, Location loc, int64_t value, unsigned bits) {
  Type type = builder.getIntegerType(bits);
  return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value));
}

/// Returns the executing process's own entry of a table.
static Value lookUp(OpBuilder &builder, Location loc, RuntimeCalls &globals, ArrayRef<int64_t> entries, Value rank) {
  if (llvm::all_equal(entries))
    return makeNumber(builder, loc, entries.front(), 64);
  Type i64 = builder.getI64Type();
  auto type = LLVM::LLVMArrayType::get(i64, entries.size());
  Value table = globals.makeGlobal(builder, loc, "comm.table", type, /*isConstant=*/true, [&](OpBuilder &inner) {
    return LLVM::ConstantOp::create(inner, loc, type, inner.getI64TensorAttr(entries)).getResult();
  });
  Value entry = LLVM::GEPOp::create(builder, loc, table.getType(), i64, table, ArrayRef<LLVM::GEPArg>{rank});
  return LLVM::LoadOp::create(builder, loc, i64, entry);
}

/// Returns the beginning of the process's buffer.
static Value emitAddress(OpBuilder &builder, Location loc, RuntimeCalls &globals, ArrayRef<FixedAddress> where,
                         Value rank) {
  SmallVector<Value> bases;
  for (const FixedAddress &address : where)
    if (address.base && !llvm::is_contained(bases, address.base))
      bases.push_back(address.base);
  SmallVector<int64_t> offsets, indices;
  for (const FixedAddress &address : where) {
    offsets.push_back(address.base ? address.offset : where.front().offset);
    indices.push_back(address.base ? llvm::find(bases, address.base) - bases.begin() : 0);
  }
  Value base = bases.front();
  Value index = lookUp(builder, loc, globals, indices, rank);
  for (auto [i, other] : llvm::enumerate(ArrayRef<Value>(bases).drop_front())) {
    Value isOther =
        LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, index, makeNumber(builder, loc, i + 1, 64));
    base = LLVM::SelectOp::create(builder, loc, isOther, other, base);
  }
  return LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{lookUp(builder, loc, globals, offsets, rank)});
}

MPIOpInterface comm::buildFixedCollective(OpBuilder &builder, Location loc, RuntimeCalls &globals,
                                          const FixedCollective &collective, Value communicator) {
  MLIRContext *context = builder.getContext();
  Value narrow =
      createMPIOp(builder, loc, "MPI_Comm_rank", Mode::blocking, {{"comm", communicator}}, {"rank"}).getOutcome("rank");
  Value rank = LLVM::SExtOp::create(builder, loc, builder.getI64Type(), narrow);
  Value type = ConstantOp::create(builder, loc, DatatypeType::get(context), builder.getStringAttr("MPI_BYTE"));
  Value count = makeNumber(builder, loc, collective.bytes, 32), root = makeNumber(builder, loc, collective.root, 32);
  if (collective.kind == CollectiveKind::Bcast)
    return createMPIOp(builder, loc, "MPI_Bcast", Mode::blocking,
                       {{"buffer", emitAddress(builder, loc, globals, collective.receive, rank)},
                        {"count", count},
                        {"datatype", type},
                        {"root", root},
                        {"comm", communicator}},
                       {});
  auto place = [&](ArrayRef<FixedAddress> where, bool mayBeInPlace) -> Value {
    bool isInPlace = collective.isInPlace && mayBeInPlace;
    auto makeConstant = [&]() -> Value {
      return ConstantOp::create(builder, loc, LLVM::LLVMPointerType::get(context),
                                builder.getStringAttr("MPI_IN_PLACE"));
    };
    if (isInPlace && collective.kind == CollectiveKind::Allgather)
      return makeConstant();
    Value address = emitAddress(builder, loc, globals, where, rank);
    if (!isInPlace)
      return address;
    Value isRoot = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, narrow, root);
    return LLVM::SelectOp::create(builder, loc, isRoot, makeConstant(), address);
  };
  SmallVector<NamedParam> params{{"sendbuf", place(collective.send, collective.kind != CollectiveKind::Scatter)},
                                 {"sendcount", count},
                                 {"sendtype", type},
                                 {"recvbuf", place(collective.receive, collective.kind == CollectiveKind::Scatter)},
                                 {"recvcount", count},
                                 {"recvtype", type}};
  StringRef name = cdag::mpiName(collective.kind);
  if (collective.kind == CollectiveKind::Gather || collective.kind == CollectiveKind::Scatter)
    params.emplace_back("root", root);
  params.emplace_back("comm", communicator);
  return createMPIOp(builder, loc, name, Mode::blocking, params, {});
}
