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

/// Ranks in MPI_COMM_WORLD, by rank in the group.
using Members = std::vector<int>;

struct Group : Kept<Group> {
  Group() = default;
  Group(std::shared_ptr<const Members> all);
  std::shared_ptr<const Members> members;
  int rank = ABI_UNDEFINED; ///< position of the rank that holds the handle
  InUse inUse;
};

/// Returns the object of a handle; null if it is invalid or MPI_GROUP_NULL.
Group *groupOf(ABI_Group handle);
ABI_Group makeGroup(std::shared_ptr<const Members> members);

/// State of a communicator that the ranks of one process share.
struct CommShared {
  /// Point-to-point messages use this context, collectives context + 1.
  uint64_t context = 0;
  uint64_t key = 0; ///< in the process's table
  int size = 0;
  std::shared_ptr<const Members> members; ///< null: MPI_COMM_WORLD
  std::shared_ptr<const Members> remote;  ///< of an intercommunicator, else null
  std::atomic<int> references{0};
  int here = 0; ///< number of members in this process
  Meetings *meetings = nullptr;
  /// The first member in each process, and the index of this process's.
  std::vector<int> leaders;
  int leaderIndex = 0;
  /// The members in each process, in the order of `leaders`; empty if all are in this one.
  std::vector<std::vector<int>> groups;

  /// Returns the index in `leaders` of a rank's process.
  int leaderOf(int rank) const;
  /// Returns a rank's position among the members in this process.
  int placeOf(int rank) const;

  int globalOf(int rank) const { return members ? (*members)[rank] : rank; }
};

/// One rank's handle of a communicator.
struct Comm : Kept<Comm> {
  CommShared *shared = nullptr;
  int rank = 0, size = 0;
  int remoteSize = 0;       ///< 0 unless this is an intercommunicator
  int hereIndex = 0;        ///< among the members in this process
  int threadPlace = 0;      ///< among those of this kernel thread
  uint32_t collectives = 0; ///< number of collectives started so far, the same in all members
  int references = 1;       ///< each request holds one
  bool freed = false;
  InUse inUse;
  ABI_Comm handle = nullptr;
  ABI_Errhandler errhandler = ABI_ERRORS_ARE_FATAL;
  Attributes *attributes = nullptr;
  std::shared_ptr<Topology> topology;
  Comm *local = nullptr; ///< of an intercommunicator: the local group
  std::string *name = nullptr;
  Info *info = nullptr;

  /// Returns the number of the next collective; persistent ones are numbered separately (makePersistent).
  uint32_t nextCollective() { return collectives++ & 0x3fffffff; }
  bool isInter() const { return remoteSize != 0; }
  /// Returns the number of possible message targets.
  int peers() const { return remoteSize ? remoteSize : size; }
  /// Returns the rank of a peer in MPI_COMM_WORLD.
  int globalOf(int peer) const { return remoteSize ? (*shared->remote)[peer] : shared->globalOf(peer); }
};

inline ABI_Comm handleOf(Comm *comm) { return comm ? comm->handle : ABI_COMM_NULL; }

/// Returns MPI_COMM_SELF of the calling rank, created on demand.
Comm *selfComm();

/// Returns the object of a handle; null if it is invalid or MPI_COMM_NULL.
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

/// Creates the world of a rank before it runs.
Comm *makeWorld(Rank &rank);

/// Returns a context that no other communicator of any process has; with `count`, the first of several, contextStep
/// apart.
uint64_t newContext(int count = 1);
constexpr uint64_t contextStep = 4;

/// Creates the calling rank's handle of a new communicator; each member calls with the same context and members.
Comm *makeComm(uint64_t context, std::shared_ptr<const Members> members, int rank, const Comm *parent);
/// Does the same for an intercommunicator.
Comm *makeInterComm(uint64_t context, std::shared_ptr<const Members> members, int rank,
                    std::shared_ptr<const Members> remote, Comm *local);

inline void retain(Comm *comm) { ++comm->references; }
void release(Comm *comm);

/// Returns the members in order, also for the world.
std::shared_ptr<const Members> membersOf(const Comm *comm);

/// Calls the error handler of \p comm (null: the world's) for an error class or code of the ABI, and returns the code.
/// The text describes the error and its remedy; handlers that print include it.
int fail(Comm *comm, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/// Does the same for the result of the underlying MPI, which may be success.
int check(Comm *comm, int code, const char *what);
/// Reports that a pointer of a call must not be null, to the communicator of the call if it has one.
int failNull(ABI_Comm comm, const char *parameter);

/// Returns "MPI_COMM_WORLD", the name that the program set, or a description by size.
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
