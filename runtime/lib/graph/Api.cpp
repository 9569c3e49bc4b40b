// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of comm/graph.h.
#include "Build.h"

#include <algorithm>
#include <cstring>
#include <ctime>

using namespace comm::graph;

namespace {

thread_local std::string lastMessage;

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

bool startsWith(const std::string &name, const char *start) { return name.compare(0, strlen(start), start) == 0; }
bool endsWith(const std::string &name, const char *end) {
  size_t length = strlen(end);
  return name.size() >= length && name.compare(name.size() - length, length, end) == 0;
}

int formatOf(const std::string &name) {
  struct Ending {
    const char *text;
    int format;
  };
  static const Ending endings[] = {{".el", COMM_GRAPH_EDGE_LIST},      {".wel", COMM_GRAPH_EDGE_LIST},
                                   {".txt", COMM_GRAPH_EDGE_LIST},     {".edges", COMM_GRAPH_EDGE_LIST},
                                   {".csv", COMM_GRAPH_EDGE_LIST},     {".tsv", COMM_GRAPH_EDGE_LIST},
                                   {".mtx", COMM_GRAPH_MATRIX_MARKET}, {".metis", COMM_GRAPH_METIS},
                                   {".graph", COMM_GRAPH_METIS},       {".sg", COMM_GRAPH_GAP},
                                   {".wsg", COMM_GRAPH_GAP_WEIGHTED},  {".gr", COMM_GRAPH_DIMACS}};
  std::string plain = endsWith(name, ".gz") ? name.substr(0, name.size() - 3) : name;
  for (const Ending &ending : endings)
    if (endsWith(plain, ending.text))
      return ending.format;
  return COMM_GRAPH_AUTO;
}

std::unique_ptr<Source> makeSource(const Request &request, Failure &failure) {
  const std::string &name = request.name;
  if (startsWith(name, "rmat:") || startsWith(name, "uniform:") || startsWith(name, "grid:"))
    return makeGenerator(request, failure);
  int which = request.options.format ? request.options.format : formatOf(name);
  switch (which) {
  case COMM_GRAPH_EDGE_LIST:
  case COMM_GRAPH_MATRIX_MARKET:
  case COMM_GRAPH_METIS:
  case COMM_GRAPH_DIMACS:
    return makeText(request, which, failure);
  case COMM_GRAPH_GAP:
  case COMM_GRAPH_GAP_WEIGHTED:
    return makeBinary(request, which == COMM_GRAPH_GAP_WEIGHTED, failure);
  default:
    failure.set(COMM_GRAPH_ERR_NAME, name + ": error: the name's end is that of no known format");
    return nullptr;
  }
}

// Checks that the sums of the hashes of all edges and of all reversed edges agree. They differ if the graph is not
// symmetric, except by chance once in 2^64. The order of the edges does not matter.
bool isReallySymmetric(const Loading &loading, const Adjacency &out, int64_t first) {
  uint64_t sum = 0;
  for (size_t v = 0; v + 1 < out.offsets.size(); ++v)
    for (auto e = static_cast<size_t>(out.offsets[v]); e < static_cast<size_t>(out.offsets[v + 1]); ++e) {
      uint64_t from = static_cast<uint64_t>(first) + v, to = out.neighbors[e];
      uint64_t salt = out.weights.data() ? mix(out.weights[e] + 1) : 0;
      sum += mix((from << 32 | to) ^ salt) - mix((to << 32 | from) ^ salt);
    }
  comm_reduce_votes votes = {};
  votes.sum[0] = static_cast<int64_t>(sum);
  comm_reduce_vote(loading.reduce, &votes);
  return !votes.sum[0];
}

bool build(Loading &loading, comm_graph &graph) {
  const Request &request = loading.request;
  Source &source = *loading.source;
  const unsigned flags = request.options.flags;
  bool isReversed = source.needsReverse || ((flags & COMM_GRAPH_SYMMETRIZE) && !source.isSymmetric);
  bool isSymmetric = source.isSymmetric || isReversed;
  bool wantsIn = (flags & COMM_GRAPH_IN_EDGES) && !isSymmetric;
  // Has entries for all processes, so it is freed when the graph exists. The graph keeps only its partners' bounds.
  std::vector<int64_t> bounds;
  bool isBuilt = source.arrays() && !isReversed
                     ? buildFromArrays(loading, wantsIn, bounds, graph.out, graph.in)
                     : buildFromEdges(loading, isReversed, wantsIn, bounds, graph.out, graph.in);
  if (loading.agree() || !isBuilt)
    return false;
  int64_t first = bounds[static_cast<size_t>(request.rank)];
  auto owned = static_cast<uint32_t>(bounds[static_cast<size_t>(request.rank) + 1] - first);
  bool dropsDuplicates = flags & (COMM_GRAPH_DEDUPLICATE | COMM_GRAPH_SYMMETRIZE);
  tidy(graph.out, first, dropsDuplicates, flags & COMM_GRAPH_DROP_LOOPS, request.isReal());
  tidy(graph.in, first, dropsDuplicates, flags & COMM_GRAPH_DROP_LOOPS, request.isReal());
  if (isSymmetric && !isReallySymmetric(loading, graph.out, first)) {
    loading.failure.set(COMM_GRAPH_ERR_FORMAT, request.name +
                                                   ": error: the file says that edges have no direction, "
                                                   "but not each is there in both directions with one weight");
    return false;
  }
  Array<uint32_t> ghosts;
  localize(loading, first, owned, flags & COMM_GRAPH_GLOBAL_ORDER, graph.out, graph.in, ghosts);
  if (loading.agree())
    return false;
  // Ghosts ascend by global id, so those of each owner are adjacent.
  std::vector<int64_t> counts;
  size_t at = 0;
  for (size_t p = 0; p + 1 < bounds.size() && at < ghosts.size(); ++p) {
    size_t begin = at;
    for (; at < ghosts.size() && ghosts[at] < bounds[p + 1]; ++at)
      ghosts[at] -= static_cast<uint32_t>(bounds[p]);
    if (at == begin)
      continue;
    counts.push_back(static_cast<int64_t>(at - begin));
    graph.partnerRanks.push_back(static_cast<int32_t>(p));
    graph.partnerGhosts.push_back(owned + static_cast<uint32_t>(begin));
    graph.partnerFirst.push_back(bounds[p]);
  }
  graph.partnerGhosts.push_back(owned + static_cast<uint32_t>(at));
  loading.take(graph.ghostIndex, ghosts.size(), "the border");
  if (loading.agree())
    return false;
  std::copy_n(ghosts.data(), ghosts.size(), graph.ghostIndex.data());
  if (int code = comm_copies_create(loading.reduce, owned, static_cast<int>(counts.size()), graph.partnerRanks.data(),
                                    counts.data(), graph.ghostIndex.data(), &graph.copies)) {
    loading.failExchange(code, "the border");
    return false;
  }
  comm_graph_view &view = graph.view;
  view.vertices = source.vertices;
  view.first = first;
  view.owned = owned;
  view.ghosts = static_cast<uint32_t>(ghosts.size());
  view.is_symmetric = isSymmetric;
  return true;
}

void fill(comm_graph &graph, comm_reduce *reduce, const Request &request) {
  comm_graph_view &view = graph.view;
  auto edgesOf = [&](const Adjacency &from) {
    comm_graph_edges edges = {from.offsets.data(), from.neighbors.data(), nullptr, nullptr};
    if (request.isReal())
      edges.real_weights = reinterpret_cast<const float *>(from.weights.data());
    else
      edges.weights = reinterpret_cast<const int32_t *>(from.weights.data());
    return edges;
  };
  view.out = edgesOf(graph.out);
  if (request.options.flags & COMM_GRAPH_IN_EDGES)
    view.in = edgesOf(view.is_symmetric ? graph.out : graph.in);
  view.partners = static_cast<int32_t>(graph.partnerRanks.size());
  view.partner_ranks = graph.partnerRanks.data();
  view.partner_ghosts = graph.partnerGhosts.data();
  view.partner_first = graph.partnerFirst.data();
  view.ghost_index = graph.ghostIndex.data();
  view.copies = graph.copies;
  view.reduce = reduce;
  view.rank = request.rank;
  view.processes = request.size;
}

void count(comm_graph &graph, Loading &loading, double seconds) {
  comm_graph_view &view = graph.view;
  comm_graph_info &info = graph.info;
  int64_t edges = graph.out.edges(), cut = 0;
  for (size_t e = 0; e < static_cast<size_t>(edges); ++e)
    cut += view.out.neighbors[e] >= view.owned;
  comm_reduce_info blocks;
  comm_reduce_get_info(loading.reduce, &blocks);
  auto memory = static_cast<int64_t>(blocks.memory), peak = static_cast<int64_t>(blocks.memory_peak);
  int64_t sums[] = {edges, cut, view.ghosts, loading.meter.bytes + memory, loading.meter.peak + peak};
  int64_t most[] = {view.owned,
                    edges,
                    view.ghosts,
                    -static_cast<int64_t>(view.owned),
                    -edges,
                    -static_cast<int64_t>(view.ghosts),
                    static_cast<int64_t>(seconds * 1e9)};
  MPI_Comm comm;
  comm_reduce_get_comm(loading.reduce, &comm);
  MPI_Allreduce(MPI_IN_PLACE, sums, 5, MPI_INT64_T, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, most, 7, MPI_INT64_T, MPI_MAX, comm);
  view.edges = sums[0];
  info = {view.vertices,
          view.edges,
          -most[3],
          most[0],
          -most[4],
          most[1],
          -most[5],
          most[2],
          sums[2],
          sums[1],
          sums[3],
          sums[4],
          static_cast<double>(most[6]) * 1e-9};
}

} // namespace

int comm_graph_load(comm_reduce *reduce, const char *name, const comm_graph_options *options, comm_graph **graph) {
  if (!reduce || !name || !graph)
    return COMM_GRAPH_ERR_ARG;
  *graph = nullptr;
  double start = now();
  comm_reduce_info info;
  comm_reduce_get_info(reduce, &info);
  MPI_Comm comm;
  comm_reduce_get_comm(reduce, &comm);
  std::unique_ptr<comm_graph> made(new (std::nothrow) comm_graph);
  Meter none;
  Loading loading(reduce, made ? made->meter : none);
  loading.request = {name, options ? *options : comm_graph_options{}, 0, info.processes};
  MPI_Comm_rank(comm, &loading.request.rank);
  if (!made)
    loading.failure.set(COMM_GRAPH_ERR_MEMORY, loading.request.name + ": error: not enough memory");
  const comm_graph_options &chosen = loading.request.options;
  if ((chosen.flags & COMM_GRAPH_WEIGHTS) && (chosen.flags & COMM_GRAPH_REAL_WEIGHTS))
    loading.failure.set(COMM_GRAPH_ERR_ARG, "error: weights are either integers or real numbers");
  if (chosen.weight_max > 0 && chosen.weight_min > chosen.weight_max)
    loading.failure.set(COMM_GRAPH_ERR_ARG, "error: weight_min is larger than weight_max");
  if (chosen.vertices < 0 || chosen.vertices > MaxVertices)
    loading.failure.set(COMM_GRAPH_ERR_ARG, "error: there can be 0 to 2^32 - 1 vertices");
  std::unique_ptr<Source> source;
  if (!loading.failure)
    source = makeSource(loading.request, loading.failure);
  loading.source = source.get();
  int code = loading.agree();
  if (!code) {
    loading.tell("", 0); // starts the clock
    if (!build(loading, *made))
      loading.failure.set(COMM_GRAPH_ERR_REDUCE, loading.request.name + ": error: could not be loaded");
    code = loading.agree();
  }
  if (code) {
    lastMessage = loading.failure.message;
    return code;
  }
  fill(*made, reduce, loading.request);
  count(*made, loading, now() - start);
  *graph = made.release();
  return COMM_GRAPH_SUCCESS;
}

int comm_graph_free(comm_graph **graph) {
  if (!graph)
    return COMM_GRAPH_ERR_ARG;
  delete *graph;
  *graph = nullptr;
  return COMM_GRAPH_SUCCESS;
}

const char *comm_graph_message(void) { return lastMessage.c_str(); }

int comm_graph_get_view(const comm_graph *graph, comm_graph_view *view) {
  if (!graph || !view)
    return COMM_GRAPH_ERR_ARG;
  *view = graph->view;
  return COMM_GRAPH_SUCCESS;
}

int comm_graph_get_info(const comm_graph *graph, comm_graph_info *info) {
  if (!graph || !info)
    return COMM_GRAPH_ERR_ARG;
  *info = graph->info;
  return COMM_GRAPH_SUCCESS;
}

int comm_graph_restrict_peers(comm_graph *graph) {
  if (!graph)
    return COMM_GRAPH_ERR_ARG;
  const comm_graph_view &view = graph->view;
  // The owners of its ghosts, and those who have copies of its vertices.
  std::vector<int> peers(view.partner_ranks, view.partner_ranks + view.partners);
  const uint32_t *places;
  int64_t lent;
  for (int p = -1; (p = comm_copies_next_borrower(graph->copies, p, &places, &lent)) >= 0;)
    if (comm_graph_find_partner(&view, p) < 0)
      peers.push_back(p);
  return comm_reduce_set_peers(view.reduce, peers.data(), static_cast<int>(peers.size())) ? COMM_GRAPH_ERR_REDUCE
                                                                                          : COMM_GRAPH_SUCCESS;
}
