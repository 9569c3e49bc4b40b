// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fetches data of other processes for iterations whose needs are not known in advance: values, edges of vertices, ends
// of edges. Values are kept until the loop ends; edges are kept longer, since the graph does not change.
#include "Fetch.h"

#include <algorithm>

using namespace comm::graphrun;

static const int64_t nothing[1] = {0};
static const comm_graph_row emptyRow = {0, 0, nothing};

void comm::graphrun::miss(comm_graph_run *run) {
  run->missed = true;
  if (!run->probes)
    longjmp(run->leave, 1);
}

static bool hasIndex(const comm_graph_run *run, bool isEdge, int64_t index) {
  return index >= 0 && index < (isEdge ? run->topology.edges : run->topology.vertices);
}

/* Returns the entry if its value is there; otherwise requests it. */
static Table::Entry *lookUp(comm_graph_run *run, Table &table, int object, int64_t index) {
  bool isNew;
  Table::Entry *entry;
  if (run->caches) {
    entry = &table.insert(index, isNew);
  } else {
    auto [found, isFirst] = run->own.try_emplace({object, index, run->current}, Table::Entry{index, 0, false});
    entry = &found->second;
    isNew = isFirst;
  }
  if (entry->isThere)
    return entry;
  if (isNew)
    run->requests.push_back({object, index, run->current});
  return nullptr;
}

const void *comm_graph_run_fetch(comm_graph_values *handle, int64_t index, const char *place) {
  Values &values = *static_cast<Values *>(handle);
  comm_graph_run *run = values.run;
  if (run->missed && !hasIndex(run, values.isEdges, index))
    return nothing;
  checkIndex(run, values.isEdges, index, place);
  int64_t first = values.isEdges ? run->topology.first_edge : run->topology.first;
  if (index >= first && index < first + values.owned)
    return values.readable(index - first);
  if (Table::Entry *entry = lookUp(run, values.cache, values.number, index))
    return &entry->value;
  miss(run);
  return nothing;
}

int64_t comm_graph_run_endpoint(comm_graph_run *run, int isIn, int64_t edge, const char *place) {
  if (run->missed && !hasIndex(run, /*isEdge=*/true, edge))
    return 0;
  checkIndex(run, /*isEdge=*/true, edge, place);
  if (run->ownsEdge(edge))
    return comm_graph_run_own_endpoint(run, isIn, edge);
  if (Table::Entry *entry = lookUp(run, run->endpointTable[isIn], isIn ? AskTarget : AskSource, edge))
    return entry->value;
  miss(run);
  return 0;
}

/* Returns the row of another process's vertex, or null if it must be fetched. */
static const Row *findRow(comm_graph_run *run, int isIn, int64_t vertex) {
  bool isNew;
  Table::Entry &entry = run->rowTable[isIn].insert(vertex, isNew);
  if (isNew) {
    entry.value = static_cast<int64_t>(run->rows[isIn].size());
    run->rows[isIn].push_back(std::make_unique<Row>());
    run->requests.push_back({isIn ? AskInRow : AskOutRow, vertex, run->current});
  }
  const Row &row = *run->rows[isIn][static_cast<size_t>(entry.value)];
  return row.isThere ? &row : nullptr;
}

const comm_graph_row *comm_graph_run_row(comm_graph_run *run, int isIn, int64_t vertex, const char *place) {
  if (run->missed && !hasIndex(run, /*isEdge=*/false, vertex))
    return &emptyRow;
  checkIndex(run, /*isEdge=*/false, vertex, place);
  if (run->owns(vertex)) {
    // Rows of owned vertices in the form that others see: with global numbers.
    bool isNew;
    Table::Entry &entry = run->rowTable[isIn].insert(vertex, isNew);
    if (isNew) {
      entry.value = static_cast<int64_t>(run->rows[isIn].size());
      run->rows[isIn].push_back(std::make_unique<Row>());
      const comm_graph_topology &graph = run->topology;
      const int64_t *offsets = isIn ? graph.in_offsets : graph.out_offsets;
      const uint32_t *neighbors = isIn ? graph.in_neighbors : graph.out_neighbors;
      Row &row = *run->rows[isIn].back();
      int64_t local = vertex - graph.first;
      for (int64_t e = offsets[local]; e < offsets[local + 1]; ++e)
        row.memory.push_back(graph.globals[neighbors[e]]);
      row.count = static_cast<int64_t>(row.memory.size());
      row.first_edge = graph.first_edge + offsets[local];
      row.neighbors = row.memory.data();
      row.isThere = true;
      run->rowBytes += 8 * row.count;
    }
    return run->rows[isIn][static_cast<size_t>(entry.value)].get();
  }
  if (const Row *row = findRow(run, isIn, vertex))
    return row;
  miss(run);
  return &emptyRow;
}

int64_t comm_graph_run_find_edge(comm_graph_run *run, int64_t source, int64_t target, const char *place) {
  if (run->missed && !(hasIndex(run, false, source) && hasIndex(run, false, target)))
    return -1;
  checkIndex(run, /*isEdge=*/false, source, place);
  checkIndex(run, /*isEdge=*/false, target, place);
  if (run->owns(source))
    return findOwnEdge(run, source, target);
  const Row *row = findRow(run, 0, source);
  if (!row) {
    miss(run);
    return -1;
  }
  const int64_t *end = row->neighbors + row->count, *found = std::lower_bound(row->neighbors, end, target);
  return found != end && *found == target ? row->first_edge + (found - row->neighbors) : -1;
}

//===----------------------------------------------------------------------===//
// Exchange
//===----------------------------------------------------------------------===//

namespace {
struct Request {
  int32_t object, number; // number: of the request, among those of its process
  int64_t index;
};
struct Reply {
  int32_t object, number;
  int64_t index, value;
};
/* A part of a row. The first part contains the head. */
struct RowPart {
  int64_t object, vertex, count, firstEdge;
  int32_t size, unused;
  uint32_t neighbors[14];
};
struct Asked {
  comm_graph_run *run;
  std::vector<std::pair<int, Request>> all;
};
} // namespace

static void hearRequests(void *context, int source, const void *records, size_t count) {
  auto &asked = *static_cast<Asked *>(context);
  const auto *from = static_cast<const Request *>(records);
  for (size_t i = 0; i < count; ++i)
    asked.all.emplace_back(source, from[i]);
}

static void answerRow(comm_graph_run *run, int source, const Request &request) {
  const comm_graph_topology &graph = run->topology;
  bool isIn = request.object == AskInRow;
  const int64_t *offsets = isIn ? graph.in_offsets : graph.out_offsets;
  const uint32_t *neighbors = isIn ? graph.in_neighbors : graph.out_neighbors;
  int64_t local = request.index - graph.first, begin = offsets[local], end = offsets[local + 1];
  int64_t at = begin;
  do {
    auto &part = *static_cast<RowPart *>(comm_reduce_append(run->rowLists, source));
    part = {request.object, request.index, end - begin, graph.first_edge + begin, 0, 0, {}};
    for (; at < end && part.size < 14; ++at)
      part.neighbors[part.size++] = graph.globals[neighbors[at]];
  } while (at < end);
}

static void answer(comm_graph_run *run, int source, const Request &request) {
  auto &reply = *static_cast<Reply *>(comm_reduce_append(run->replyLists, source));
  reply = {request.object, request.number, request.index, 0};
  if (request.object >= 0)
    comm_graph_run_get(run->byNumber[static_cast<size_t>(request.object)], request.index, &reply.value);
  else
    reply.value = comm_graph_run_own_endpoint(run, request.object == AskTarget, request.index);
}

static void hearReplies(void *context, int, const void *records, size_t count) {
  auto *run = static_cast<comm_graph_run *>(context);
  const auto *from = static_cast<const Reply *>(records);
  for (size_t i = 0; i < count; ++i) {
    if (!run->caches) {
      run->own[run->asked[static_cast<size_t>(from[i].number)]] = {from[i].index, from[i].value, true};
      continue;
    }
    Table &table = from[i].object >= 0 ? run->byNumber[static_cast<size_t>(from[i].object)]->cache
                                       : run->endpointTable[from[i].object == AskTarget];
    bool isNew;
    Table::Entry &entry = table.insert(from[i].index, isNew);
    entry.value = from[i].value;
    entry.isThere = true;
  }
}

static void hearRows(void *context, int, const void *records, size_t count) {
  auto *run = static_cast<comm_graph_run *>(context);
  const auto *from = static_cast<const RowPart *>(records);
  for (size_t i = 0; i < count; ++i) {
    int isIn = from[i].object == AskInRow;
    bool isNew;
    Row &row = *run->rows[isIn][static_cast<size_t>(run->rowTable[isIn].insert(from[i].vertex, isNew).value)];
    row.memory.reserve(static_cast<size_t>(from[i].count));
    row.memory.insert(row.memory.end(), from[i].neighbors, from[i].neighbors + from[i].size);
    row.count = from[i].count;
    row.first_edge = from[i].firstEdge;
    row.neighbors = row.memory.data();
    row.isThere = static_cast<int64_t>(row.memory.size()) == row.count;
    run->rowBytes += 4 * from[i].size * 2;
  }
}

int64_t comm::graphrun::exchange(comm_graph_run *run, int64_t left) {
  comm_reduce *reduce = run->view.reduce;
  if (!run->requestLists) {
    check(run, comm_reduce_lists_create(reduce, sizeof(Request), &run->requestLists), "comm_reduce_lists_create");
    check(run, comm_reduce_lists_create(reduce, sizeof(Reply), &run->replyLists), "comm_reduce_lists_create");
    check(run, comm_reduce_lists_create(reduce, sizeof(RowPart), &run->rowLists), "comm_reduce_lists_create");
  }
  comm_reduce_votes votes = {};
  votes.sum[0] = left;
  votes.sum[1] = static_cast<int64_t>(run->requests.size());
  std::vector<int64_t> asked[2];
  auto isEdge = [&](int object) {
    return object == AskSource || object == AskTarget ||
           (object >= 0 && run->byNumber[static_cast<size_t>(object)]->isEdges);
  };
  for (const Wanted &each : run->requests)
    asked[isEdge(each.object)].push_back(each.index);
  std::vector<Range> owners[2] = {findOwners(run, false, asked[0]), findOwners(run, true, asked[1])};
  size_t next[2] = {0, 0};
  int32_t number = 0;
  for (const Wanted &each : run->requests) {
    votes.sum[2] += each.object == AskOutRow || each.object == AskInRow;
    int owner = static_cast<int>(owners[isEdge(each.object)][next[isEdge(each.object)]++].rank);
    *static_cast<Request *>(comm_reduce_append(run->requestLists, owner)) = {each.object, number++, each.index};
  }
  run->fetched += votes.sum[1];
  run->asked.swap(run->requests);
  run->requests.clear();
  Asked heard = {run, {}};
  check(run, comm_reduce_deliver(run->requestLists, hearRequests, &heard, &votes), "comm_reduce_deliver");
  ++run->sweepRounds;
  for (const auto &[source, request] : heard.all)
    if (request.object == AskOutRow || request.object == AskInRow)
      answerRow(run, source, request);
    else
      answer(run, source, request);
  if (votes.sum[1] > votes.sum[2])
    check(run, comm_reduce_deliver(run->replyLists, hearReplies, run, nullptr), "comm_reduce_deliver");
  if (votes.sum[2])
    check(run, comm_reduce_deliver(run->rowLists, hearRows, run, nullptr), "comm_reduce_deliver");
  return votes.sum[0];
}
