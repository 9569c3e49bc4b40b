// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edges are read in any order by any process. The first of two passes over the source counts the degrees, which
// determine the partition and the offsets. The second one sends each edge to its owner. So no process holds more than
// its part and a piece.
#include "Build.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace comm::graph {

namespace {

constexpr size_t PieceEdges = size_t(1) << 17;

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Lists {
  comm_reduce_lists *lists = nullptr;
  Lists(comm_reduce *reduce, size_t bytes) { comm_reduce_lists_create(reduce, bytes, &lists); }
  ~Lists() { comm_reduce_lists_free(&lists); }
};

// Reads the whole source and calls `send` for each edge. The records are delivered piece by piece.
template <typename Send>
bool pump(Loading &loading, const char *phase, comm_reduce_lists *lists, comm_reduce_receiver *receive, void *context,
          Send send) {
  std::vector<Edge> piece(PieceEdges);
  Source &source = *loading.source;
  MPI_Comm comm = MPI_COMM_WORLD;
  comm_reduce_get_comm(loading.reduce, &comm);
  source.rewind();
  bool isBehind = false; // whether any process has unread data; equal on all processes
  for (;;) {
    if (!isBehind)
      source.share(comm);
    size_t count = loading.failure ? 0 : source.read(piece.data(), piece.size());
    if (source.failure)
      loading.failure = source.failure;
    for (size_t i = 0; i < count; ++i)
      send(piece[i]);
    comm_reduce_votes votes = {};
    votes.sum[0] = count != 0 || source.hasMore();
    votes.max[0] = loading.failure.code;
    votes.real_max[0] = source.isBehind();
    int code = comm_reduce_deliver(lists, receive, context, &votes);
    if (code) {
      loading.failExchange(code, "edges");
      return false;
    }
    if (votes.max[0])
      return false;
    isBehind = votes.real_max[0] > 0;
    loading.tell(phase, source.progress());
    if (!votes.sum[0])
      return true;
  }
}

// Determines the largest id if the file does not state the number of vertices.
bool countVertices(Loading &loading) {
  Source &source = *loading.source;
  if (source.vertices >= 0)
    return true;
  int64_t largest = loading.request.options.vertices - 1, edges = 0;
  Lists none(loading.reduce, 8);
  auto ignore = [](void *, int, const void *, size_t) {};
  bool isDone = pump(loading, "counting vertices", none.lists, ignore, nullptr, [&](const Edge &edge) {
    largest = std::max<int64_t>(largest, std::max(edge.from, edge.to));
    ++edges;
  });
  if (!isDone)
    return false;
  comm_reduce_votes votes = {};
  votes.max[0] = largest;
  votes.sum[0] = edges;
  comm_reduce_vote(loading.reduce, &votes);
  source.vertices = votes.max[0] + 1;
  source.promised = votes.sum[0];
  source.isCounted = true;
  return true;
}

// A wrong number in a small file must not exhaust the memory. Returns the same on all processes.
bool isPlausible(Loading &loading) {
  constexpr int64_t always = int64_t(1) << 24, perEdge = 64;
  const Source &source = *loading.source;
  if (source.vertices <= std::max(always, loading.request.options.vertices) ||
      source.vertices / perEdge <= source.promised)
    return true;
  loading.failure.set(COMM_GRAPH_ERR_SPARSE,
                      format("%s: error: %lld vertices, but %lld edges: number vertices from 0 on",
                             loading.request.name.c_str(), static_cast<long long>(source.vertices),
                             static_cast<long long>(source.promised)));
  return false;
}

// Equal blocks of vertices: their processes count degrees before the partition is known.
struct Blocks {
  int64_t vertices, each;
  Blocks(int64_t vertices, int size) : vertices(vertices), each(std::max<int64_t>(1, (vertices + size - 1) / size)) {}
  int owner(uint32_t id) const { return static_cast<int>(id / each); }
  int64_t first(int rank) const { return std::min(vertices, each * rank); }
  size_t count(int rank) const { return static_cast<size_t>(first(rank + 1) - first(rank)); }
};

struct Degrees {
  Array<uint32_t> out, in;
};

} // namespace

int Loading::agree() {
  // The failed process with the lowest rank provides the message.
  comm_reduce_votes votes = {};
  votes.max[0] = failure ? request.size - request.rank : 0;
  comm_reduce_vote(reduce, &votes);
  if (!votes.max[0])
    return COMM_GRAPH_SUCCESS;
  int speaker = request.size - static_cast<int>(votes.max[0]);
  struct Words {
    char text[500];
    int32_t code;
  } words = {};
  if (speaker == request.rank) {
    snprintf(words.text, sizeof words.text, "%s", failure.message.c_str());
    words.code = failure.code;
  }
  Lists lists(reduce, sizeof words);
  for (int rank = 0; rank < request.size && speaker == request.rank; ++rank)
    memcpy(comm_reduce_append(lists.lists, rank), &words, sizeof words);
  auto receive = [](void *context, int, const void *records, size_t) { memcpy(context, records, sizeof(Words)); };
  comm_reduce_deliver(lists.lists, receive, &words, nullptr);
  failure.code = words.code ? words.code : COMM_GRAPH_ERR_REDUCE;
  failure.message = words.text;
  return failure.code;
}

void Loading::tell(const char *phase, double share) {
  if (request.rank || (request.options.flags & COMM_GRAPH_QUIET))
    return;
  double time = now();
  if (!begun)
    begun = told = time;
  if (time - told < 2)
    return;
  told = time;
  fprintf(stderr, "comm: %s: %s, %.0f%% (%.0f s)\n", request.name.c_str(), phase, 100 * share, time - begun);
}

namespace {

// Chooses the range of each process, so that vertices and edges are balanced. `cost` returns the cost of each of the
// `count` vertices of this process's block, which begins at `first`. Collective.
template <typename Cost>
void chooseBounds(MPI_Comm comm, int64_t vertices, int64_t first, size_t count, Cost cost,
                  std::vector<int64_t> &bounds) {
  int size, rank;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  int64_t mine = 0, before = 0, all = 0;
  for (size_t i = 0; i < count; ++i)
    mine += cost(i);
  MPI_Exscan(&mine, &before, 1, MPI_INT64_T, MPI_SUM, comm);
  if (!rank)
    before = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, comm);
  bounds.assign(static_cast<size_t>(size) + 1, 0);
  // Range p begins at the first vertex that has at least p parts of the cost before it.
  int64_t sum = before;
  int next = 1;
  auto target = [&](int p) { return static_cast<int64_t>(static_cast<__int128>(all) * p / size); };
  while (next < size && target(next) < before)
    ++next;
  for (size_t i = 0; i < count; ++i) {
    while (next < size && target(next) <= sum + cost(i) / 2 && target(next) < before + mine)
      bounds[static_cast<size_t>(next++)] = first + static_cast<int64_t>(i);
    sum += cost(i);
    while (next < size && target(next) <= sum && target(next) < before + mine)
      bounds[static_cast<size_t>(next++)] = first + static_cast<int64_t>(i) + 1;
  }
  MPI_Allreduce(MPI_IN_PLACE, bounds.data(), size, MPI_INT64_T, MPI_MAX, comm);
  bounds[static_cast<size_t>(size)] = vertices;
  for (size_t p = 1; p < bounds.size(); ++p)
    bounds[p] = std::max(bounds[p], bounds[p - 1]);
}

// Returns the process whose range has this id.
int ownerOf(const std::vector<int64_t> &bounds, int64_t id) {
  return static_cast<int>(std::upper_bound(bounds.begin() + 1, bounds.end() - 1, id) - bounds.begin()) - 1;
}

bool countDegrees(Loading &loading, const Blocks &blocks, bool isReversed, bool wantsIn, Degrees &degrees) {
  // The highest bit of a record selects one of the two counts, so that one list serves both.
  Lists lists(loading.reduce, 8);
  struct Context {
    Degrees *degrees;
  } context{&degrees};
  auto receive = [](void *opaque, int, const void *records, size_t count) {
    Degrees &degrees = *static_cast<Context *>(opaque)->degrees;
    const auto *from = static_cast<const uint32_t *>(records);
    for (size_t i = 0; i < count; ++i)
      ++(from[2 * i + 1] ? degrees.in : degrees.out)[from[2 * i]];
  };
  auto count = [&](uint32_t id, uint32_t isIn) {
    int owner = blocks.owner(id);
    auto *record = static_cast<uint32_t *>(comm_reduce_append(lists.lists, owner));
    record[0] = id - static_cast<uint32_t>(blocks.first(owner));
    record[1] = isIn;
  };
  return pump(loading, "counting degrees", lists.lists, receive, &context, [&](const Edge &edge) {
    count(edge.from, 0);
    if (isReversed && edge.from != edge.to)
      count(edge.to, 0);
    if (wantsIn)
      count(edge.to, 1);
  });
}

void takeEdges(Loading &loading, Adjacency &adjacency) {
  auto edges = static_cast<size_t>(adjacency.edges());
  if (loading.take(adjacency.neighbors, edges, "the edges") && loading.request.hasWeights())
    loading.take(adjacency.weights, edges, "the weights of edges");
}

// Degrees go from the blocks to the owners, which make offsets of them.
bool makeOffsets(Loading &loading, const Blocks &blocks, const Array<uint32_t> &degrees,
                 const std::vector<int64_t> &bounds, Adjacency &adjacency) {
  const int rank = loading.request.rank;
  int64_t first = bounds[static_cast<size_t>(rank)], owned = bounds[static_cast<size_t>(rank) + 1] - first;
  loading.take(adjacency.offsets, static_cast<size_t>(owned) + 1, "the vertices");
  Lists lists(loading.reduce, 8);
  int owner = 0;
  for (size_t i = 0; i < degrees.size(); ++i) {
    int64_t id = blocks.first(rank) + static_cast<int64_t>(i);
    if (!i)
      owner = ownerOf(bounds, id);
    while (id >= bounds[static_cast<size_t>(owner) + 1])
      ++owner;
    auto *record = static_cast<uint32_t *>(comm_reduce_append(lists.lists, owner));
    record[0] = static_cast<uint32_t>(id - bounds[static_cast<size_t>(owner)]);
    record[1] = degrees[i];
  }
  auto receive = [](void *context, int, const void *records, size_t count) {
    auto *offsets = static_cast<int64_t *>(context);
    const auto *from = static_cast<const uint32_t *>(records);
    for (size_t i = 0; i < count && offsets; ++i)
      offsets[from[2 * i] + 1] = from[2 * i + 1];
  };
  if (int code = comm_reduce_deliver(lists.lists, receive, adjacency.offsets.data(), nullptr))
    loading.failExchange(code, "numbers of edges");
  if (loading.agree())
    return false;
  for (int64_t v = 0; v < owned; ++v)
    adjacency.offsets[static_cast<size_t>(v) + 1] += adjacency.offsets[static_cast<size_t>(v)];
  takeEdges(loading, adjacency);
  return !loading.agree();
}

struct Placing {
  Adjacency *out, *in;
  size_t words;
};

void place(void *opaque, int, const void *records, size_t count) {
  auto &placing = *static_cast<Placing *>(opaque);
  const auto *from = static_cast<const uint32_t *>(records);
  for (size_t i = 0; i < count; ++i, from += placing.words) {
    // Each offset advances to that of the next vertex; buildFromEdges shifts them back.
    bool isIn = placing.in && from[2];
    Adjacency &adjacency = isIn ? *placing.in : *placing.out;
    auto at = static_cast<size_t>(adjacency.offsets[from[0]]++);
    adjacency.neighbors[at] = from[1];
    if (adjacency.weights.data())
      adjacency.weights[at] = from[placing.words - 1];
  }
}

void shiftBack(Adjacency &adjacency) {
  size_t owned = adjacency.offsets.size() - 1;
  memmove(adjacency.offsets.data() + 1, adjacency.offsets.data(), owned * sizeof(int64_t));
  adjacency.offsets[0] = 0;
}

} // namespace

bool buildFromEdges(Loading &loading, bool isReversed, bool wantsIn, std::vector<int64_t> &bounds, Adjacency &out,
                    Adjacency &in) {
  Source &source = *loading.source;
  const Request &request = loading.request;
  if (!countVertices(loading) || !isPlausible(loading))
    return false;
  // Check the memory for degrees and offsets, and later for offsets and edges, before the work that takes long. If only
  // a header states the number of edges, it is known after they are counted.
  const int64_t kinds = wantsIn ? 2 : 1, vertices = source.vertices / request.size * kinds;
  auto edgeBytes = [&](int64_t edges) { return edges / request.size * kinds * (request.hasWeights() ? 8 : 4); };
  int64_t known = source.isCounted ? source.promised * (isReversed ? 2 : 1) : 0;
  if (!loading.hasMemory(8 * vertices + std::max(4 * vertices, edgeBytes(known))))
    return false;
  Blocks blocks(source.vertices, request.size);
  {
    Degrees degrees;
    const size_t count = blocks.count(request.rank);
    if (loading.take(degrees.out, count, "the numbers of edges") && wantsIn)
      loading.take(degrees.in, count, "the numbers of edges");
    if (loading.agree() || !countDegrees(loading, blocks, isReversed, wantsIn, degrees))
      return false;
    comm_reduce_votes votes = {};
    for (size_t i = 0; i < count; ++i)
      votes.sum[0] += degrees.out[i];
    comm_reduce_vote(loading.reduce, &votes);
    if (!source.isCounted && !loading.hasMemory(8 * vertices + edgeBytes(votes.sum[0])))
      return false;
    MPI_Comm comm = MPI_COMM_WORLD;
    comm_reduce_get_comm(loading.reduce, &comm);
    const bool isEqual = request.options.flags & COMM_GRAPH_EQUAL_VERTICES;
    auto cost = [&](size_t i) {
      return isEqual ? 1 : int64_t(degrees.out[i]) + 1 + (wantsIn ? int64_t(degrees.in[i]) : 0);
    };
    chooseBounds(comm, source.vertices, blocks.first(request.rank), count, cost, bounds);
    if (!makeOffsets(loading, blocks, degrees.out, bounds, out) ||
        (wantsIn && !makeOffsets(loading, blocks, degrees.in, bounds, in)))
      return false;
  }

  // A record: index at the owner, other end, the direction if both are needed, weight.
  size_t words = 2 + (wantsIn ? 1 : 0) + (request.hasWeights() ? 1 : 0);
  Lists lists(loading.reduce, 4 * words);
  Placing placing{&out, wantsIn ? &in : nullptr, words};
  auto send = [&](uint32_t owner, uint32_t other, uint32_t isIn, uint32_t weight) {
    int to = ownerOf(bounds, owner);
    auto *record = static_cast<uint32_t *>(comm_reduce_append(lists.lists, to));
    if (request.hasWeights())
      record[words - 1] = weight;
    if (wantsIn)
      record[2] = isIn;
    record[0] = owner - static_cast<uint32_t>(bounds[static_cast<size_t>(to)]);
    record[1] = other;
  };
  int64_t count = 0;
  bool isDone = pump(loading, "placing edges", lists.lists, place, &placing, [&](const Edge &edge) {
    ++count;
    send(edge.from, edge.to, 0, edge.weight);
    if (isReversed && edge.from != edge.to)
      send(edge.to, edge.from, 0, edge.weight);
    if (wantsIn)
      send(edge.to, edge.from, 1, edge.weight);
  });
  if (!isDone)
    return false;
  shiftBack(out);
  if (wantsIn)
    shiftBack(in);
  comm_reduce_votes votes = {};
  votes.sum[0] = count;
  comm_reduce_vote(loading.reduce, &votes);
  if (source.promised >= 0 && votes.sum[0] != source.promised)
    loading.failure.set(COMM_GRAPH_ERR_FORMAT,
                        format("%s: error: has %lld entries, but its header says %lld", request.name.c_str(),
                               static_cast<long long>(votes.sum[0]), static_cast<long long>(source.promised)));
  return !loading.failure;
}

bool buildFromArrays(Loading &loading, bool wantsIn, std::vector<int64_t> &bounds, Adjacency &out, Adjacency &in) {
  Source &source = *loading.source;
  Arrays &arrays = *source.arrays();
  const Request &request = loading.request;
  const auto rank = static_cast<size_t>(request.rank);
  auto keep = [&] {
    if (source.failure)
      loading.failure = source.failure;
    return !loading.agree();
  };
  const int64_t kinds = wantsIn ? 2 : 1;
  if (!loading.hasMemory((8 * source.vertices + (request.hasWeights() ? 8 : 4) * arrays.edges) / request.size * kinds))
    return false;
  // Where each range begins is found by halving: 64 reads at most, and no process reads all offsets.
  bounds.assign(static_cast<size_t>(request.size) + 1, 0);
  for (int p = 1; p < request.size && !source.failure; ++p) {
    auto share = [&](int64_t of) { return static_cast<int64_t>(static_cast<__int128>(of) * p / request.size); };
    int64_t target = share(arrays.edges + source.vertices);
    bool isEqual = request.options.flags & COMM_GRAPH_EQUAL_VERTICES;
    int64_t low = isEqual ? share(source.vertices) : 0, high = isEqual ? low : source.vertices;
    while (low < high && !source.failure) {
      int64_t middle = (low + high) / 2, offset = 0;
      if (!arrays.readOffsets(false, middle, 1, &offset))
        break;
      if (offset + middle < target)
        low = middle + 1;
      else
        high = middle;
    }
    bounds[static_cast<size_t>(p)] = std::max(low, bounds[static_cast<size_t>(p) - 1]);
  }
  bounds.back() = source.vertices;
  if (!keep())
    return false;
  int64_t first = bounds[rank], owned = bounds[rank + 1] - first;
  for (bool isIn : {false, true}) {
    if (isIn && !wantsIn)
      break;
    Adjacency &adjacency = isIn ? in : out;
    if (loading.take(adjacency.offsets, static_cast<size_t>(owned) + 1, "the vertices"))
      arrays.readOffsets(isIn, first, owned + 1, adjacency.offsets.data());
    if (!keep())
      return false;
    int64_t base = adjacency.offsets[0];
    for (int64_t v = 0; v <= owned; ++v)
      adjacency.offsets[static_cast<size_t>(v)] -= base;
    takeEdges(loading, adjacency);
    constexpr int64_t piece = int64_t(1) << 22;
    for (int64_t at = 0; at < adjacency.edges() && !loading.failure && !source.failure; at += piece) {
      uint32_t *weights = adjacency.weights.data();
      arrays.readNeighbors(isIn, base + at, std::min(piece, adjacency.edges() - at), adjacency.neighbors.data() + at,
                           weights && !request.drawsWeights() ? weights + at : nullptr);
      loading.tell("reading edges", static_cast<double>(at) / static_cast<double>(adjacency.edges()));
    }
    if (!keep())
      return false;
    if (request.drawsWeights() && request.hasWeights())
      for (int64_t v = 0; v < owned; ++v)
        for (auto e = static_cast<size_t>(adjacency.offsets[static_cast<size_t>(v)]);
             e < static_cast<size_t>(adjacency.offsets[static_cast<size_t>(v) + 1]); ++e)
          adjacency.weights[e] =
              drawWeight(request.options, request.isReal(), static_cast<uint32_t>(first + v), adjacency.neighbors[e]);
  }
  return true;
}

} // namespace comm::graph
