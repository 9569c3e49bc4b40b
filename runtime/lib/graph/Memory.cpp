// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that a graph fits into memory, as far as that is known before it is loaded.
#include "Build.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <sys/resource.h>

namespace comm::graph {

namespace {

constexpr int64_t Unlimited = INT64_MAX;

/// Returns the number after `name` at the beginning of a line of the file, times `unit`; -1 if there is none.
int64_t readNumber(const std::string &file, const char *name, int64_t unit) {
  int64_t found = -1;
  if (FILE *opened = fopen(file.c_str(), "r")) {
    char line[512];
    size_t length = strlen(name);
    long long number;
    while (found < 0 && fgets(line, sizeof line, opened))
      if (!strncmp(line, name, length) && sscanf(line + length, "%lld", &number) == 1)
        found = number * unit;
    fclose(opened);
  }
  return found;
}

/// Returns the memory that is available on the node, swap space included.
int64_t availableOnNode() {
  int64_t free = readNumber("/proc/meminfo", "MemAvailable:", 1024);
  return free < 0 ? Unlimited : free + std::max<int64_t>(0, readNumber("/proc/meminfo", "SwapFree:", 1024));
}

/// Returns the smallest amount that a control group (version 2) of this process leaves. Cached pages of files count as
/// available. Adds the name of the innermost group to the hash `group`.
int64_t availableInGroup(uint64_t &group) {
  int64_t least = Unlimited;
  FILE *file = fopen("/proc/self/cgroup", "r");
  char line[4096];
  std::string path;
  while (file && fgets(line, sizeof line, file))
    if (!strncmp(line, "0::/", 4))
      path.assign(line + 3, strcspn(line + 3, "\n"));
  if (file)
    fclose(file);
  for (char each : path)
    group = mix(group + static_cast<unsigned char>(each));
  while (!path.empty()) {
    const std::string folder = "/sys/fs/cgroup" + path + "/";
    int64_t limit = readNumber(folder + "memory.max", "", 1), used = readNumber(folder + "memory.current", "", 1);
    if (limit >= 0 && used >= 0) {
      for (const char *kind : {"inactive_file ", "active_file "})
        used -= std::max<int64_t>(0, readNumber(folder + "memory.stat", kind, 1));
      least = std::min(least, std::max<int64_t>(0, limit - used));
    }
    path.resize(path == "/" ? 0 : std::max<size_t>(path.rfind('/'), 1));
  }
  return least;
}

/// Returns what the limits of this process leave (ulimit -v and -d).
int64_t availableInProcess() {
  int64_t least = Unlimited;
  auto ask = [&](decltype(RLIMIT_AS) which, const char *name) {
    rlimit limit;
    if (!getrlimit(which, &limit) && limit.rlim_cur < static_cast<rlim_t>(Unlimited))
      least = std::min(least, std::max<int64_t>(0, static_cast<int64_t>(limit.rlim_cur) -
                                                       readNumber("/proc/self/status", name, 1024)));
  };
  ask(RLIMIT_AS, "VmSize:");
  ask(RLIMIT_DATA, "VmData:");
  return least;
}

} // namespace

bool Loading::lacks(int64_t bytes, const char *what) {
  failure.set(
      COMM_GRAPH_ERR_MEMORY,
      format(
          "%s: error: not enough memory: process %d got none for %s, %lld bytes: run on more nodes, or raise the limit",
          request.name.c_str(), request.rank, what, static_cast<long long>(bytes)));
  return false;
}

void Loading::failExchange(int code, const char *what) {
  bool isMemory = code == COMM_REDUCE_ERR_MEMORY;
  failure.set(isMemory ? COMM_GRAPH_ERR_MEMORY : COMM_GRAPH_ERR_REDUCE,
              request.name + ": error: " + (isMemory ? "not enough memory to exchange " : "cannot exchange ") + what);
}

bool Loading::hasMemory(int64_t bytes) {
  // Small graphs are not worth the queries.
  if (bytes < int64_t(64) << 20)
    return true;
  MPI_Comm comm, node;
  comm_reduce_get_comm(reduce, &comm);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int processes;
  MPI_Comm_size(node, &processes);
  uint64_t group = 0;
  int64_t inGroup = availableInGroup(group);
  // Assume that processes share a group if all processes of the node are in the same one, and that none do otherwise.
  uint64_t ends[] = {group, ~group};
  MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_UINT64_T, MPI_MAX, node);
  MPI_Comm_free(&node);
  struct {
    int64_t there, sharers;
    const char *where;
  } limits[] = {{availableInProcess(), 1, "what its limits (ulimit) leave each process"},
                {inGroup, ends[0] == ~ends[1] ? processes : 1, "what the memory limit of its control group leaves"},
                {availableOnNode(), processes, "what is available on its node"}};
  for (const auto &limit : limits)
    if (bytes > limit.there / limit.sharers)
      failure.set(
          COMM_GRAPH_ERR_MEMORY,
          format("%s: error: not enough memory: %lld vertices and their edges take at least %lld bytes a process, "
                 "and %s is %lld bytes for %lld of them: run on more nodes, or raise the limit",
                 request.name.c_str(), static_cast<long long>(source->vertices), static_cast<long long>(bytes),
                 limit.where, static_cast<long long>(limit.there), static_cast<long long>(limit.sharers)));
  return !agree();
}

} // namespace comm::graph
