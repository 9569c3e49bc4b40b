// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Communicators and groups.
#ifndef COMM_RANKS_COMMUNICATOR_H
#define COMM_RANKS_COMMUNICATOR_H

#include "Abi.h"
#include "core/Rank.h"
#include "objects/Attributes.h"
#include "objects/Kept.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace comm::ranks {

struct Topology;
struct Meeting;
struct Meetings;
struct Info;

/// Ranks in MPI_COMM_WORLD, in order.
using Members = std::vector<int>;

struct Group : Kept<Group> {
  Group() = default;
  Group(std::shared_ptr<const Members> all);
  std::shared_ptr<const Members> members;
  int rank = ABI_UNDEFINED; ///< of the rank that holds the handle
  InUse inUse;
};

/// The object of a handle; null if it is none, or MPI_GROUP_NULL.
Group *groupOf(ABI_Group handle);
ABI_Group makeGroup(std::shared_ptr<const Members> members);

/// What the ranks of one process share of a communicator.
struct CommShared {
  /// Point-to-point messages carry the context, collectives' context + 1.
  uint64_t context = 0;
  uint64_t key = 0; ///< in the process's table
  int size = 0;
  std::shared_ptr<const Members> members; ///< null: MPI_COMM_WORLD
  std::shared_ptr<const Members> remote;  ///< of an intercommunicator
  std::atomic<int> references{0};
  int here = 0; ///< members in this process
  Meetings *meetings = nullptr;
  /// The first member in each process, and which of them is this process's.
  std::vector<int> leaders;
  int leaderIndex = 0;
  /// The members in each process, as `leaders`; empty if all are in this one.
  std::vector<std::vector<int>> groups;

  /// The place in `leaders` of the one in a rank's process.
  int leaderOf(int rank) const;
  /// A rank's place among the members in this process.
  int placeOf(int rank) const;

  int globalOf(int rank) const { return members ? (*members)[rank] : rank; }
};

/// One rank's handle of a communicator.
struct Comm : Kept<Comm> {
  CommShared *shared = nullptr;
  int rank = 0, size = 0;
  int remoteSize = 0;       ///< 0 unless an intercommunicator
  int hereIndex = 0;        ///< among the members in this process
  int threadPlace = 0;      ///< among those of this kernel thread
  uint32_t collectives = 0; ///< started so far: the same number in all members
  int references = 1;       ///< requests hold one each
  bool freed = false;
  InUse inUse;
  ABI_Comm handle = nullptr;
  ABI_Errhandler errhandler = ABI_ERRORS_ARE_FATAL;
  Attributes *attributes = nullptr;
  std::shared_ptr<Topology> topology;
  Comm *local = nullptr; ///< of an intercommunicator: its own side
  std::string *name = nullptr;
  Info *info = nullptr;

  /// The number of the next collective; persistent ones have numbers of their
  /// own (makePersistent).
  uint32_t nextCollective() { return collectives++ & 0x3fffffff; }
  bool isInter() const { return remoteSize != 0; }
  /// How many a message can go to.
  int peers() const { return remoteSize ? remoteSize : size; }
  /// The rank in MPI_COMM_WORLD of a peer.
  int globalOf(int peer) const { return remoteSize ? (*shared->remote)[peer] : shared->globalOf(peer); }
};

inline ABI_Comm handleOf(Comm *comm) { return comm ? comm->handle : ABI_COMM_NULL; }

/// MPI_COMM_SELF of the rank that calls, made when first asked for.
Comm *selfComm();

/// The object of a handle; null if it is none, or MPI_COMM_NULL.
inline Comm *commOf(ABI_Comm handle) {
  auto value = reinterpret_cast<uintptr_t>(handle);
  if (value == 257)
    return self().world;
  if (value == 258)
    return selfComm();
  if (value < 1024)
    return nullptr;
  auto *comm = reinterpret_cast<Comm *>(handle);
  return unlessFreed(comm) && !comm->freed ? comm : nullptr;
}

/// The world of a rank, before it runs.
Comm *makeWorld(Rank &rank);

/// A number that no other communicator of any process has; `count` of them in
/// a row, a step apart.
uint64_t newContext(int count = 1);
constexpr uint64_t contextStep = 4;

/// The calling rank's handle of a new communicator; each member calls with the
/// same context and members.
Comm *makeComm(uint64_t context, std::shared_ptr<const Members> members, int rank, const Comm *parent);
/// The same for an intercommunicator.
Comm *makeInterComm(uint64_t context, std::shared_ptr<const Members> members, int rank,
                    std::shared_ptr<const Members> remote, Comm *local);

inline void retain(Comm *comm) { ++comm->references; }
void release(Comm *comm);

/// The members in order, also of the world.
std::shared_ptr<const Members> membersOf(const Comm *comm);

/// Calls the error handler of \p comm (null: the world's) for an error class or
/// code of the ABI, and returns the code. The text says what is wrong and what
/// to do; it goes into the message of the handlers that print.
int fail(Comm *comm, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/// The same for an error that the MPI beneath named, or success.
int check(Comm *comm, int code, const char *what);

/// "MPI_COMM_WORLD", or the name that the program gave it, or its size.
std::string describe(const Comm *comm);

#define COMM_OR_FAIL(variable, handle)                                                                                 \
  Comm *variable = commOf(handle);                                                                                     \
  if (__builtin_expect(!variable, 0))                                                                                  \
  return fail(nullptr, ABI_ERR_COMM, "invalid communicator")

#define GROUP_OR_FAIL(variable, handle, comm)                                                                          \
  Group *variable = groupOf(handle);                                                                                   \
  if (!variable)                                                                                                       \
  return fail(comm, ABI_ERR_GROUP, "invalid group")
#define CHECK_INTER(comm)                                                                                              \
  if (!comm->isInter())                                                                                                \
  return fail(comm, ABI_ERR_COMM, "not an intercommunicator")

} // namespace comm::ranks

#endif
