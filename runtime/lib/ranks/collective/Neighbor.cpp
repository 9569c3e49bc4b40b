// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Neighborhood collectives (MPI-4, 8.6).
#include "collective/Collective.h"
#include "objects/Topology.h"

namespace comm::ranks {

int neighbor(Comm *c, uint32_t n, const Blocks &in, const Blocks &out, bool sameToAll) {
  std::vector<int> from, to;
  c->topology->neighborsOf(c->rank, from, to);
  bool cart = c->topology->kind == ABI_CART;
  // In a cart, two neighbors may be the same rank (two ranks on a ring). A message sent in one direction arrives from
  // the opposite one, so the tag contains the direction. In graphs, the order of edges decides (MPI-4, 8.6).
  // Starts of one persistent request follow each other, so one bit of their number leaves room for the whole order.
  bool persistent = n & persistentBit;
  uint32_t number = persistent ? 0x800000u | (n >> startBits & 0xffff) << 1 | (n & 1) : n & 0x7fffff;
  auto tag = [&](int direction) { return static_cast<int>(number << 7 | (cart ? direction & 127 : 0)); };
  std::vector<Transfer> sends, receives;
  for (size_t i = 0; i < to.size(); ++i) {
    int block = sameToAll ? 0 : i;
    sends.push_back({in.at(block), in.countOf(block), in.typeOfBlock(block), to[i], tag(i ^ 1)});
  }
  for (size_t i = 0; i < from.size(); ++i)
    receives.push_back({out.at(i), out.countOf(i), out.typeOfBlock(i), from[i], tag(i)});
  return exchange(c, c->shared->context + 3, sends, receives);
}

} // namespace comm::ranks
