// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns canonical addresses into pointers, and operations and dependencies into the engine's nodes. Local: no
// communication.

#include "Bind.h"

#include <algorithm>
#include <climits>

namespace comm::cdag::run {

void Bound::clear() {
  for (void *memory : owned_)
    std::free(memory);
  for (MPI_Datatype &type : types_)
    MPI_Type_free(&type);
  owned_.clear();
  types_.clear();
  nodes.clear();
  calls.clear();
  moves.clear();
  stages.clear();
  successors.clear();
  successorsBegin.clear();
  waitsFor.clear();
  steps.clear();
  temp_ = scratch_ = nullptr;
  bytes_ = 0;
  valid_ = false;
}

size_t Bound::bytes() const {
  return bytes_ + nodes.size() * sizeof(Node) + steps.bytes() + calls.size() * sizeof(Call) +
         (moves.size() + stages.size()) * sizeof(Move) +
         (successors.size() + successorsBegin.size() + 2 * waitsFor.size()) * sizeof(uint32_t);
}

void *Bound::allocate(size_t bytes) {
  void *memory = std::calloc(bytes ? bytes : 1, 1);
  if (!memory)
    outOfMemory(bytes);
  owned_.push_back(memory);
  bytes_ += bytes;
  return memory;
}

int *Bound::allocateInts(uint32_t count) { return static_cast<int *>(allocate(size_t(count) * sizeof(int))); }

char *Bound::pointer(Addr addr) const {
  if (addr & kScratchBit)
    return scratch_ + (addr & ~kScratchBit);
  if (addr & kTempBit)
    return temp_ + (addr & ~kTempBit);
  const Region *found = std::upper_bound(regions_->begin(), regions_->end(), addr,
                                         [](Addr a, const Region &region) { return a < region.base; });
  --found;
  return reinterpret_cast<char *>(uintptr_t(found->real + (addr - found->base)));
}

/// Returns a type of this many bytes, which may be more than an int can count.
MPI_Datatype Bound::bigType(uint64_t bytes) {
  const int chunk = 1 << 30;
  MPI_Datatype parts[2] = {MPI_DATATYPE_NULL, MPI_BYTE}, result;
  MPI_Type_contiguous(chunk, MPI_BYTE, &parts[0]);
  int lengths[2] = {int(bytes / chunk), int(bytes % chunk)};
  MPI_Aint at[2] = {0, MPI_Aint(bytes / chunk) * chunk};
  MPI_Type_create_struct(2, lengths, at, parts, &result);
  MPI_Type_commit(&result);
  MPI_Type_free(&parts[0]);
  types_.push_back(result);
  return result;
}

void Bound::bindNode(const OpRecord &record, const OpPlan &plan, Action action, const Vec<LocalReduce> &reduces) {
  Node node = {};
  CallKind kind = record.kind == CallKind::Get   ? CallKind::Recv
                  : record.kind == CallKind::Put ? CallKind::Send
                                                 : record.kind;
  if (action == Action::Drop || kind == CallKind::Nothing) {
    nodes.push_back(node);
    return;
  }
  node.bytes = action == Action::SyncOnly ? 0 : record.size;
  node.to = node.bytes ? pointer(record.addr) : nullptr;
  node.type = MPI_BYTE;
  node.kind = kind;
  switch (kind) {
  case CallKind::Send:
  case CallKind::Recv:
    node.peer = int(plan.peer);
    node.tag = plan.tag;
    node.count = int(node.bytes);
    if (node.bytes > INT_MAX) {
      node.type = bigType(node.bytes);
      node.count = 1;
    }
    break;
  case CallKind::Copy:
    node.from = pointer(record.source);
    break;
  case CallKind::Reduce:
    node.from = pointer(record.source);
    if (record.reduction.op == kUserOperator) {
      const LocalReduce &reduce = reduces[record.peer];
      node.op = reduce.op;
      node.type = reduce.type;
      node.count = reduce.count;
      // The record's address is that of the type's first byte.
      MPI_Aint lower = 0, extent = 0;
      MPI_Type_get_true_extent(reduce.type, &lower, &extent);
      node.to = static_cast<char *>(node.to) - lower;
      node.from = static_cast<const char *>(node.from) - lower;
    } else {
      ElementType element = record.reduction.type;
      node.op = mpiOp(Operator(record.reduction.op));
      node.type = mpiType(element);
      node.count = int(node.bytes / elementSize(element));
    }
    break;
  default:
    break;
  }
  nodes.push_back(node);
}

void Bound::edges(const LocalGraph &graph, const Part *part) {
  uint32_t count = uint32_t(nodes.size());
  waitsFor.assign(count, 0);
  successorsBegin.assign(size_t(count) + 1, 0);
  uint32_t own = graph.header().deps;
  uint32_t more = part ? part->header().deps : 0;
  for (uint32_t i = 0; i < own; ++i)
    ++successorsBegin[graph.deps()[i].on + 1];
  for (uint32_t i = 0; i < more; ++i)
    ++successorsBegin[part->deps()[i].on + 1];
  for (uint32_t n = 0; n < count; ++n)
    successorsBegin[n + 1] += successorsBegin[n];
  successors.resize(size_t(own) + more);
  Vec<uint32_t> fill(successorsBegin);
  auto add = [&](uint32_t on, uint32_t op) {
    successors[fill[on]++] = op;
    ++waitsFor[op];
  };
  for (uint32_t i = 0; i < own; ++i)
    add(graph.deps()[i].on, graph.deps()[i].op);
  for (uint32_t i = 0; i < more; ++i)
    add(part->deps()[i].on, part->deps()[i].op);
}

void Bound::bind(const LocalGraph &graph, const Vec<LocalReduce> &reduces, const Vec<Region> &regions, const Part &part,
                 bool replaced, const Vec<MPI_Comm> &comms) {
  clear();
  regions_ = &regions;
  const BlobHeader &header = graph.header();
  const PartHeader &partHeader = part.header();
  if (header.tempSize)
    temp_ = static_cast<char *>(allocate(header.tempSize));
  if (replaced && partHeader.scratchSize)
    scratch_ = static_cast<char *>(allocate(partHeader.scratchSize));
  for (uint32_t i = 0; i < partHeader.ops; ++i) {
    const OpPlan &plan = part.ops()[i];
    bindNode(i < header.ops ? graph.ops()[i] : part.foreign()[i - header.ops], plan,
             replaced ? Action(plan.action) : Action::Keep, reduces);
  }
  if (replaced) {
    for (uint32_t i = 0; i < partHeader.stages; ++i) {
      const StagePart &stage = part.stages()[i];
      stages.push_back({scratch_ + stage.scratch, pointer(stage.addr), size_t(stage.size)});
    }
    for (uint32_t i = 0; i < partHeader.collectives; ++i) {
      bindCall(part.collectives()[i], part, comms[i]);
      Node node = {};
      node.kind = CallKind::Collective;
      nodes.push_back(node);
    }
  }
  edges(graph, replaced ? &part : nullptr);
  steps.find(*this);
  valid_ = true;
}

} // namespace comm::cdag::run
