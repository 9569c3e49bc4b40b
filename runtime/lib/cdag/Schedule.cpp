// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comm/CDag/Schedule.h"

#include <algorithm>

namespace comm::cdag {

uint32_t Schedule::position(const Collective &c, Rank rank) const {
  if (c.memberBegin == c.memberEnd)
    return rank;
  for (uint32_t i = c.memberBegin; i < c.memberEnd; ++i)
    if (members[i] == rank)
      return i - c.memberBegin;
  return kNone;
}

bool Schedule::synchronizes(const Collective &c, Rank from, Rank to) const {
  switch (c.kind) {
  case CollectiveKind::Bcast:
  case CollectiveKind::Scatter:
    return from == c.root;
  case CollectiveKind::Gather:
  case CollectiveKind::Reduce:
    return to == c.root;
  case CollectiveKind::Allgather:
  case CollectiveKind::Alltoall:
  case CollectiveKind::Allreduce:
  case CollectiveKind::Barrier:
    return true;
  case CollectiveKind::ReduceScatter:
    return true;
  case CollectiveKind::Scan:
  case CollectiveKind::Exscan:
    return position(c, from) < position(c, to);
  case CollectiveKind::Allgatherv:
  case CollectiveKind::Alltoallv:
  case CollectiveKind::Gatherv:
  case CollectiveKind::Scatterv: {
    // Only processes that have data for each other synchronize.
    const Transfer *first = transfers.begin() + c.begin;
    const Transfer *last = transfers.begin() + c.end;
    const Transfer *at = std::lower_bound(
        first, last, from, [&](const Transfer &t, Rank src) { return t.src != src ? t.src < src : t.dst < to; });
    return at != last && at->src == from && at->dst == to;
  }
  }
  return false;
}

} // namespace comm::cdag
