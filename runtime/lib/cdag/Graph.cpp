// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comm/CDag/Graph.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace comm::cdag {

namespace {
constexpr uint64_t kLimit = uint64_t(1) << 63;
/// Base type of addresses and sizes in error texts.
using ULL = unsigned long long;
} // namespace

Graph::Graph(uint32_t ranks) : ranks_(ranks) {
  if (ranks > kMaxIndex) {
    ranks_ = 0;
    fail(makeError(ErrorCode::TooLarge, kNone, kNone, "a graph of %u processes: at most %u are possible", ranks,
                   kMaxIndex));
  }
}

void Graph::fail(const Error &error) {
  if (!error_)
    error_ = error;
}

bool Graph::checkRange(Rank rank, Addr addr, uint64_t size) {
  if (size < kLimit && addr < kLimit && addr + size <= kLimit - 1)
    return true;
  fail(makeError(ErrorCode::BadSize, rank, numOps(),
                 "process %u, operation %u: buffer of %" PRIu64 " bytes at address 0x%" PRIx64
                 " reaches beyond 2^63-1: give a smaller size",
                 rank, numOps(), size, addr));
  return false;
}

bool Graph::checkMessage(Rank rank, const Operation &operation) {
  bool receives = operation.kind == OpKind::Recv;
  const char *kind = name(operation.kind);
  if (operation.peer >= ranks_ && !(receives && operation.peer == kAnySource)) {
    fail(makeError(ErrorCode::BadRank, rank, numOps(),
                   "process %u, %s of %" PRIu64 " bytes at address 0x%" PRIx64
                   ": peer %u is not a process of the graph (0 to %d)",
                   rank, kind, operation.size, operation.addr, operation.peer, int(ranks_) - 1));
    return false;
  }
  if (operation.tag < 0 && !(receives && operation.tag == kAnyTag)) {
    fail(makeError(ErrorCode::BadArgument, rank, numOps(), "process %u, %s: tag %d is negative", rank, kind,
                   operation.tag));
    return false;
  }
  return true;
}

uint32_t Graph::elementBytes(const Reduction &reduction) const {
  return reduction.op >= kUserOperator ? operators_[reduction.op - kUserOperator].elemSize
                                       : elementSize(reduction.type);
}

uint32_t Graph::elementBytes(OpId op) const { return kind(op) == OpKind::Reduce ? elementBytes(reduction(op)) : 1; }

bool Graph::checkReduction(Rank rank, const Operation &operation) {
  const Reduction &reduction = operation.reduction;
  bool user = reduction.op >= kUserOperator;
  if (user ? reduction.op - kUserOperator >= operators_.size()
           : reduction.op > uint8_t(Operator::BXor) || reduction.type >= ElementType::Opaque) {
    fail(makeError(ErrorCode::BadArgument, rank, numOps(),
                   "process %u, operation %u: reduction with unknown operator "
                   "%u or type %u",
                   rank, numOps(), reduction.op, unsigned(reduction.type)));
    return false;
  }
  if (!user && isFloatingPoint(reduction.type) && reduction.op >= uint8_t(Operator::LAnd)) {
    fail(makeError(ErrorCode::BadArgument, rank, numOps(), "process %u, operation %u: operator %s is not defined on %s",
                   rank, numOps(), name(Operator(reduction.op)), name(reduction.type)));
    return false;
  }
  return true;
}

bool Graph::checkLocal(Rank rank, const Operation &operation) {
  Addr dst = operation.addr, src = operation.source;
  uint64_t size = operation.size;
  bool reduces = operation.kind == OpKind::Reduce;
  if ((reduces && !checkReduction(rank, operation)) || !checkRange(rank, src, size) || !checkRange(rank, dst, size))
    return false;
  if (reduces && size % elementBytes(operation.reduction)) {
    fail(makeError(ErrorCode::BadSize, rank, numOps(),
                   "process %u, operation %u: reduction of %" PRIu64 " bytes at 0x%" PRIx64
                   " is not a multiple of its element's %u bytes",
                   rank, numOps(), size, dst, elementBytes(operation.reduction)));
    return false;
  }
  if (dst != src && dst < src + size && src < dst + size) {
    fail(makeError(ErrorCode::Race, rank, numOps(),
                   "process %u, operation %u: %s of %" PRIu64 " bytes whose source 0x%" PRIx64
                   " and destination 0x%" PRIx64 " overlap%s",
                   rank, numOps(), reduces ? "reduction" : "copy", size, src, dst, reduces ? " in part" : ""));
    return false;
  }
  return true;
}

OpId Graph::add(Rank rank, const Operation &operation) {
  OpKind kind = operation.kind;
  bool isMessage = kind == OpKind::Send || kind == OpKind::Recv;
  bool isLocal = kind == OpKind::Copy || kind == OpKind::Reduce;
  if (isLocal && !checkLocal(rank, operation))
    return kNone;
  if (rank >= ranks_) {
    fail(makeError(ErrorCode::BadRank, rank, numOps(), "%s on process %u: the graph has processes 0 to %d", name(kind),
                   rank, int(ranks_) - 1));
    return kNone;
  }
  if ((isMessage && !checkMessage(rank, operation)) || !checkRange(rank, operation.addr, operation.size))
    return kNone;
  if (kind_.size() >= kMaxIndex) {
    fail(makeError(ErrorCode::TooLarge, rank, kNone, "more than %u operations", kMaxIndex));
    return kNone;
  }
  frozen_ = false;
  kind_.push_back(uint8_t(kind));
  rank_.push_back(rank);
  peer_.push_back(isMessage ? operation.peer : isLocal ? static_cast<uint32_t>(locals_.size()) : kNone);
  tag_.push_back(isMessage ? operation.tag : 0);
  addr_.push_back(operation.addr);
  size_.push_back(operation.size);
  if (isLocal) {
    Reduction reduction = kind == OpKind::Reduce ? operation.reduction : Reduction{0, ElementType::Opaque, false};
    if (reduction.op >= kUserOperator)
      reduction.type = ElementType::Opaque;
    locals_.push_back({operation.source, reduction});
  }
  return numOps() - 1;
}

Operation Graph::operation(OpId op) const {
  Operation operation;
  operation.kind = kind(op);
  operation.addr = addr(op);
  operation.size = size(op);
  if (isMessage(op)) {
    operation.peer = peer(op);
    operation.tag = tag(op);
  } else if (isLocal(op)) {
    operation.source = source(op);
    operation.reduction = reduction(op);
  }
  return operation;
}

static Operation makeMessage(OpKind kind, Addr addr, uint64_t size, Rank peer, int32_t tag) {
  Operation message;
  message.kind = kind;
  message.addr = addr;
  message.size = size;
  message.peer = peer;
  message.tag = tag;
  return message;
}

static Operation makeLocal(OpKind kind, Addr dst, Addr src, uint64_t size, Reduction reduction = Reduction()) {
  Operation local;
  local.kind = kind;
  local.addr = dst;
  local.size = size;
  local.source = src;
  local.reduction = reduction;
  return local;
}

OpId Graph::addSend(Rank rank, Addr addr, uint64_t size, Rank peer, int32_t tag) {
  return add(rank, makeMessage(OpKind::Send, addr, size, peer, tag));
}

OpId Graph::addRecv(Rank rank, Addr addr, uint64_t size, Rank peer, int32_t tag) {
  return add(rank, makeMessage(OpKind::Recv, addr, size, peer, tag));
}

OpId Graph::addCopy(Rank rank, Addr dst, Addr src, uint64_t size) {
  return add(rank, makeLocal(OpKind::Copy, dst, src, size));
}

OpId Graph::addReduce(Rank rank, Addr dst, Addr src, uint64_t size, Operator op, ElementType type, bool sourceFirst) {
  return add(rank, makeLocal(OpKind::Reduce, dst, src, size, {uint8_t(op), type, sourceFirst}));
}

OpId Graph::addUserReduce(Rank rank, Addr dst, Addr src, uint64_t size, uint8_t op, bool sourceFirst) {
  return addReduce(rank, dst, src, size, static_cast<Operator>(op), ElementType::Opaque, sourceFirst);
}

OpId Graph::addNop(Rank rank) {
  Operation nothing;
  nothing.kind = OpKind::Nop;
  return add(rank, nothing);
}

uint8_t Graph::addOperator(OperatorLaws laws, uint32_t elemSize) {
  if (elemSize == 0 || operators_.size() >= 255 - kUserOperator) {
    fail(makeError(ErrorCode::BadArgument, kNone, kNone, "operator on elements of %u bytes, after %zu others", elemSize,
                   operators_.size()));
    return 255;
  }
  operators_.push_back({laws, elemSize});
  return static_cast<uint8_t>(kUserOperator + operators_.size() - 1);
}

OperatorLaws Graph::laws(uint8_t op) const {
  if (op >= kUserOperator)
    return operators_[op - kUserOperator].laws;
  OperatorLaws laws;
  switch (static_cast<Operator>(op)) {
  case Operator::Max:
  case Operator::Min:
  case Operator::BAnd:
  case Operator::BOr:
    laws.idempotent = true;
    break;
  default:
    // Logical and, or are not idempotent: they turn a into 0 or 1.
    break;
  }
  return laws;
}

void Graph::addDependency(OpId op, OpId on) {
  if (op >= numOps() || on >= numOps() || op == on || rank_[op] != rank_[on]) {
    if (op < numOps() && on < numOps() && op != on)
      fail(makeError(ErrorCode::BadDependency, rank_[op], op,
                     "operation %u of process %u depends on operation %u of "
                     "process %u: dependencies are local to a process",
                     op, rank_[op], on, rank_[on]));
    else
      fail(makeError(ErrorCode::BadDependency, op < numOps() ? rank_[op] : kNone, op,
                     "operation %u depends on operation %u: there are "
                     "operations 0 to %d, and none may wait for itself",
                     op, on, int(numOps()) - 1));
    return;
  }
  if (deps_.size() >= kMaxIndex)
    return fail(makeError(ErrorCode::TooLarge, rank_[op], op, "more than %u dependencies", kMaxIndex));
  frozen_ = false;
  deps_.push_back({on, op});
}

void Graph::addBuffer(Rank rank, Addr start, uint64_t size, const char *label, bool temporary) {
  if (rank != kNone && rank >= ranks_)
    return fail(makeError(ErrorCode::BadRank, rank, kNone,
                          "buffer %s on process %u: the graph has processes 0 "
                          "to %d",
                          label, rank, int(ranks_) - 1));
  if (!checkRange(rank, start, size))
    return;
  uint32_t offset = static_cast<uint32_t>(text_.size());
  text_.append(label, label + std::strlen(label) + 1);
  buffers_.push_back({rank, temporary, offset, start, size});
}

void Graph::reserve(size_t ops, size_t deps) {
  kind_.reserve(ops);
  rank_.reserve(ops);
  peer_.reserve(ops);
  tag_.reserve(ops);
  addr_.reserve(ops);
  size_.reserve(ops);
  deps_.reserve(deps);
}

void Graph::freeze() {
  if (frozen_)
    return;
  frozen_ = true;
  bool sorted = true;
  for (size_t i = 1; sorted && i < deps_.size(); ++i)
    sorted = deps_[i - 1].op <= deps_[i].op;
  if (!sorted)
    std::sort(deps_.begin(), deps_.end(),
              [](const Dependency &a, const Dependency &b) { return a.op != b.op ? a.op < b.op : a.on < b.on; });
  depBegin_.assign(size_t(numOps()) + 1, 0);
  for (const Dependency &dep : deps_)
    ++depBegin_[dep.op + 1];
  for (uint32_t i = 0; i < numOps(); ++i)
    depBegin_[i + 1] += depBegin_[i];

  rankBegin_.assign(size_t(ranks_) + 1, 0);
  bool grouped = true;
  for (OpId op = 0; op < numOps(); ++op) {
    ++rankBegin_[rank_[op] + 1];
    grouped &= op == 0 || rank_[op - 1] <= rank_[op];
  }
  for (Rank r = 0; r < ranks_; ++r)
    rankBegin_[r + 1] += rankBegin_[r];
  byRank_.clear();
  if (grouped)
    return;
  byRank_.resize(numOps());
  for (OpId op = 0; op < numOps(); ++op)
    byRank_[rankBegin_[rank_[op]]++] = op;
  for (Rank r = ranks_; r > 0; --r)
    rankBegin_[r] = rankBegin_[r - 1];
  rankBegin_[0] = 0;
}

const Buffer *Graph::findBuffer(Rank rank, Addr addr) const {
  for (const Buffer &buffer : buffers_)
    if ((buffer.rank == rank || buffer.rank == kNone) && addr >= buffer.start && addr - buffer.start < buffer.size)
      return &buffer;
  return nullptr;
}

void Graph::describeAddress(Rank rank, Addr addr, char *out, size_t size) const {
  const Buffer *buffer = findBuffer(rank, addr);
  if (!buffer)
    std::snprintf(out, size, "address 0x%llx", ULL(addr));
  else if (addr == buffer->start)
    std::snprintf(out, size, "%s", bufferName(*buffer));
  else
    std::snprintf(out, size, "%s+%llu", bufferName(*buffer), ULL(addr - buffer->start));
}

void Graph::describe(OpId op, char *out, size_t size) const {
  // The number within the process. The linear search is fine because errors are rare.
  uint32_t index = 0;
  for (OpId i = 0; i < op; ++i)
    index += rank_[i] == rank_[op];
  char where[96];
  describeAddress(rank_[op], addr_[op], where, sizeof(where));
  if (kind(op) == OpKind::Nop) {
    std::snprintf(out, size, "operation %u (nop)", index);
  } else if (!isMessage(op)) {
    std::snprintf(out, size, "operation %u (%s of %llu bytes to %s)", index, name(kind(op)), ULL(size_[op]), where);
  } else {
    char peer[24], tag[24];
    if (peer_[op] == kAnySource)
      std::snprintf(peer, sizeof(peer), "any process");
    else
      std::snprintf(peer, sizeof(peer), "process %u", peer_[op]);
    if (tag_[op] == kAnyTag)
      std::snprintf(tag, sizeof(tag), "any tag");
    else
      std::snprintf(tag, sizeof(tag), "tag %d", tag_[op]);
    std::snprintf(out, size, "operation %u (%s of %llu bytes at %s %s %s, %s)", index, name(kind(op)), ULL(size_[op]),
                  where, isSend(op) ? "to" : "from", peer, tag);
  }
}

Liveness::Liveness(const Graph &graph) {
  for (const Buffer &buffer : graph.buffers())
    if (buffer.temporary && buffer.size)
      pieces_.push_back({buffer.rank, buffer.start, buffer.start + buffer.size});
  std::sort(pieces_.begin(), pieces_.end(),
            [](const Piece &a, const Piece &b) { return a.rank != b.rank ? a.rank < b.rank : a.lo < b.lo; });
  // Merge overlapping pieces, so that a binary search finds the first one that overlaps a range.
  size_t n = 0;
  for (const Piece &piece : pieces_) {
    if (n && pieces_[n - 1].rank == piece.rank && piece.lo <= pieces_[n - 1].hi)
      pieces_[n - 1].hi = std::max(pieces_[n - 1].hi, piece.hi);
    else
      pieces_[n++] = piece;
  }
  pieces_.resize(n);
  while (common_ < n && pieces_[common_].rank != kNone)
    ++common_;
}

void Liveness::findDead(Rank rank, Addr lo, Addr hi, Addr &deadLo, Addr &deadHi) const {
  auto search = [&](size_t begin, size_t end, Rank key) {
    const Piece *first =
        std::lower_bound(pieces_.begin() + begin, pieces_.begin() + end, key,
                         [&](const Piece &piece, Rank k) { return piece.rank != k ? piece.rank < k : piece.hi <= lo; });
    if (first == pieces_.begin() + end || first->rank != key || first->lo >= hi)
      return;
    Addr from = std::max(first->lo, lo);
    if (from < deadLo) {
      deadLo = from;
      deadHi = std::min(first->hi, hi);
    }
  };
  search(0, common_, rank);
  search(common_, pieces_.size(), kNone);
}

} // namespace comm::cdag
