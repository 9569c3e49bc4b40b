// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Templates of Planner that several files use.
#ifndef COMM_CDAG_PLANNERIMPL_H
#define COMM_CDAG_PLANNERIMPL_H

#include "Planner.h"

#include <algorithm>

namespace comm::cdag {

template <typename Fn> void Planner::forEachPlace(const Vec<Place> &places, Rank rank, Addr lo, Addr hi, Fn fn) const {
  if (lo >= hi)
    return;
  // Sources of different collectives may overlap, so the search uses the furthest end so far.
  const Place *at = std::lower_bound(places.begin(), places.end(), rank, [&](const Place &place, Rank r) {
    return place.rank != r ? place.rank < r : place.maxHi <= lo;
  });
  for (; at != places.end() && at->rank == rank && at->lo < hi; ++at)
    if (at->hi > lo)
      fn(*at);
}

} // namespace comm::cdag

#endif
