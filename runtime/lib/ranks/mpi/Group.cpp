// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Groups (MPI-4, 7.3): lists of ranks of MPI_COMM_WORLD.
#include "objects/Communicator.h"

#include <algorithm>
#include <unordered_map>

using namespace comm::ranks;

namespace comm::ranks {

static ABI_Group makeGroup(Members members) { return makeGroup(std::make_shared<const Members>(std::move(members))); }

static std::unordered_map<int, int> placesOf(const Group &group) {
  std::unordered_map<int, int> places;
  for (size_t i = 0; i < group.members->size(); ++i)
    places[(*group.members)[i]] = i;
  return places;
}

/// Expands a list of ranges (first, last, stride) to ranks.
static int expand(const Group &group, int n, int ranges[][3], std::vector<int> &ranks) {
  int size = group.members->size();
  for (int i = 0; i < n; ++i) {
    int first = ranges[i][0], last = ranges[i][1], stride = ranges[i][2];
    if (stride == 0)
      return fail(nullptr, ABI_ERR_ARG, "range %d has stride 0", i);
    for (int r = first; stride > 0 ? r <= last : r >= last; r += stride) {
      if (r < 0 || r >= size)
        return fail(nullptr, ABI_ERR_RANK, "no rank %d in the group", r);
      ranks.push_back(r);
    }
  }
  return ABI_SUCCESS;
}

static int include(const Group &group, const std::vector<int> &ranks, ABI_Group *made) {
  Members members;
  for (int r : ranks) {
    if (r < 0 || r >= static_cast<int>(group.members->size()))
      return fail(nullptr, ABI_ERR_RANK, "no rank %d in the group", r);
    members.push_back((*group.members)[r]);
  }
  *made = makeGroup(std::move(members));
  return ABI_SUCCESS;
}

static int exclude(const Group &group, const std::vector<int> &ranks, ABI_Group *made) {
  std::vector<bool> out(group.members->size());
  for (int r : ranks) {
    if (r < 0 || r >= static_cast<int>(out.size()))
      return fail(nullptr, ABI_ERR_RANK, "no rank %d in the group", r);
    out[r] = true;
  }
  Members members;
  for (size_t i = 0; i < out.size(); ++i)
    if (!out[i])
      members.push_back((*group.members)[i]);
  *made = makeGroup(std::move(members));
  return ABI_SUCCESS;
}

} // namespace comm::ranks

extern "C" {

int comm_ranks_MPI_Group_size(ABI_Group group, int *size) {
  GROUP_OR_FAIL(g, group, nullptr);
  *size = g->members->size();
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Group_rank(ABI_Group group, int *rank) {
  GROUP_OR_FAIL(g, group, nullptr);
  *rank = g->rank;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Group_translate_ranks(ABI_Group group1, int n, const int ranks1[], ABI_Group group2, int ranks2[]) {
  GROUP_OR_FAIL(a, group1, nullptr);
  GROUP_OR_FAIL(b, group2, nullptr);
  auto places = placesOf(*b);
  for (int i = 0; i < n; ++i) {
    if (ranks1[i] == ABI_PROC_NULL) {
      ranks2[i] = ABI_PROC_NULL;
      continue;
    }
    if (ranks1[i] < 0 || ranks1[i] >= static_cast<int>(a->members->size()))
      return fail(nullptr, ABI_ERR_RANK, "no rank %d in the group", ranks1[i]);
    auto found = places.find((*a->members)[ranks1[i]]);
    ranks2[i] = found == places.end() ? ABI_UNDEFINED : found->second;
  }
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Group_compare(ABI_Group group1, ABI_Group group2, int *result) {
  GROUP_OR_FAIL(a, group1, nullptr);
  GROUP_OR_FAIL(b, group2, nullptr);
  Members x = *a->members, y = *b->members;
  *result = ABI_IDENT;
  if (x == y)
    return ABI_SUCCESS;
  std::sort(x.begin(), x.end());
  std::sort(y.begin(), y.end());
  *result = x == y ? ABI_SIMILAR : ABI_UNEQUAL;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Group_union(ABI_Group group1, ABI_Group group2, ABI_Group *newgroup) {
  GROUP_OR_FAIL(a, group1, nullptr);
  GROUP_OR_FAIL(b, group2, nullptr);
  Members members = *a->members;
  auto places = placesOf(*a);
  for (int m : *b->members)
    if (!places.count(m))
      members.push_back(m);
  *newgroup = makeGroup(std::move(members));
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Group_intersection(ABI_Group group1, ABI_Group group2, ABI_Group *newgroup) {
  GROUP_OR_FAIL(a, group1, nullptr);
  GROUP_OR_FAIL(b, group2, nullptr);
  Members members;
  auto places = placesOf(*b);
  for (int m : *a->members)
    if (places.count(m))
      members.push_back(m);
  *newgroup = makeGroup(std::move(members));
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Group_difference(ABI_Group group1, ABI_Group group2, ABI_Group *newgroup) {
  GROUP_OR_FAIL(a, group1, nullptr);
  GROUP_OR_FAIL(b, group2, nullptr);
  Members members;
  auto places = placesOf(*b);
  for (int m : *a->members)
    if (!places.count(m))
      members.push_back(m);
  *newgroup = makeGroup(std::move(members));
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Group_incl(ABI_Group group, int n, const int ranks[], ABI_Group *newgroup) {
  GROUP_OR_FAIL(g, group, nullptr);
  return include(*g, std::vector<int>(ranks, ranks + n), newgroup);
}

int comm_ranks_MPI_Group_excl(ABI_Group group, int n, const int ranks[], ABI_Group *newgroup) {
  GROUP_OR_FAIL(g, group, nullptr);
  return exclude(*g, std::vector<int>(ranks, ranks + n), newgroup);
}

int comm_ranks_MPI_Group_range_incl(ABI_Group group, int n, int ranges[][3], ABI_Group *newgroup) {
  GROUP_OR_FAIL(g, group, nullptr);
  std::vector<int> ranks;
  int error = expand(*g, n, ranges, ranks);
  return error ? error : include(*g, ranks, newgroup);
}

int comm_ranks_MPI_Group_range_excl(ABI_Group group, int n, int ranges[][3], ABI_Group *newgroup) {
  GROUP_OR_FAIL(g, group, nullptr);
  std::vector<int> ranks;
  int error = expand(*g, n, ranges, ranks);
  return error ? error : exclude(*g, ranks, newgroup);
}

int comm_ranks_MPI_Group_free(ABI_Group *group) {
  GROUP_OR_FAIL(g, *group, nullptr);
  if (*group != ABI_GROUP_EMPTY)
    delete g;
  *group = ABI_GROUP_NULL;
  return ABI_SUCCESS;
}

} // extern "C"
