// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file MPI_Comm_rank to MPI_Comm_split_type, for intracommunicators, and functions for both kinds (MPI-4, 7.4).
#include "collective/Create.h"
#include "message/Message.h"
#include "objects/Errors.h"
#include "objects/Info.h"
#include "objects/Topology.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>

using namespace comm::ranks;

namespace comm::ranks {

/// The second highest bit distinguishes these from tags of MPI_Comm_create_group.
static int tagOf(const char *stringtag) {
  unsigned hash = 5381;
  for (; stringtag && *stringtag; ++stringtag)
    hash = hash * 33 + static_cast<unsigned char>(*stringtag);
  return (hash & 0x3fffffff) | 0x40000000;
}

static int checkSplit(Comm *c, int color) {
  if (color < 0 && color != ABI_UNDEFINED)
    return fail(c, ABI_ERR_ARG, "the color %d is negative: use MPI_UNDEFINED to stay out", color);
  return ABI_SUCCESS;
}

/// Duplicates as if at once: what the program changes or frees before the request ends does not matter (MPI-4, 7.4.2).
static void duplicateLater(Comm *c, const char *name, const Info *hints, ABI_Comm *newcomm, ABI_Request *request) {
  // After taking the number of the collective, only local work remains, except for the context, which the first member
  // sends.
  uint32_t number = c->nextCollective();
  std::shared_ptr<const Info> info(hints ? new Info(*hints) : nullptr);
  Attributes *attributes = nullptr;
  int error = c->attributes ? copyAttributes(c->handle, c->attributes, attributes) : ABI_SUCCESS;
  *newcomm = ABI_COMM_NULL;
  *request = startLater(c, name, [=] {
    Comm *copy = c->isInter() ? duplicateInter(c, number) : duplicateBare(c, number);
    copy->topology = c->topology;
    copy->attributes = attributes;
    if (info)
      copy->info = new Info(*info);
    if (error) {
      copy->freed = true;
      release(copy);
    } else {
      *newcomm = handleOf(copy);
    }
    return error;
  });
}

} // namespace comm::ranks

extern "C" {

int comm_ranks_MPI_Comm_rank(ABI_Comm comm, int *rank) {
  COMM_OR_FAIL(c, comm);
  *rank = c->rank;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_size(ABI_Comm comm, int *size) {
  COMM_OR_FAIL(c, comm);
  *size = c->size;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_remote_size(ABI_Comm comm, int *size) {
  COMM_OR_FAIL(c, comm);
  CHECK_INTER(c);
  *size = c->remoteSize;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_test_inter(ABI_Comm comm, int *flag) {
  COMM_OR_FAIL(c, comm);
  *flag = c->isInter();
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_compare(ABI_Comm comm1, ABI_Comm comm2, int *result) {
  COMM_OR_FAIL(a, comm1);
  COMM_OR_FAIL(b, comm2);
  auto same = [](const Members &x, const Members &y) {
    if (x == y)
      return ABI_CONGRUENT;
    Members p = x, q = y;
    std::sort(p.begin(), p.end());
    std::sort(q.begin(), q.end());
    return p == q ? ABI_SIMILAR : ABI_UNEQUAL;
  };
  if (a->shared == b->shared) {
    *result = ABI_IDENT;
    return ABI_SUCCESS;
  }
  if (a->isInter() != b->isInter()) {
    *result = ABI_UNEQUAL;
    return ABI_SUCCESS;
  }
  *result = same(*membersOf(a), *membersOf(b));
  if (a->isInter()) {
    int remote = same(*a->shared->remote, *b->shared->remote);
    if (remote == ABI_UNEQUAL || *result == ABI_UNEQUAL)
      *result = ABI_UNEQUAL;
    else if (remote == ABI_SIMILAR)
      *result = ABI_SIMILAR;
  }
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_dup(ABI_Comm comm, ABI_Comm *newcomm) {
  COMM_OR_FAIL(c, comm);
  InCollective named("MPI_Comm_dup");
  Comm *copy;
  int error = duplicate(c, copy, true);
  *newcomm = handleOf(copy);
  return check(c, error, "a copy callback of an attribute");
}

int comm_ranks_MPI_Comm_dup_with_info(ABI_Comm comm, ABI_Info info, ABI_Comm *newcomm) {
  COMM_OR_FAIL(c, comm);
  InCollective named("MPI_Comm_dup_with_info");
  Comm *copy;
  int error = duplicate(c, copy, true);
  *newcomm = handleOf(copy);
  if (copy) {
    releaseInfo(copy->info);
    copy->info = infoOf(info) ? new Info(*infoOf(info)) : nullptr;
  }
  return check(c, error, "a copy callback of an attribute");
}

int comm_ranks_MPI_Comm_split(ABI_Comm comm, int color, int key, ABI_Comm *newcomm) {
  COMM_OR_FAIL(c, comm);
  if (int error = checkSplit(c, color))
    return error;
  InCollective named("MPI_Comm_split");
  *newcomm = handleOf(c->isInter() ? splitInter(c, color, key) : split(c, color, key));
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_split_type(ABI_Comm comm, int split_type, int key, ABI_Info, ABI_Comm *newcomm) {
  COMM_OR_FAIL(c, comm);
  int color = ABI_UNDEFINED;
  if (split_type == ABI_COMM_TYPE_SHARED)
    color = process.index; // these can certainly share memory
  else if (split_type != ABI_UNDEFINED && split_type != ABI_COMM_TYPE_HW_GUIDED &&
           split_type != ABI_COMM_TYPE_HW_UNGUIDED && split_type != ABI_COMM_TYPE_RESOURCE_GUIDED)
    return fail(c, ABI_ERR_ARG, "unknown split type %d", split_type);
  InCollective named("MPI_Comm_split_type");
  *newcomm = handleOf(split(c, color, key));
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_create(ABI_Comm comm, ABI_Group group, ABI_Comm *newcomm) {
  COMM_OR_FAIL(c, comm);
  GROUP_OR_FAIL(g, group, c);
  InCollective named("MPI_Comm_create");
  if (c->isInter()) {
    *newcomm = handleOf(createInter(c, *g));
    return ABI_SUCCESS;
  }
  // Groups of several calls may be disjoint: the first member distinguishes them.
  int color = ABI_UNDEFINED, key = 0;
  int mine = self().global;
  const Members &members = *g->members;
  for (size_t i = 0; i < members.size(); ++i)
    if (members[i] == mine) {
      color = members[0];
      key = i;
    }
  *newcomm = handleOf(split(c, color, key));
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_create_group(ABI_Comm comm, ABI_Group group, int tag, ABI_Comm *newcomm) {
  COMM_OR_FAIL(c, comm);
  GROUP_OR_FAIL(g, group, c);
  *newcomm = handleOf(fromGroup(c, *g, tag));
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_create_from_group(ABI_Group group, const char *stringtag, ABI_Info, ABI_Errhandler errhandler,
                                          ABI_Comm *newcomm) {
  GROUP_OR_FAIL(g, group, nullptr);
  Comm *made = fromGroup(self().world, *g, tagOf(stringtag));
  *newcomm = handleOf(made);
  return made ? comm_ranks_MPI_Comm_set_errhandler(*newcomm, errhandler) : ABI_SUCCESS;
}

int comm_ranks_MPI_Intercomm_create_from_groups(ABI_Group local_group, int local_leader, ABI_Group remote_group,
                                                int remote_leader, const char *stringtag, ABI_Info,
                                                ABI_Errhandler errhandler, ABI_Comm *newintercomm) {
  GROUP_OR_FAIL(ours, local_group, nullptr);
  GROUP_OR_FAIL(theirs, remote_group, nullptr);
  if (errhandler == ABI_ERRHANDLER_NULL || !errhandler)
    return fail(nullptr, ABI_ERR_ERRHANDLER, "the error handler is null");
  *newintercomm = ABI_COMM_NULL;
  Comm *local = fromGroup(self().world, *ours, tagOf(stringtag));
  if (!local)
    return ABI_SUCCESS;
  // Only the leaders know both sides.
  int peer = ABI_PROC_NULL;
  if (local->rank == local_leader) {
    if (remote_leader < 0 || remote_leader >= static_cast<int>(theirs->members->size()))
      return fail(nullptr, ABI_ERR_RANK, "no rank %d in the remote group", remote_leader);
    peer = (*theirs->members)[remote_leader];
  }
  int error = comm_ranks_MPI_Intercomm_create(local->handle, local_leader, ABI_COMM_WORLD, peer, tagOf(stringtag),
                                              newintercomm);
  local->freed = true;
  release(local);
  return error ? error : comm_ranks_MPI_Comm_set_errhandler(*newintercomm, errhandler);
}

int comm_ranks_MPI_Comm_free(ABI_Comm *comm) {
  COMM_OR_FAIL(c, *comm);
  if (*comm == ABI_COMM_WORLD || *comm == ABI_COMM_SELF)
    return fail(c, ABI_ERR_COMM, "%s cannot be freed", describe(c).c_str());
  if (c->attributes)
    if (int error = deleteAttributes(c->handle, c->attributes))
      return fail(c, error, "a delete callback of an attribute");
  c->freed = true;
  release(c);
  *comm = ABI_COMM_NULL;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_disconnect(ABI_Comm *comm) { return comm_ranks_MPI_Comm_free(comm); }

int comm_ranks_MPI_Comm_get_parent(ABI_Comm *parent) {
  *parent = ABI_COMM_NULL;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_set_name(ABI_Comm comm, const char *comm_name) {
  COMM_OR_FAIL(c, comm);
  delete c->name;
  c->name = new std::string(comm_name, strnlen(comm_name, ABI_MAX_OBJECT_NAME - 1));
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_get_name(ABI_Comm comm, char *comm_name, int *resultlen) {
  if (comm == ABI_COMM_NULL) {
    strcpy(comm_name, "MPI_COMM_NULL");
    *resultlen = strlen(comm_name);
    return ABI_SUCCESS;
  }
  COMM_OR_FAIL(c, comm);
  std::string name;
  if (c->name)
    name = *c->name;
  else if (comm == ABI_COMM_WORLD || comm == ABI_COMM_SELF)
    name = describe(c);
  strcpy(comm_name, name.c_str());
  *resultlen = name.size();
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_set_info(ABI_Comm comm, ABI_Info info) {
  COMM_OR_FAIL(c, comm);
  Info *given = infoOf(info);
  if (!c->info)
    c->info = new Info;
  if (given)
    for (auto &entry : given->entries) {
      // Unknown hints are ignored (MPI-4, 7.4.4).
      if (entry.first.compare(0, 11, "mpi_assert_"))
        continue;
      auto same = [&](auto &old) { return old.first == entry.first; };
      auto found = std::find_if(c->info->entries.begin(), c->info->entries.end(), same);
      if (found != c->info->entries.end())
        found->second = entry.second;
      else
        c->info->entries.push_back(entry);
    }
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_get_info(ABI_Comm comm, ABI_Info *info_used) {
  COMM_OR_FAIL(c, comm);
  *info_used = copyInfo(c->info);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_group(ABI_Comm comm, ABI_Group *group) {
  COMM_OR_FAIL(c, comm);
  *group = makeGroup(membersOf(c));
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_remote_group(ABI_Comm comm, ABI_Group *group) {
  COMM_OR_FAIL(c, comm);
  CHECK_INTER(c);
  *group = makeGroup(c->shared->remote);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_idup(ABI_Comm comm, ABI_Comm *newcomm, ABI_Request *request) {
  COMM_OR_FAIL(c, comm);
  duplicateLater(c, "MPI_Comm_idup", c->info, newcomm, request);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_idup_with_info(ABI_Comm comm, ABI_Info info, ABI_Comm *newcomm, ABI_Request *request) {
  COMM_OR_FAIL(c, comm);
  duplicateLater(c, "MPI_Comm_idup_with_info", infoOf(info), newcomm, request);
  return ABI_SUCCESS;
}

} // extern "C"
