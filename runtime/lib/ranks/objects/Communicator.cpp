// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects/Communicator.h"
#include "objects/Errors.h"
#include "objects/Info.h"
#include "objects/Meeting.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <unordered_map>

namespace comm::ranks {

// Contexts: the world has 0, each MPI_COMM_SELF the next step times 2 + its rank; all others have their process in the
// upper bits.
static std::atomic<uint64_t> nextContext{1};
static std::mutex lock; // guards the map
static std::unordered_map<uint64_t, CommShared *> byContext;

static constexpr uint64_t selfContexts = uint64_t(1) << 62;

uint64_t newContext(int count) {
  uint64_t first = nextContext.fetch_add(count);
  return (uint64_t(process.index) << 40 | first) * contextStep;
}

/// Finds or creates a communicator's state that this process's ranks share.
static CommShared *share(uint64_t key, uint64_t context, const std::shared_ptr<const Members> &members,
                         const std::shared_ptr<const Members> &remote, int size) {
  std::lock_guard<std::mutex> guard(lock);
  CommShared *&shared = byContext[key];
  if (!shared) {
    shared = new CommShared;
    shared->key = key;
    shared->context = context;
    shared->size = size;
    shared->members = members;
    shared->remote = remote;
    shared->meetings = new Meetings;
    shared->meetings->threads.resize(process.options.threads);
    std::unordered_map<int, size_t> places; // index in `leaders`, by process
    for (int rank = 0; rank < size; ++rank) {
      int global = shared->globalOf(rank);
      int of = process.processOf(global);
      // In ascending order of rank, so the first rank of a process becomes its leader.
      auto place = places.try_emplace(of, shared->leaders.size());
      if (place.second) {
        if (of == process.index)
          shared->leaderIndex = shared->leaders.size();
        shared->leaders.push_back(rank);
        shared->groups.emplace_back();
      }
      shared->groups[place.first->second].push_back(rank);
      if (of != process.index)
        continue;
      auto &thread = shared->meetings->threads[process.rankOf(global).thread->index];
      ++thread.members;
      thread.places.push_back(shared->here++);
    }
    if (shared->here == size)
      shared->groups = {};
    for (auto &part : shared->meetings->threads)
      shared->meetings->threadsHere += part.members != 0;
  }
  shared->references.fetch_add(1);
  return shared;
}

int CommShared::placeOf(int rank) const {
  if (!members)
    return rank % process.ranksHere;
  if (here == size)
    return rank;
  const std::vector<int> &group = groups[leaderIndex];
  return std::lower_bound(group.begin(), group.end(), rank) - group.begin();
}

int CommShared::leaderOf(int rank) const {
  int of = process.processOf(globalOf(rank));
  for (size_t i = 0; i < leaders.size(); ++i)
    if (process.processOf(globalOf(leaders[i])) == of)
      return i;
  return 0;
}

/// Sets the rank's position among the members in its process and thread.
static void place(Comm *comm, const Rank &rank) {
  comm->hereIndex = comm->shared->placeOf(comm->rank);
  const auto &places = comm->shared->meetings->threads[rank.thread->index].places;
  comm->threadPlace = std::lower_bound(places.begin(), places.end(), comm->hereIndex) - places.begin();
}

Comm *makeWorld(Rank &rank) {
  auto *comm = new Comm;
  comm->shared = share(0, 0, nullptr, nullptr, process.ranksTotal);
  comm->rank = rank.global;
  comm->size = process.ranksTotal;
  place(comm, rank);
  comm->handle = ABI_COMM_WORLD;
  return comm;
}

Comm *selfComm() {
  Rank &rank = self();
  if (!rank.self) {
    auto members = std::make_shared<Members>(1, rank.global);
    rank.self = makeComm(selfContexts + rank.global * contextStep, members, 0, nullptr);
    rank.self->handle = ABI_COMM_SELF;
  }
  return rank.self;
}

Comm *makeComm(uint64_t context, std::shared_ptr<const Members> members, int rank, const Comm *parent) {
  auto *comm = new Comm;
  int size = members ? static_cast<int>(members->size()) : process.ranksTotal;
  comm->shared = share(context, context, members, nullptr, size);
  comm->rank = rank;
  comm->size = size;
  place(comm, self());
  comm->handle = reinterpret_cast<ABI_Comm>(comm);
  if (parent) {
    comm->errhandler = parent->errhandler;
    retainErrhandler(comm->errhandler);
  }
  return comm;
}

Comm *makeInterComm(uint64_t context, std::shared_ptr<const Members> members, int rank,
                    std::shared_ptr<const Members> remote, Comm *local) {
  auto *comm = new Comm;
  comm->size = members->size();
  comm->remoteSize = remote->size();
  // Both sides may be in this process, where each needs its own object. Messages match by context and target rank, so
  // both sides use the same context; only the map needs two keys.
  uint64_t side = members->front() < remote->front() ? 2 : 3;
  comm->shared = share(context + side, context, members, remote, comm->size);
  comm->rank = rank;
  place(comm, self());
  comm->handle = reinterpret_cast<ABI_Comm>(comm);
  comm->local = local;
  if (local) {
    comm->errhandler = local->errhandler;
    retainErrhandler(comm->errhandler);
  }
  return comm;
}

void release(Comm *comm) {
  if (--comm->references)
    return;
  if (comm->local)
    release(comm->local);
  CommShared *shared = comm->shared;
  {
    std::lock_guard<std::mutex> guard(lock);
    if (shared->references.fetch_sub(1) == 1) {
      byContext.erase(shared->key);
      delete shared->meetings;
      delete shared;
    }
  }
  releaseErrhandler(comm->errhandler);
  releaseInfo(comm->info);
  delete comm->attributes;
  delete comm->name;
  delete comm;
}

std::shared_ptr<const Members> membersOf(const Comm *comm) {
  if (comm->shared->members)
    return comm->shared->members;
  static std::shared_ptr<const Members> world = [] {
    auto all = std::make_shared<Members>(process.ranksTotal);
    std::iota(all->begin(), all->end(), 0);
    return all;
  }();
  return world;
}

std::string describe(const Comm *comm) {
  if (!comm)
    return "a communicator";
  if (comm->name && !comm->name->empty())
    return *comm->name;
  if (comm->handle == ABI_COMM_WORLD)
    return "MPI_COMM_WORLD";
  if (comm->handle == ABI_COMM_SELF)
    return "MPI_COMM_SELF";
  std::string text = comm->isInter() ? "an intercommunicator of " : "a communicator of ";
  return text + std::to_string(comm->size) + (comm->size == 1 ? " rank" : " ranks");
}

} // namespace comm::ranks
