// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Agreement on the context of a new communicator among its members.
#include "collective/Create.h"
#include "objects/Info.h"

#include <algorithm>

namespace comm::ranks {

/// Returns the first of `count` unused contexts, the same in all members.
static uint64_t agreeOnContext(Comm *comm, uint32_t number, int count = 1) {
  uint64_t context = comm->rank == 0 ? newContext(count) : 0;
  broadcast(comm, number, &context, sizeof(context), typeOf(ABI_BYTE), 0);
  return context;
}

Comm *duplicateBare(Comm *c, uint32_t n) { return makeComm(agreeOnContext(c, n), membersOf(c), c->rank, c); }

int duplicate(Comm *c, Comm *&copy, bool withAttributes) {
  uint32_t number = c->nextCollective();
  copy = nullptr;
  if (c->isInter()) {
    copy = duplicateInter(c, number);
  } else {
    copy = duplicateBare(c, number);
  }
  copy->topology = c->topology;
  if (withAttributes && c->attributes)
    if (int error = copyAttributes(c->handle, c->attributes, copy->attributes)) {
      copy->freed = true;
      release(copy);
      copy = nullptr;
      return error;
    }
  if (withAttributes && c->info)
    copy->info = new Info(*c->info);
  return ABI_SUCCESS;
}

/// A member's arguments of a split.
struct Choice {
  int color, key;
};

Comm *split(Comm *c, uint32_t number, uint32_t second, int color, int key) {
  Choice mine = {color, key};
  std::vector<Choice> all(c->size);
  allgather(c, number, &mine, all.data(), sizeof(mine));
  // Colors in ascending order get consecutive contexts.
  std::vector<int> colors;
  for (auto &choice : all)
    if (choice.color >= 0)
      colors.push_back(choice.color);
  std::sort(colors.begin(), colors.end());
  colors.erase(std::unique(colors.begin(), colors.end()), colors.end());
  uint64_t context = agreeOnContext(c, second, std::max<int>(1, colors.size()));
  if (color < 0)
    return nullptr;
  std::vector<int> ranks;
  for (int i = 0; i < c->size; ++i)
    if (all[i].color == color)
      ranks.push_back(i);
  std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) { return all[a].key < all[b].key; });
  auto members = std::make_shared<Members>();
  int rank = 0;
  for (int r : ranks) {
    if (r == c->rank)
      rank = members->size();
    members->push_back(c->shared->globalOf(r));
  }
  uint64_t place = std::lower_bound(colors.begin(), colors.end(), color) - colors.begin();
  return makeComm(context + place * contextStep, members, rank, c);
}

Comm *fromGroup(Comm *c, const Group &group, int tag) {
  if (group.rank < 0)
    return nullptr;
  uint64_t context = 0;
  Datatype *bytes = typeOf(ABI_BYTE);
  const Members &members = *group.members;
  auto transfer = [&](Request::Kind kind, int global) {
    int peer = 0;
    while (c->shared->globalOf(peer) != global)
      ++peer;
    Request q;
    fill(q, kind, c, &context, sizeof(context), bytes, peer, tag & 0x7fffffff, c->shared->context + 2);
    kind == Request::Send ? startSend(&q) : startReceive(&q);
    wait(&q);
  };
  if (group.rank == 0) {
    context = newContext();
    for (size_t i = 1; i < members.size(); ++i)
      transfer(Request::Send, members[i]);
  } else {
    transfer(Request::Receive, members[0]);
  }
  return makeComm(context, group.members, group.rank, c);
}

} // namespace comm::ranks
