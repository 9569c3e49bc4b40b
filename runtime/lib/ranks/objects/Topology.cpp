// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects/Topology.h"

namespace comm::ranks {

std::vector<int> Topology::coordinatesOf(int rank) const {
  std::vector<int> coordinates(dims.size());
  for (int i = static_cast<int>(dims.size()) - 1; i >= 0; --i) {
    coordinates[i] = rank % dims[i];
    rank /= dims[i];
  }
  return coordinates;
}

int Topology::rankOf(std::vector<int> coordinates) const {
  int rank = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    int at = coordinates[i];
    if (at < 0 || at >= dims[i]) {
      if (!periods[i])
        return ABI_PROC_NULL;
      at = (at % dims[i] + dims[i]) % dims[i];
    }
    rank = rank * dims[i] + at;
  }
  return rank;
}

void Topology::neighborsOf(int rank, std::vector<int> &from, std::vector<int> &to) const {
  if (kind == ABI_CART) {
    std::vector<int> here = coordinatesOf(rank);
    for (size_t i = 0; i < dims.size(); ++i)
      for (int step : {-1, 1}) {
        std::vector<int> there = here;
        there[i] += step;
        from.push_back(rankOf(there));
      }
    to = from;
  } else if (kind == ABI_GRAPH) {
    int begin = rank ? index[rank - 1] : 0;
    from.assign(edges.begin() + begin, edges.begin() + index[rank]);
    to = from;
  } else {
    from = sources;
    to = destinations;
  }
}

} // namespace comm::ranks
