// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Process topologies (MPI-4, 8).
#ifndef COMM_RANKS_TOPOLOGY_H
#define COMM_RANKS_TOPOLOGY_H

#include "Abi.h"

#include <vector>

namespace comm::ranks {

struct Comm;

struct Topology {
  int kind = ABI_UNDEFINED;       ///< MPI_CART, MPI_GRAPH or MPI_DIST_GRAPH
  std::vector<int> dims, periods; ///< of a cart
  std::vector<int> index, edges;  ///< of a graph
  // For a distributed graph: only this rank's.
  std::vector<int> sources, sourceWeights, destinations, destinationWeights;
  bool weighted = false;

  /// Convert between a rank and its coordinates; MPI_PROC_NULL outside of a dimension that is not periodic.
  std::vector<int> coordinatesOf(int rank) const;
  int rankOf(std::vector<int> coordinates) const;

  /// Finds the ranks that \p rank receives from and sends to in neighborhood collectives.
  void neighborsOf(int rank, std::vector<int> &from, std::vector<int> &to) const;
};

} // namespace comm::ranks

#endif
