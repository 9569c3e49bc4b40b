// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "check/Collectives.h"

#include "check/Diagnostics.h"
#include "check/Signature.h"

#include <sched.h>
#include <stdio.h>
#include <time.h>

using namespace comm::runtime;

namespace {
/// A process's description of one collective for its neighbors.
struct Record {
  uint64_t name;
  int32_t root;
  int32_t op;
  uint64_t signature, bytes;
  /// 0: the message length may differ between processes; 1: only the number of bytes is known; 2: the signature is
  /// known.
  int32_t comparable;
  /// For messages: the call and its location.
  char call[64], where[192];
};

/// A collective of this process that has not been compared with both neighbors, or whose record is still being sent.
struct Pending {
  Record record;
  MPI_Request sends[2];
  Pending *next;
};

/// A neighbor on the ring.
struct Neighbor {
  int rank;
  MPI_Request receive;
  Record record;
  /// The next record received is compared with this one; null if there is none yet.
  Pending *at;
};

/// A communicator whose collectives are checked.
struct Watched {
  MPI_Comm shadow;
  int rank, size, numNeighbors;
  uint64_t calls;
  Neighbor neighbors[2];
  Pending *first, *last;
  bool isOff;
  Watched *next;
};
} // namespace

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int watchedKey = MPI_KEYVAL_INVALID;
static Watched *all;
static bool isFinishing;
static thread_local const comm_check_site *currentSite;

extern "C" __attribute__((visibility("default"))) void comm_check_at(const comm_check_site *site) {
  currentSite = site;
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

static uint64_t hashOf(const char *text) {
  uint64_t hash = 1469598103934665603u;
  for (; *text; ++text)
    hash = (hash ^ static_cast<unsigned char>(*text)) * 1099511628211u;
  return hash;
}

/// Returns a number for the operator that is the same in all processes, however they represent handles; 0 for
/// user-defined operators.
static int numberOf(MPI_Op op) {
  const MPI_Op known[] = {MPI_MAX, MPI_MIN,  MPI_SUM,  MPI_PROD,   MPI_LAND,   MPI_BAND,    MPI_LOR,
                          MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP};
  if (op == MPI_OP_NULL)
    return -1;
  for (size_t i = 0; i < sizeof(known) / sizeof(*known); ++i)
    if (op == known[i])
      return int(i) + 1;
  return 0;
}

/// Returns the last site that the compiler announced, if it belongs to this call.
static const comm_check_site *takeSite(const char *called, const char *blocking) {
  const comm_check_site *site = currentSite;
  currentSite = nullptr;
  if (!site || site->abi_version != COMM_CHECK_ABI_VERSION || !site->mpi_call)
    return nullptr;
  return strcmp(site->mpi_call, called) == 0 || strcmp(site->mpi_call, blocking) == 0 ? site : nullptr;
}

static void fill(Record &record, const char *called, const char *blocking, int root, int64_t count, MPI_Datatype type,
                 MPI_Op op) {
  memset(&record, 0, sizeof(record));
  const comm_check_site *site = takeSite(called, blocking);
  // For a call that the compiler made nonblocking, the program's name of the function counts.
  const char *name = site ? site->mpi_call : called;
  record.name = hashOf(name);
  record.root = root;
  record.op = numberOf(op);
  snprintf(record.call, sizeof(record.call), "%s", name);
  if (site && site->line)
    snprintf(record.where, sizeof(record.where), " at %.100s:%u, in function %.64s", orEmpty(site->file), site->line,
             orEmpty(site->function));
  if (type == MPI_DATATYPE_NULL)
    return;
  int size = 0;
  PMPI_Type_size(type, &size);
  Signature signature = repeat(signatureOf(type), count);
  record.bytes = uint64_t(size) * uint64_t(count);
  record.signature = signature.hash;
  record.comparable = signature.known ? 2 : 1;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

static void reportMismatch(const Watched &watched, const Neighbor &neighbor, const Record &mine, const Record &theirs,
                           uint64_t number, const char *what, const char *advice) {
  char name[MPI_MAX_OBJECT_NAME + 1] = "";
  int length = 0;
  PMPI_Comm_get_name(watched.shadow, name, &length);
  fprintf(stderr,
          "comm: error: collective %llu on %s: ranks %d and %d %s: rank %d calls %s%s; rank %d calls %s%s: %s "
          "(MPI-4.0, section 6.14)\n",
          static_cast<unsigned long long>(number), name[0] ? name : "a communicator", watched.rank, neighbor.rank, what,
          watched.rank, mine.call, mine.where, neighbor.rank, theirs.call, theirs.where, advice);
}

/// Returns false after a report.
static bool compare(const Watched &watched, const Neighbor &neighbor, const Record &mine, uint64_t number) {
  const Record &theirs = neighbor.record;
  char what[160];
  if (mine.name != theirs.name) {
    reportMismatch(watched, neighbor, mine, theirs, number, "call different functions",
                   "call the same collectives in the same order in all processes");
    return false;
  }
  if (mine.root != theirs.root) {
    snprintf(what, sizeof(what), "name different roots, %d and %d", mine.root, theirs.root);
    reportMismatch(watched, neighbor, mine, theirs, number, what, "pass the same root in all processes");
    return false;
  }
  if (mine.op != theirs.op) {
    reportMismatch(watched, neighbor, mine, theirs, number, "reduce by different operators",
                   "pass the same operator in all processes");
    return false;
  }
  int comparable = mine.comparable < theirs.comparable ? mine.comparable : theirs.comparable;
  if (comparable >= 1 && mine.bytes != theirs.bytes) {
    snprintf(what, sizeof(what), "pass messages of different lengths, %llu and %llu bytes",
             static_cast<unsigned long long>(mine.bytes), static_cast<unsigned long long>(theirs.bytes));
    reportMismatch(watched, neighbor, mine, theirs, number, what,
                   "count times datatype has to give the same numbers in all processes");
    return false;
  }
  if (comparable == 2 && mine.signature != theirs.signature) {
    reportMismatch(watched, neighbor, mine, theirs, number, "pass different datatypes",
                   "count times datatype has to give the same numbers in all processes");
    return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static void receiveNext(Watched &watched, Neighbor &neighbor) {
  PMPI_Irecv(&neighbor.record, sizeof(Record), MPI_BYTE, neighbor.rank, 0, watched.shadow, &neighbor.receive);
}

/// Compares the records that have arrived; returns true if nothing is left to compare. After a mismatch, the numbers no
/// longer correspond, so comparison stops.
static bool progress(Watched &watched, bool &mismatch) {
  bool isDone = true;
  for (int i = 0; i < watched.numNeighbors && !watched.isOff; ++i) {
    Neighbor &neighbor = watched.neighbors[i];
    while (neighbor.at && !watched.isOff) {
      int arrived = 0;
      PMPI_Test(&neighbor.receive, &arrived, MPI_STATUS_IGNORE);
      if (!arrived)
        break;
      uint64_t number = watched.calls;
      for (Pending *later = neighbor.at->next; later; later = later->next)
        --number;
      if (!compare(watched, neighbor, neighbor.at->record, number)) {
        mismatch = watched.isOff = true;
        break;
      }
      neighbor.at = neighbor.at->next;
      receiveNext(watched, neighbor);
    }
    isDone &= !neighbor.at;
  }
  auto isNeeded = [&](Pending *pending) {
    for (int i = 0; i < watched.numNeighbors; ++i)
      if (watched.neighbors[i].at == pending)
        return true;
    int sent = 0;
    PMPI_Testall(watched.numNeighbors, pending->sends, &sent, MPI_STATUSES_IGNORE);
    return !sent;
  };
  // Neighbors never point to elements before those that they still need.
  while (watched.first && !isNeeded(watched.first)) {
    Pending *done = watched.first;
    watched.first = done->next;
    if (!watched.first)
      watched.last = nullptr;
    free(done);
  }
  return isDone || watched.isOff;
}

static int64_t nowMs() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1000 + time.tv_nsec / 1000000;
}

/// Compares until everything has been compared or `patience` milliseconds have passed.
static void progressFor(Watched &watched, int64_t patience) {
  bool mismatch = false;
  for (int64_t end = nowMs() + patience;;) {
    bool isDone;
    {
      Locked lock(mutex);
      isDone = progress(watched, mismatch);
    }
    if (mismatch)
      return failOrContinue();
    if (isDone || nowMs() >= end)
      return;
    sched_yield();
  }
}

//===----------------------------------------------------------------------===//
// Communicators
//===----------------------------------------------------------------------===//

/// MPI calls this when the communicator is freed.
static int forget(MPI_Comm, int, void *value, void *) {
  auto *watched = static_cast<Watched *>(value);
  progressFor(*watched, 10 * COMM_CHECK_PATIENCE_MS);
  Locked lock(mutex);
  for (int i = 0; i < watched->numNeighbors; ++i)
    if (watched->neighbors[i].receive != MPI_REQUEST_NULL) {
      PMPI_Cancel(&watched->neighbors[i].receive);
      PMPI_Request_free(&watched->neighbors[i].receive);
    }
  // Leak records that are still being sent or may be received.
  for (Watched **link = &all; *link; link = &(*link)->next)
    if (*link == watched) {
      *link = watched->next;
      break;
    }
  // Freeing is collective, like the communicator's own. MPI_Finalize frees the rest.
  if (!isFinishing)
    PMPI_Comm_free(&watched->shadow);
  return MPI_SUCCESS;
}

/// MPI calls this at the very start of MPI_Finalize (MPI-4.0, 11.2.4).
static int finish(MPI_Comm, int, void *, void *) {
  isFinishing = true;
  for (Watched *watched = all; watched; watched = watched->next)
    progressFor(*watched, 10 * COMM_CHECK_PATIENCE_MS);
  return MPI_SUCCESS;
}

void comm_check_communicator(MPI_Comm comm) {
  int initialized = 0, isInter = 0, size = 0;
  PMPI_Initialized(&initialized);
  if (!initialized || comm == MPI_COMM_NULL)
    return;
  PMPI_Comm_test_inter(comm, &isInter);
  PMPI_Comm_size(comm, &size);
  if (isInter || size < 2)
    return;
  auto *watched = static_cast<Watched *>(calloc(1, sizeof(Watched)));
  if (!watched || PMPI_Comm_dup(comm, &watched->shadow) != MPI_SUCCESS) {
    free(watched);
    return;
  }
  char name[MPI_MAX_OBJECT_NAME + 1] = "";
  int length = 0;
  PMPI_Comm_get_name(comm, name, &length);
  PMPI_Comm_set_name(watched->shadow, name);
  PMPI_Comm_rank(comm, &watched->rank);
  watched->size = size;
  watched->numNeighbors = size == 2 ? 1 : 2;
  for (int i = 0; i < watched->numNeighbors; ++i) {
    watched->neighbors[i].rank = (watched->rank + (i ? size - 1 : 1)) % size;
    receiveNext(*watched, watched->neighbors[i]);
  }
  Locked lock(mutex);
  if (watchedKey == MPI_KEYVAL_INVALID) {
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &watchedKey, nullptr);
    int finishKey;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finish, &finishKey, nullptr);
    PMPI_Comm_set_attr(MPI_COMM_SELF, finishKey, nullptr);
  }
  watched->next = all;
  all = watched;
  PMPI_Comm_set_attr(comm, watchedKey, watched);
}

void comm_check_collective(MPI_Comm comm, const char *called, const char *blocking, int root, int64_t count,
                           MPI_Datatype type, MPI_Op op) {
  void *value = nullptr;
  int found = 0;
  if (comm == MPI_COMM_NULL || watchedKey == MPI_KEYVAL_INVALID ||
      PMPI_Comm_get_attr(comm, watchedKey, &value, &found) != MPI_SUCCESS || !found) {
    currentSite = nullptr;
    return;
  }
  auto *watched = static_cast<Watched *>(value);
  auto *pending = static_cast<Pending *>(calloc(1, sizeof(Pending)));
  if (watched->isOff || !pending) {
    watched->isOff = true;
    free(pending);
    return;
  }
  fill(pending->record, called, blocking, root, count, type, op);
  {
    Locked lock(mutex);
    ++watched->calls;
    (watched->last ? watched->last->next : watched->first) = pending;
    watched->last = pending;
    for (int i = 0; i < watched->numNeighbors; ++i) {
      Neighbor &neighbor = watched->neighbors[i];
      PMPI_Isend(&pending->record, sizeof(Record), MPI_BYTE, neighbor.rank, 0, watched->shadow, &pending->sends[i]);
      if (!neighbor.at)
        neighbor.at = pending;
    }
  }
  // Starts do not wait: the program may not expect them to.
  progressFor(*watched, strcmp(called, blocking) == 0 ? COMM_CHECK_PATIENCE_MS : 0);
}
