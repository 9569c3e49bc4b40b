// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The collecting half of the report. MPI_Finalize deletes the attributes of
// MPI_COMM_SELF before anything else, with MPI still usable (MPI-4.0 section
// 11.2.4), so an attribute's delete callback is where the ranks meet.

#include "report/Sites.h"

#include "comm/report.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>

using namespace comm::runtime;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/// Guarded by `mutex`.
static struct {
  bool hooked = false;
  int keyval = MPI_KEYVAL_INVALID;
  /// Private duplicate of MPI_COMM_WORLD, if comm_report_init made one.
  MPI_Comm world = MPI_COMM_NULL;
  int64_t startTime = 0;
  double startSeconds = 0;
} state;

static const int rowsTag = 1;

/// `path` with the rank put before its extension: a.json -> a.3.json.
static bool perRankPath(const char *path, int rank, Array<char> &result) {
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  if (!dot || dot == name)
    dot = name + strlen(name);
  char number[16];
  int length = snprintf(number, sizeof(number), ".%d", rank);
  return result.append(path, dot - path) && result.append(number, length) && result.append(dot, strlen(dot) + 1);
}

static const char *configuredPath() {
  const char *path = getenv("COMM_REPORT_FILE");
  return path && *path ? path : "comm-report.json";
}

static void writeOrWarn(const char *path, const Table &table, const RunInfo &run) {
  if (!writeReport(path, table, run))
    fprintf(stderr,
            "comm: warning: cannot write the interval report '%s': %s; set "
            "COMM_REPORT_FILE to a file that can be written\n",
            path, strerror(errno));
}

static RunInfo runInfo(int ranks, int onlyRank) {
  return {ranks, onlyRank, state.startTime, monotonicSeconds() - state.startSeconds};
}

/// Rank 0 takes the ranks one after another, so that it holds the rows of one
/// other rank at a time.
static bool receiveRows(MPI_Comm world, int ranks, Table &table) {
  for (int rank = 1; rank < ranks; ++rank) {
    MPI_Status status;
    int size = 0;
    if (PMPI_Probe(rank, rowsTag, world, &status) != MPI_SUCCESS ||
        PMPI_Get_count(&status, MPI_BYTE, &size) != MPI_SUCCESS || size < 0)
      return false;
    Array<char> bytes;
    if (!bytes.resize(size) ||
        PMPI_Recv(bytes.data(), size, MPI_BYTE, rank, rowsTag, world, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
        !table.decode(bytes.data(), bytes.size()))
      return false;
    table.closeRank();
  }
  return true;
}

/// Collective over the private communicator.
static void reportTogether(MPI_Comm world) {
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(world, &rank);
  PMPI_Comm_size(world, &ranks);
  Table table;
  bool complete = collectSites(table);
  if (rank != 0) {
    Array<char> bytes;
    if (!table.encode(bytes) || bytes.size() > INT32_MAX) {
      complete = false;
      bytes.resize(0);
    }
    // Sent in any case: rank 0 waits for it.
    PMPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, rowsTag, world);
  } else {
    table.closeRank();
    complete = receiveRows(world, ranks, table) && complete;
    table.sort();
    writeOrWarn(configuredPath(), table, runInfo(ranks, -1));
  }
  if (!complete)
    fprintf(stderr,
            "comm: warning: the interval report is incomplete: rank %d ran "
            "out of memory or could not communicate\n",
            rank);
}

static void reportAlone() {
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Table table;
  Array<char> path;
  if (!collectSites(table) || !perRankPath(configuredPath(), rank, path)) {
    fprintf(stderr,
            "comm: warning: no interval report of rank %d: out of "
            "memory\n",
            rank);
    return;
  }
  table.closeRank();
  table.sort();
  if (!isEnabled("COMM_REPORT_PER_RANK"))
    fprintf(stderr,
            "comm: warning: the interval report of rank %d is in a file of "
            "its own, '%s': the file that calls MPI_Init was compiled without "
            "-fcomm-report\n",
            rank, path.data());
  writeOrWarn(path.data(), table, runInfo(ranks, rank));
}

/// MPI calls this at the start of MPI_Finalize. Never fails: the program's
/// own MPI_Finalize must return what it would return without a report.
static int onFinalize(MPI_Comm, int, void *, void *) {
  // No other thread may be in MPI now, and those that measure need no lock.
  if (state.world != MPI_COMM_NULL) {
    reportTogether(state.world);
    PMPI_Comm_free(&state.world);
  } else {
    reportAlone();
  }
  int keyval = state.keyval;
  PMPI_Comm_free_keyval(&keyval);
  return MPI_SUCCESS;
}

static bool isMpiUsable() {
  int initialized = 0, finalized = 0;
  PMPI_Initialized(&initialized);
  PMPI_Finalized(&finalized);
  return initialized && !finalized;
}

/// With `mutex` held.
static void hookFinalize() {
  if (state.hooked)
    return;
  state.hooked = true;
  state.startTime = time(nullptr);
  state.startSeconds = monotonicSeconds();
  if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, onFinalize, &state.keyval, nullptr) != MPI_SUCCESS ||
      PMPI_Comm_set_attr(MPI_COMM_SELF, state.keyval, nullptr) != MPI_SUCCESS)
    fprintf(stderr, "comm: warning: no interval report: MPI does not accept "
                    "an attribute on MPI_COMM_SELF\n");
}

void comm::runtime::ensureFinalizeHook() {
  Locked lock(mutex);
  // A program of the sessions model never calls MPI_Finalize: no report.
  if (isMpiUsable())
    hookFinalize();
}

extern "C" __attribute__((visibility("default"))) void comm_report_init(void) {
  Locked lock(mutex);
  if (state.world != MPI_COMM_NULL || !isMpiUsable())
    return;
  hookFinalize();
  // Where not all programs of one MPI_COMM_WORLD are instrumented, the
  // duplication below would wait for the others for ever.
  if (isEnabled("COMM_REPORT_PER_RANK"))
    return;
  if (PMPI_Comm_dup(MPI_COMM_WORLD, &state.world) != MPI_SUCCESS) {
    state.world = MPI_COMM_NULL;
    return;
  }
  // Trouble of the report is no trouble of the program.
  PMPI_Comm_set_errhandler(state.world, MPI_ERRORS_RETURN);
}
