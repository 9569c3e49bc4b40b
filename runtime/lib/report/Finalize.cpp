// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the report. MPI_Finalize first deletes the attributes of MPI_COMM_SELF, while MPI is still usable (MPI-4.0
// section 11.2.4), so the ranks meet in the delete callback of an attribute.

#include "report/Sites.h"

#include <mpi.h>

#include "comm/report.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

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
  /// The path that the program was compiled with, or null.
  const char *path = nullptr;
} state;

static const int rowsTag = 1;

/// Inserts the rank before the extension of `path`: a.json -> a.3.json.
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

static bool isFolder(const char *path) {
  struct stat info;
  return path[strlen(path) - 1] == '/' || (stat(path, &info) == 0 && S_ISDIR(info.st_mode));
}

/// Returns the configured output path; in a folder, a unique file name. (COMM_REPORT_FILE always names a file.)
static bool configuredPath(Array<char> &result) {
  const char *path = getenv("COMM_REPORT_FILE");
  if (path && *path)
    return result.append(path, strlen(path) + 1);
  path = state.path && *state.path ? state.path : "comm-report.json";
  if (!isFolder(path))
    return result.append(path, strlen(path) + 1);
  mkdir(path, 0777); // opening the file reports a failure
  char name[80];
  int length = snprintf(name, sizeof(name), "/comm-profile-%lld-%ld.json", static_cast<long long>(state.startTime),
                        static_cast<long>(getpid()));
  return result.append(path, strlen(path)) && result.append(name, length + 1);
}

static void writeOrWarn(const char *path, const Table &table, const RunInfo &run) {
  if (!writeReport(path, table, run))
    fprintf(stderr,
            "comm: warning: cannot write the interval report '%s': %s; set "
            "COMM_REPORT_FILE to a file that can be written\n",
            path, strerror(errno));
}

static RunInfo runInfo(int ranks, int nodes, int onlyRank) {
  return {ranks, nodes, onlyRank, state.startTime, monotonicSeconds() - state.startSeconds};
}

namespace {
/// Unique machine names, in fields of MPI_MAX_PROCESSOR_NAME bytes.
class Machines {
public:
  static constexpr size_t fieldSize = MPI_MAX_PROCESSOR_NAME;
  /// Appends the name of this process's machine in the format that is sent.
  static bool appendOwn(Array<char> &bytes) {
    char name[fieldSize] = {};
    int length = 0;
    return PMPI_Get_processor_name(name, &length) == MPI_SUCCESS && bytes.append(name, fieldSize);
  }
  bool add(const char *name) {
    for (size_t at = 0; at < names.size(); at += fieldSize)
      if (strncmp(names.data() + at, name, fieldSize) == 0)
        return true;
    return names.append(name, fieldSize);
  }
  int count() const { return static_cast<int>(names.size() / fieldSize); }

private:
  Array<char> names;
};
} // namespace

/// Receives one rank after another in rank 0, which thus holds the rows of only one other rank at a time. Each message
/// begins with the name of the machine.
static bool receiveRows(MPI_Comm world, int ranks, Table &table, Machines &machines) {
  for (int rank = 1; rank < ranks; ++rank) {
    MPI_Status status;
    int size = 0;
    if (PMPI_Probe(rank, rowsTag, world, &status) != MPI_SUCCESS ||
        PMPI_Get_count(&status, MPI_BYTE, &size) != MPI_SUCCESS || size < 0)
      return false;
    Array<char> bytes;
    if (!bytes.resize(size) ||
        PMPI_Recv(bytes.data(), size, MPI_BYTE, rank, rowsTag, world, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
        bytes.size() < Machines::fieldSize || !machines.add(bytes.data()) ||
        !table.decode(bytes.data() + Machines::fieldSize, bytes.size() - Machines::fieldSize))
      return false;
    table.closeRank();
  }
  return true;
}

/// Writes one report for all ranks. Collective over the private communicator.
static void reportTogether(MPI_Comm world) {
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(world, &rank);
  PMPI_Comm_size(world, &ranks);
  Table table;
  bool complete = collectSites(table);
  Array<char> bytes, path;
  complete = Machines::appendOwn(bytes) && complete;
  if (rank != 0) {
    if (!table.encode(bytes) || bytes.size() > INT32_MAX) {
      complete = false;
      bytes.resize(0);
    }
    // Sent in any case, because rank 0 waits for it.
    PMPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, rowsTag, world);
  } else {
    table.closeRank();
    Machines machines;
    complete = bytes.size() == Machines::fieldSize && machines.add(bytes.data()) && complete;
    complete = receiveRows(world, ranks, table, machines) && complete;
    table.sort();
    if (configuredPath(path))
      writeOrWarn(path.data(), table, runInfo(ranks, machines.count(), -1));
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
  Array<char> common, path;
  if (!collectSites(table) || !configuredPath(common) || !perRankPath(common.data(), rank, path)) {
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
            "-fcomm-report or -fcomm-profile-generate\n",
            rank, path.data());
  writeOrWarn(path.data(), table, runInfo(ranks, /*nodes=*/0, rank));
}

/// MPI calls this at the start of MPI_Finalize. Never fails, so that the program's MPI_Finalize returns the same as
/// without a report.
static int onFinalize(MPI_Comm, int, void *, void *) {
  // No other thread may be in MPI now, and measuring takes no lock.
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

/// Must be called with `mutex` held.
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
  // A program that uses sessions only never calls MPI_Finalize: no report.
  if (isMpiUsable())
    hookFinalize();
}

extern "C" __attribute__((visibility("default"))) void comm_report_init(void) {
  Locked lock(mutex);
  if (state.world != MPI_COMM_NULL || !isMpiUsable())
    return;
  hookFinalize();
  // If some programs of an MPI_COMM_WORLD are not instrumented, the duplication below would wait for them forever.
  if (isEnabled("COMM_REPORT_PER_RANK"))
    return;
  if (PMPI_Comm_dup(MPI_COMM_WORLD, &state.world) != MPI_SUCCESS) {
    state.world = MPI_COMM_NULL;
    return;
  }
  // Errors of the report must not affect the program.
  PMPI_Comm_set_errhandler(state.world, MPI_ERRORS_RETURN);
}

extern "C" __attribute__((visibility("default"))) void comm_report_file(const char *path) {
  Locked lock(mutex);
  state.path = path;
}

extern "C" __attribute__((visibility("default"))) int64_t comm_report_size(MPI_Datatype datatype) {
  int size = 0;
  return PMPI_Type_size(datatype, &size) == MPI_SUCCESS && size > 0 ? size : 0;
}
