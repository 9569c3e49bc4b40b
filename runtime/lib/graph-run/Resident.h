// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory use of all processes together, as the system reports it.
#ifndef COMM_RUNTIME_GRAPH_RUN_RESIDENT_H
#define COMM_RUNTIME_GRAPH_RUN_RESIDENT_H

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mpi.h>

namespace comm::graphrun {

/* Returns the sum of a line of /proc/self/status over all processes of MPI_COMM_WORLD, in bytes; 0 if the system does
 * not have it. Shared pages count for each process. Collective. */
inline int64_t residentBytes(const char *name) {
  long long kilobytes = 0;
  if (FILE *file = fopen("/proc/self/status", "r")) {
    char line[256];
    size_t length = strlen(name);
    while (fgets(line, sizeof line, file))
      if (!strncmp(line, name, length) && sscanf(line + length, ": %lld kB", &kilobytes) == 1)
        break;
    fclose(file);
  }
  int64_t mine = kilobytes * 1024, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/* Memory before the graph is loaded, peak while it is loaded, and peak of the whole run. */
struct Resident {
  int64_t start, load, run;
};

} // namespace comm::graphrun

#endif
