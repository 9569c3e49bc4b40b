// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the Parallel Boost Graph Library on graph files of the GAP benchmark suite, for benchmarks/graph/run --pbgl.
//
//   pbgl bfs|sssp|pr FILE SOURCE ITERATIONS TRIALS
#include <boost/graph/use_mpi.hpp>

#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/distributed/compressed_sparse_row_graph.hpp>
#include <boost/graph/distributed/delta_stepping_shortest_paths.hpp>
#include <boost/graph/distributed/mpi_process_group.hpp>
#include <boost/graph/distributed/page_rank.hpp>
#include <boost/mpi.hpp>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

using namespace boost;
using boost::graph::distributed::mpi_process_group;

struct Edge {
  Edge(int weight = 1) : weight(weight) {}
  int weight;
  template <typename Archive> void serialize(Archive &archive, unsigned) { archive & weight; }
};
using Graph = compressed_sparse_row_graph<directedS, no_property, Edge, no_property, distributedS<mpi_process_group>>;
using Index = property_map<Graph, vertex_index_t>::const_type;

int main(int argc, char **argv) {
  mpi::environment environment(argc, argv);
  mpi::communicator world;
  if (argc != 6)
    return 2;
  std::string program = argv[1], name = argv[2];
  bool hasWeights = name.substr(name.size() - 4) == ".wsg";
  std::ifstream file(name, std::ios::binary);
  int64_t edges, vertices;
  file.ignore(1);
  file.read(reinterpret_cast<char *>(&edges), 8);
  file.read(reinterpret_cast<char *>(&vertices), 8);
  std::vector<int64_t> offsets(vertices + 1);
  file.read(reinterpret_cast<char *>(offsets.data()), 8 * (vertices + 1));
  std::vector<std::pair<size_t, size_t>> ends;
  std::vector<Edge> weights;
  ends.reserve(edges);
  weights.reserve(edges);
  for (int64_t v = 0; v < vertices; ++v)
    for (int64_t e = offsets[v]; e < offsets[v + 1]; ++e) {
      int32_t entry[2] = {0, 1};
      file.read(reinterpret_cast<char *>(entry), hasWeights ? 8 : 4);
      ends.emplace_back(v, entry[0]);
      weights.emplace_back(entry[1]);
    }
  Graph graph(edges_are_sorted, ends.begin(), ends.end(), weights.begin(), vertices);
  ends = {};
  weights = {};
  auto source = vertex(static_cast<size_t>(atoll(argv[3])), graph);
  size_t local = num_vertices(graph);
  for (int trial = 0; trial < atoi(argv[5]); ++trial) {
    world.barrier();
    double begin = MPI_Wtime();
    int64_t reached = 0;
    if (program == "bfs" || program == "sssp") {
      const int infinity = std::numeric_limits<int>::max();
      std::vector<int> values(local, infinity);
      auto distance = make_iterator_property_map(values.begin(), get(vertex_index, graph));
      if (program == "bfs") {
        put(distance, source, 0);
        breadth_first_search(graph, source, visitor(make_bfs_visitor(record_distances(distance, on_tree_edge()))));
      } else {
        delta_stepping_shortest_paths(graph, source, dummy_property_map(), distance, get(&Edge::weight, graph));
      }
      for (size_t v = 0; v < local; ++v)
        reached += values[v] != infinity;
    } else {
      std::vector<double> ranks(local);
      auto rank = make_iterator_property_map(ranks.begin(), get(vertex_index, graph));
      graph::page_rank(graph, rank, graph::n_iterations(atoi(argv[4])), 0.85);
    }
    world.barrier();
    double seconds = MPI_Wtime() - begin;
    int64_t all = 0;
    mpi::reduce(world, reached, all, std::plus<int64_t>(), 0);
    if (world.rank() == 0)
      printf("Trial Time: %f\nreached %lld\n", seconds, static_cast<long long>(all));
  }
}
