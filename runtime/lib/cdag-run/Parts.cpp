// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs on the compiling process: builds the graph from the gathered blobs, and the part of the schedule for each
// process.

#include "Comm/CDag/Compile.h"
#include "Part.h"
#include "PartCollectives.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace comm::cdag::run {

namespace {

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

template <typename T> void put(Vec<char> &bytes, const T *items, size_t count) {
  const char *from = reinterpret_cast<const char *>(items);
  if (count)
    bytes.append(from, from + count * sizeof(T));
}

const BlobHeader &headerAt(const char *blob) { return *reinterpret_cast<const BlobHeader *>(blob); }

/// The arrays of a gathered blob.
struct BlobView {
  explicit BlobView(const char *blob)
      : header(headerAt(blob)), ops(reinterpret_cast<const OpRecord *>(blob + sizeof header)),
        deps(reinterpret_cast<const Dependency *>(ops + header.ops)),
        ranges(reinterpret_cast<const NamedRange *>(deps + header.deps)),
        text(reinterpret_cast<const char *>(ranges + header.ranges)) {}
  const BlobHeader &header;
  const OpRecord *ops;
  const Dependency *deps;
  const NamedRange *ranges;
  const char *text;

  const NamedRange *window(uint32_t number) const {
    for (uint32_t i = 0; i < header.ranges; ++i)
      if ((ranges[i].temporary & kWindow) && number-- == 0)
        return &ranges[i];
    return nullptr;
  }
};

/// The other end of a get or put, on its target.
struct Foreign {
  Rank rank;
  OpRecord record;
};

/// Tag of messages that replace gets and puts.
constexpr int32_t kRemoteTag = 1 << 30;

/// Finds the other ends, in the order of the processes that issued the gets and puts.
Error findForeign(const char *blobs, const Vec<uint64_t> &offsets, Vec<Foreign> &foreign) {
  int32_t tag = kRemoteTag;
  for (Rank rank = 0; rank + 1 < offsets.size(); ++rank) {
    BlobView blob(blobs + offsets[rank]);
    for (uint32_t i = 0; i < blob.header.ops; ++i) {
      const OpRecord &op = blob.ops[i];
      if (!isRemote(op.kind))
        continue;
      const NamedRange *window = BlobView(blobs + offsets[op.peer]).window(uint32_t(op.tag));
      uint64_t unit = window ? window->temporary / 4 : 0;
      if (!window || op.source > window->size / unit || op.size > window->size - op.source * unit)
        return makeError(ErrorCode::BadSize, rank, i,
                         "process %u, operation %u: %s of %llu bytes at "
                         "displacement %llu is not in the window of process %u",
                         rank, i, op.kind == CallKind::Get ? "get" : "put", static_cast<unsigned long long>(op.size),
                         static_cast<unsigned long long>(op.source), op.peer);
      OpRecord other = {};
      other.kind = op.kind == CallKind::Get ? CallKind::Send : CallKind::Recv;
      other.peer = rank;
      other.tag = tag++;
      other.addr = op.size ? window->start + op.source * unit : 0;
      other.size = op.size;
      foreign.push_back({op.peer, other});
    }
  }
  return Error();
}

/// Returns the kind of the record in the graph: a get receives, and a put sends.
OpKind kindOf(CallKind kind) {
  switch (kind) {
  case CallKind::Send:
  case CallKind::Put:
    return OpKind::Send;
  case CallKind::Recv:
  case CallKind::Get:
    return OpKind::Recv;
  case CallKind::Copy:
    return OpKind::Copy;
  case CallKind::Reduce:
    return OpKind::Reduce;
  default:
    return OpKind::Nop;
  }
}

void addRecord(Graph &graph, Rank rank, const OpRecord &record, uint8_t opaque, int32_t &remoteTag) {
  Operation operation;
  operation.kind = kindOf(record.kind);
  operation.reduction = record.reduction;
  if (record.reduction.op == kUserOperator)
    operation.reduction.op = opaque;
  operation.peer = record.peer;
  operation.tag = isRemote(record.kind) ? remoteTag++ : record.tag;
  operation.addr = record.addr;
  operation.size = record.size;
  operation.source = record.source;
  graph.add(rank, operation);
}

void addBlob(Graph &graph, Rank rank, const BlobView &blob, uint8_t opaque, int32_t &remoteTag, const Foreign *foreign,
             const Foreign *foreignEnd) {
  OpId first = graph.numOps();
  for (uint32_t i = 0; i < blob.header.ops; ++i)
    addRecord(graph, rank, blob.ops[i], opaque, remoteTag);
  for (; foreign != foreignEnd; ++foreign)
    addRecord(graph, rank, foreign->record, opaque, remoteTag);
  for (uint32_t i = 0; i < blob.header.deps; ++i)
    graph.addDependency(first + blob.deps[i].op, first + blob.deps[i].on);
  for (uint32_t i = 0; i < blob.header.ranges; ++i) {
    const NamedRange &range = blob.ranges[i];
    if (!(range.temporary & kWindow))
      graph.addBuffer(rank, range.start, range.size, range.name == kNone ? "a packed message" : blob.text + range.name,
                      range.temporary != 0);
  }
}

/// Assigns tags that are unique between two processes, so that messages meet as matching determined. Returns false if
/// there are more messages than tags.
bool planOperations(const Graph &graph, const Schedule &schedule, Vec<OpPlan> &plans) {
  // The smallest MPI_TAG_UB that MPI allows.
  constexpr int32_t kTags = 32768;
  struct Message {
    Rank from, to;
    OpId send;
  };
  Vec<Message> messages;
  plans.assign(graph.numOps(), OpPlan());
  for (OpId op = 0; op < graph.numOps(); ++op) {
    plans[op] = {kNone, 0, uint32_t(schedule.action(op))};
    if (graph.isSend(op))
      messages.push_back({graph.rank(op), graph.peer(op), op});
  }
  std::sort(messages.begin(), messages.end(), [](const Message &a, const Message &b) {
    if (a.from != b.from)
      return a.from < b.from;
    return a.to != b.to ? a.to < b.to : a.send < b.send;
  });
  int32_t tag = 0;
  for (size_t i = 0; i < messages.size(); ++i) {
    const Message &m = messages[i];
    bool samePair = i && messages[i - 1].from == m.from && messages[i - 1].to == m.to;
    tag = samePair ? tag + 1 : 0;
    if (tag >= kTags)
      return false;
    OpId recv = schedule.match[m.send];
    plans[m.send].peer = m.to;
    plans[recv].peer = m.from;
    plans[m.send].tag = plans[recv].tag = tag;
  }
  return true;
}

/// Marks the collectives that no message precedes on any process.
void findImmediate(const Graph &graph, const Schedule &schedule, Vec<uint8_t> &immediate) {
  uint32_t ops = graph.numOps(), colls = uint32_t(schedule.collectives.size());
  Vec<Dependency> edges;
  for (const Dependency &d : graph.dependencies())
    edges.push_back(d);
  for (const ScheduleDependency &d : schedule.dependencies)
    edges.push_back({d.on.collective ? ops + d.on.index : d.on.index, d.op.collective ? ops + d.op.index : d.op.index});
  std::sort(edges.begin(), edges.end(), [](const Dependency &a, const Dependency &b) { return a.on < b.on; });
  Vec<uint8_t> tainted(ops + colls, 0);
  Vec<uint32_t> work;
  for (OpId op = 0; op < ops; ++op)
    if (graph.isMessage(op) && schedule.action(op) != Action::Drop) {
      tainted[op] = 1;
      work.push_back(op);
    }
  while (!work.empty()) {
    uint32_t node = work.back();
    work.pop_back();
    const Dependency *edge =
        std::lower_bound(edges.begin(), edges.end(), node, [](const Dependency &d, uint32_t n) { return d.on < n; });
    for (; edge != edges.end() && edge->on == node; ++edge)
      if (!tainted[edge->op]) {
        tainted[edge->op] = 1;
        work.push_back(edge->op);
      }
  }
  immediate.assign(colls, 0);
  for (uint32_t c = 0; c < colls; ++c)
    immediate[c] = !tainted[ops + c];
}

/// The input of cutting the parts.
struct Compiled {
  Graph &graph;
  Schedule &schedule;
  PartHeader header; ///< the fields that all processes share
  Vec<OpPlan> plans;
  CollectiveParts collectives;
  Vec<Foreign> foreign;         ///< sorted by process
  Vec<Stage> stages;            ///< sorted by process
  Vec<ScheduleDependency> deps; ///< sorted by process
};

/// Sorts by process and keeps the order within a process. (std::stable_sort would need libstdc++.)
template <typename T> void sortByRank(Vec<T> &items, uint32_t ranks) {
  Vec<uint32_t> at(size_t(ranks) + 1, 0);
  for (const T &item : items)
    ++at[item.rank + 1];
  for (uint32_t rank = 0; rank < ranks; ++rank)
    at[rank + 1] += at[rank];
  Vec<T> sorted(items);
  for (const T &item : items)
    sorted[at[item.rank]++] = item;
  items.swap(sorted);
}

template <typename T> void rangeOf(const Vec<T> &items, Rank rank, size_t &begin, size_t &end) {
  auto less = [](const T &item, Rank r) { return item.rank < r; };
  begin = size_t(std::lower_bound(items.begin(), items.end(), rank, less) - items.begin());
  end = size_t(std::lower_bound(items.begin(), items.end(), rank + 1, less) - items.begin());
}

void writePart(const Compiled &c, Rank rank, Vec<char> &parts) {
  size_t start = parts.size();
  PartHeader header = c.header;
  uint32_t ops = c.graph.numOpsOf(rank);
  uint32_t first = ops ? c.graph.opOf(rank, 0) : 0;
  header.ops = ops;

  Vec<CollectivePart> collectives;
  Vec<Piece> pieces;
  Vec<Rank> members;
  Vec<uint64_t> counts;
  c.collectives.partOf(rank, collectives, pieces, members, counts);
  header.collectives = uint32_t(collectives.size());
  header.pieces = uint32_t(pieces.size());
  header.members = uint32_t(members.size());
  header.counts = uint32_t(counts.size());

  Vec<NodeDependency> deps;
  auto node = [&](const NodeRef &ref) {
    if (!ref.collective)
      return ref.index - first;
    for (uint32_t i = 0; i < collectives.size(); ++i)
      if (collectives[i].global == ref.index)
        return ops + i;
    return kNone;
  };
  size_t begin, end;
  rangeOf(c.deps, rank, begin, end);
  for (size_t i = begin; i < end; ++i) {
    NodeDependency d = {node(c.deps[i].on), node(c.deps[i].op)};
    if (d.on != kNone && d.op != kNone)
      deps.push_back(d);
  }
  header.deps = uint32_t(deps.size());

  Vec<StagePart> stages;
  rangeOf(c.stages, rank, begin, end);
  for (size_t i = begin; i < end; ++i)
    stages.push_back({c.stages[i].addr, c.stages[i].scratch, c.stages[i].size});
  header.stages = uint32_t(stages.size());

  Vec<OpRecord> foreign;
  rangeOf(c.foreign, rank, begin, end);
  for (size_t i = begin; i < end; ++i)
    foreign.push_back(c.foreign[i].record);
  header.foreign = uint32_t(foreign.size());

  put(parts, &header, 1);
  put(parts, collectives.data(), collectives.size());
  put(parts, pieces.data(), pieces.size());
  put(parts, stages.data(), stages.size());
  put(parts, counts.data(), counts.size());
  put(parts, foreign.data(), foreign.size());
  put(parts, c.plans.data() + first, ops);
  put(parts, deps.data(), deps.size());
  put(parts, members.data(), members.size());
  parts.resize((parts.size() + 7) / 8 * 8, 0);
  reinterpret_cast<PartHeader *>(parts.data() + start)->bytes = parts.size() - start;
}

CompileOptions optionsOf(const GraphOptions &options) {
  CompileOptions result;
  result.detect.reorderFloatingPoint = options.reorderFloatingPoint != 0;
  result.sync = options.keepSync ? SyncPolicy::Keep : SyncPolicy::Data;
  return result;
}

} // namespace

void errorParts(const Error &error, uint32_t ranks, Vec<char> &parts, Vec<uint64_t> &partOffsets) {
  parts.clear();
  partOffsets.assign(1, 0);
  PartHeader header = {};
  header.bytes = sizeof header;
  header.errorCode = uint32_t(error.code);
  std::memcpy(header.text, error.text, sizeof header.text);
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    put(parts, &header, 1);
    partOffsets.push_back(parts.size());
  }
}

void compileParts(const char *blobs, const Vec<uint64_t> &offsets, Vec<char> &parts, Vec<uint64_t> &partOffsets) {
  double begin = now();
  uint32_t ranks = uint32_t(offsets.size() - 1);
  Graph graph(ranks);
  OperatorLaws none;
  none.associative = none.commutative = false;
  uint8_t opaque = graph.addOperator(none, 1);
  Error error;
  GraphOptions options = headerAt(blobs).options;
  Vec<Foreign> foreign;
  error = findForeign(blobs, offsets, foreign);
  sortByRank(foreign, ranks);
  int32_t remoteTag = kRemoteTag;
  for (Rank rank = 0; rank < ranks && !error; ++rank) {
    BlobView blob(blobs + offsets[rank]);
    if (std::memcmp(&blob.header.options, &options, sizeof options))
      error = makeError(ErrorCode::BadArgument, rank, kNone,
                        "process %u: the options of the graph differ from "
                        "those of process 0: set the same on all processes",
                        rank);
    size_t begin, end;
    rangeOf(foreign, rank, begin, end);
    addBlob(graph, rank, blob, opaque, remoteTag, foreign.begin() + begin, foreign.begin() + end);
    if (!error)
      error = graph.error();
  }
  graph.freeze();
  Schedule schedule;
  CompileStats stats;
  if (!error)
    error = compile(graph, optionsOf(options), schedule, &stats);
  Compiled c = {graph, schedule, PartHeader(), {}, {}, {}, {}, {}};
  c.foreign.swap(foreign);
  if (!error && !planOperations(graph, schedule, c.plans))
    error = makeError(ErrorCode::TooLarge, kNone, kNone,
                      "more than 32768 messages between two processes: split "
                      "the graph");
  if (error) {
    errorParts(error, ranks, parts, partOffsets);
    return;
  }

  Vec<uint8_t> immediate;
  findImmediate(graph, schedule, immediate);
  PartHeader &header = c.header;
  header.scratchSize = schedule.scratchSize;
  header.messages = stats.messages;
  header.keptMessages = stats.keptMessages;
  header.syncMessages = stats.syncMessages;
  header.detected = uint32_t(schedule.collectives.size());
  header.keepsMessages = stats.keptMessages + stats.syncMessages != 0;
  header.executable = c.collectives.build(graph, schedule, immediate, header.text, sizeof header.text);
  c.collectives.describe(schedule, graph, header.describe, kDescribeBytes);
  for (const Stage &stage : schedule.stages)
    c.stages.push_back(stage);
  for (const ScheduleDependency &d : schedule.dependencies)
    c.deps.push_back(d);
  sortByRank(c.stages, ranks);
  sortByRank(c.deps, ranks);
  header.analysisSeconds = now() - begin;

  parts.clear();
  partOffsets.assign(1, 0);
  for (Rank rank = 0; rank < ranks; ++rank) {
    writePart(c, rank, parts);
    partOffsets.push_back(parts.size());
  }
}

} // namespace comm::cdag::run
