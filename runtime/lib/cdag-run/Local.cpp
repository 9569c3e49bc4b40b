// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recording, implied dependencies, and the canonical form.

#include "Local.h"
#include "Comm/CDag/AccessMap.h"

#include <algorithm>
#include <cstdio>

namespace comm::cdag::run {

namespace {

constexpr uint64_t kAlign = 64;
constexpr uint64_t kGap = 4096;
constexpr Addr kLimit = kTempBit;

Addr address(const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

uint64_t alignUp(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

} // namespace

uint32_t LocalBuilder::node(CallKind kind, Addr addr, uint64_t size, Addr source, uint32_t peer, int32_t tag) {
  OpRecord record = {};
  record.kind = kind;
  record.peer = peer;
  record.tag = tag;
  record.addr = size ? addr : 0;
  record.size = size;
  record.source = size ? source : 0;
  ops_.push_back(record);
  return uint32_t(ops_.size() - 1);
}

void LocalBuilder::handle(uint32_t entryBegin, uint32_t entryEnd, uint32_t exit) {
  handles_.push_back({entryBegin, entryEnd, exit});
}

ErrorCode LocalBuilder::message(bool send, const void *buf, int count, MPI_Datatype type, uint32_t peer, int tag) {
  Vec<Block> blocks;
  if (!flatten(type, count, blocks))
    return ErrorCode::BadSize;
  Addr at = address(buf);
  for (const Block &block : blocks)
    if (at + uint64_t(block.offset) >= kLimit || block.size >= kLimit)
      return ErrorCode::BadSize;
  if (blocks.size() <= 1) {
    uint64_t size = blocks.empty() ? 0 : blocks[0].size;
    Addr start = blocks.empty() ? 0 : at + uint64_t(blocks[0].offset);
    uint32_t n = node(send ? CallKind::Send : CallKind::Recv, start, size, 0, peer, tag);
    handle(n, n + 1, n);
    return ErrorCode::None;
  }
  // Pack into temporary memory. The copies are part of the graph, so that detection sees where the bytes come from and
  // go to.
  uint64_t total = 0;
  for (const Block &block : blocks)
    total += block.size;
  Addr temp = kTempBit | tempSize_;
  tempSize_ += alignUp(total, kAlign) + kAlign;
  uint32_t first = numNodes();
  if (!send)
    node(CallKind::Recv, temp, total, 0, peer, tag);
  uint64_t done = 0;
  for (const Block &block : blocks) {
    Addr user = at + uint64_t(block.offset);
    uint32_t copy = send ? node(CallKind::Copy, temp + done, block.size, user)
                         : node(CallKind::Copy, user, block.size, temp + done);
    if (!send)
      deps_.push_back({first, copy});
    done += block.size;
  }
  uint32_t last = send ? node(CallKind::Send, temp, total, 0, peer, tag) : node(CallKind::Nothing, 0, 0);
  for (uint32_t copy = send ? first : first + 1; copy < last; ++copy)
    deps_.push_back({copy, last});
  handle(first, send ? last : first + 1, last);
  return ErrorCode::None;
}

ErrorCode LocalBuilder::copy(const void *from, void *to, int count, MPI_Datatype type) {
  Vec<Block> blocks;
  if (!flatten(type, count, blocks))
    return ErrorCode::BadSize;
  uint32_t first = numNodes();
  for (const Block &block : blocks)
    node(CallKind::Copy, address(to) + uint64_t(block.offset), block.size, address(from) + uint64_t(block.offset));
  if (blocks.size() == 1) {
    handle(first, first + 1, first);
    return ErrorCode::None;
  }
  uint32_t last = node(CallKind::Nothing, 0, 0);
  for (uint32_t copy = first; copy < last; ++copy)
    deps_.push_back({copy, last});
  handle(first, blocks.empty() ? last + 1 : last, last);
  return ErrorCode::None;
}

ErrorCode LocalBuilder::reduce(const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op) {
  MPI_Aint lower = 0, extent = 0, trueLower = 0, trueExtent = 0;
  MPI_Type_get_extent(type, &lower, &extent);
  MPI_Type_get_true_extent(type, &trueLower, &trueExtent);
  uint64_t size = count == 0 ? 0 : uint64_t(extent) * uint64_t(count - 1) + uint64_t(trueExtent);
  Addr dst = address(inout) + uint64_t(trueLower);
  Addr src = address(in) + uint64_t(trueLower);
  if (size >= kLimit || dst >= kLimit - size || src >= kLimit - size)
    return ErrorCode::BadSize;
  uint32_t n = node(CallKind::Reduce, dst, size, src);
  if (size == 0)
    ops_[n].kind = CallKind::Nothing;
  ElementType element = ElementType::Opaque;
  Operator known = Operator::Sum;
  if (elementTypeOf(type, element) && operatorOf(op, element, known)) {
    ops_[n].reduction = {uint8_t(known), element, true};
  } else {
    ops_[n].reduction = {kUserOperator, ElementType::Opaque, true};
    ops_[n].peer = uint32_t(reduces_.size());
    LocalReduce record;
    std::memset(static_cast<void *>(&record), 0, sizeof record);
    record.op = op;
    record.type = type;
    record.count = count;
    reduces_.push_back(record);
  }
  handle(n, n + 1, n);
  return ErrorCode::None;
}

void LocalBuilder::nothing() {
  uint32_t n = node(CallKind::Nothing, 0, 0);
  handle(n, n + 1, n);
}

void LocalBuilder::dependency(uint32_t op, uint32_t on) {
  for (uint32_t n = handles_[op].entryBegin; n < handles_[op].entryEnd; ++n)
    deps_.push_back({handles_[on].exit, n});
}

void LocalBuilder::name(const void *buf, size_t bytes, const char *name) {
  ranges_.push_back({address(buf), bytes, uint32_t(text_.size()), 0});
  text_.append(name, name + std::strlen(name) + 1);
}

void LocalBuilder::temporary(const void *buf, size_t bytes) { ranges_.push_back({address(buf), bytes, kNone, 1}); }

ErrorCode LocalBuilder::window(MPI_Win win) {
  void *base = nullptr, *attribute = nullptr;
  int found = 0;
  MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &found);
  if (!found)
    return ErrorCode::BadArgument;
  MPI_Win_get_attr(win, MPI_WIN_SIZE, &attribute, &found);
  MPI_Aint size = found ? *static_cast<MPI_Aint *>(attribute) : -1;
  MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &attribute, &found);
  int unit = found ? *static_cast<int *>(attribute) : 0;
  if (size < 0 || unit < 1 || unit >= 1 << 29)
    return ErrorCode::BadArgument;
  ranges_.push_back({size ? address(base) : 0, uint64_t(size), kNone, kWindow + 4 * uint32_t(unit)});
  return ErrorCode::None;
}

ErrorCode LocalBuilder::remote(CallKind kind, const void *buf, int count, MPI_Datatype type, uint32_t target,
                               MPI_Aint displacement, uint32_t window) {
  Vec<Block> blocks;
  if (!flatten(type, count, blocks) || blocks.size() > 1 || displacement < 0)
    return ErrorCode::BadSize;
  uint64_t size = blocks.empty() ? 0 : blocks[0].size;
  // Both ends have the same bytes, so there must be no gap at the start.
  if (size && blocks[0].offset != 0)
    return ErrorCode::BadSize;
  uint32_t n = node(kind, address(buf), size, 0, target, int32_t(window));
  ops_[n].source = Addr(displacement);
  handle(n, n + 1, n);
  return ErrorCode::None;
}

void LocalBuilder::clear() {
  ops_.clear();
  deps_.clear();
  handles_.clear();
  reduces_.clear();
  ranges_.clear();
  text_.clear();
  tempSize_ = 0;
}

void LocalBuilder::bufferDependencies(bool signalsWait) {
  AccessMap accesses(1);
  Vec<OpId> found;
  Vec<uint32_t> receives; // since the last joint
  uint32_t count = numNodes();
  for (uint32_t n = 0; n < count; ++n) {
    OpRecord record = ops_[n];
    found.clear();
    CallKind kind = record.kind;
    if (record.size) {
      if (kind == CallKind::Send || kind == CallKind::Put)
        accesses.read(0, record.addr, record.size, n, found);
      if (kind == CallKind::Copy || kind == CallKind::Reduce)
        accesses.read(0, record.source, record.size, n, found);
      if (kind != CallKind::Send && kind != CallKind::Put)
        accesses.write(0, record.addr, record.size, n, found);
    } else if (kind == CallKind::Send && signalsWait && !receives.empty()) {
      // Use one joint for all earlier receives, which keeps the number of dependencies linear.
      uint32_t joint = node(CallKind::Nothing, 0, 0);
      for (uint32_t receive : receives)
        deps_.push_back({receive, joint});
      deps_.push_back({joint, n});
      receives.clear();
      receives.push_back(joint);
    }
    if (kind == CallKind::Recv)
      receives.push_back(n);
    std::sort(found.begin(), found.end());
    for (size_t i = 0; i < found.size(); ++i)
      if (found[i] != n && (i == 0 || found[i] != found[i - 1]))
        deps_.push_back({found[i], n});
  }
}

namespace {

struct Range {
  Addr lo, hi;
  uint32_t order; ///< order of first use
};

/// Sorts the ranges by address and merges overlapping and adjacent ones.
void mergeRanges(Vec<Range> &ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) { return a.lo < b.lo; });
  size_t out = 0;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (out && ranges[i].lo <= ranges[out - 1].hi) {
      ranges[out - 1].hi = std::max(ranges[out - 1].hi, ranges[i].hi);
      ranges[out - 1].order = std::min(ranges[out - 1].order, ranges[i].order);
    } else {
      ranges[out++] = ranges[i];
    }
  }
  ranges.resize(out);
}

/// Maps real addresses to canonical ones.
class Mapping {
public:
  Mapping(Vec<Range> &ranges, Vec<Region> &regions) : ranges_(ranges) {
    Vec<uint32_t> order;
    for (uint32_t i = 0; i < ranges.size(); ++i)
      order.push_back(i);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return ranges[a].order < ranges[b].order; });
    regions.clear();
    bases_.resize(ranges.size());
    Addr at = kGap;
    for (uint32_t i : order) {
      bases_[i] = at;
      regions.push_back({ranges[i].lo, at, ranges[i].hi - ranges[i].lo});
      at = alignUp(at + (ranges[i].hi - ranges[i].lo) + kGap, kAlign);
    }
  }
  Addr operator()(Addr addr) const {
    if (addr & kTempBit)
      return addr;
    const Range *found =
        std::upper_bound(ranges_.begin(), ranges_.end(), addr, [](Addr a, const Range &range) { return a < range.lo; });
    --found;
    return bases_[size_t(found - ranges_.begin())] + (addr - found->lo);
  }

private:
  const Vec<Range> &ranges_;
  Vec<Addr> bases_;
};

template <typename T> void put(Vec<char> &blob, const T *items, size_t count) {
  const char *bytes = reinterpret_cast<const char *>(items);
  if (count)
    blob.append(bytes, bytes + count * sizeof(T));
}

uint64_t hashBytes(const char *bytes, size_t size) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; size >= 8; bytes += 8, size -= 8) {
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  for (; size; ++bytes, --size)
    hash = (hash ^ uint8_t(*bytes)) * 0x100000001b3u;
  return hash;
}

} // namespace

void LocalBuilder::canonicalize(const GraphOptions &options, LocalGraph &graph, Vec<Region> &regions) const {
  Vec<Range> ranges;
  uint32_t order = 0;
  auto use = [&](Addr addr, uint64_t size) {
    if (size && !(addr & kTempBit))
      ranges.push_back({addr, addr + size, order++});
  };
  for (const OpRecord &op : ops_) {
    use(op.addr, op.size);
    if (op.source && !isRemote(op.kind))
      use(op.source, op.size);
  }
  for (const NamedRange &range : ranges_)
    use(range.start, range.size);
  mergeRanges(ranges);
  Mapping map(ranges, regions);

  Vec<OpRecord> ops(ops_);
  for (OpRecord &op : ops) {
    if (!op.size)
      continue;
    op.addr = map(op.addr);
    if (op.source && !isRemote(op.kind))
      op.source = map(op.source);
  }
  Vec<NamedRange> named;
  for (NamedRange range : ranges_) {
    if (range.size)
      range.start = map(range.start);
    else if (!(range.temporary & kWindow))
      continue;
    named.push_back(range);
  }
  if (tempSize_)
    named.push_back({kTempBit, tempSize_, kNone, 1});
  // Canonical addresses mean nothing to the user, so all memory gets a name. The user's own names come first.
  Vec<char> text(text_);
  for (uint32_t i = 0; i < regions.size(); ++i) {
    const Region &region = regions[i];
    char fresh[24];
    int length = std::snprintf(fresh, sizeof fresh, "buffer %u", i);
    named.push_back({region.base, region.size, uint32_t(text.size()), 0});
    text.append(fresh, fresh + length + 1);
  }
  text.resize(alignUp(text.size(), 8)); // blobs are adjacent and must stay aligned

  BlobHeader header = {};
  header.ops = uint32_t(ops.size());
  header.deps = uint32_t(deps_.size());
  header.ranges = uint32_t(named.size());
  header.textBytes = uint32_t(text.size());
  header.options = options;
  header.tempSize = tempSize_;
  header.sharedBytes = sizeof header + ops.size() * sizeof(OpRecord) + deps_.size() * sizeof(Dependency) +
                       named.size() * sizeof(NamedRange) + text.size();
  Vec<char> &blob = graph.blob;
  blob.clear();
  put(blob, &header, 1);
  put(blob, ops.data(), ops.size());
  put(blob, deps_.data(), deps_.size());
  put(blob, named.data(), named.size());
  put(blob, text.data(), text.size());
  put(blob, reduces_.data(), reduces_.size());
  graph.hash = hashBytes(blob.data(), blob.size());
}

} // namespace comm::cdag::run
