// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the two halves of the report share: the sites of this process, the hook
// that MPI_Finalize runs, and the writer of the file.

#ifndef COMM_RUNTIME_REPORT_SITES_H
#define COMM_RUNTIME_REPORT_SITES_H

#include "report/Table.h"

namespace comm::runtime {

/// Seconds of a monotonic clock.
double monotonicSeconds();

/// Adds the sites of this process: those that were executed, and all others
/// that the compiler put where they are found.
bool collectSites(Table &table);

/// Makes sure that MPI_Finalize writes a report; called when a site is used
/// for the first time. Local: no communication.
void ensureFinalizeHook();

/// What the report says about the run as a whole.
struct RunInfo {
  /// Number of ranks of MPI_COMM_WORLD, and of the machines they are on (0:
  /// not known).
  int ranks, nodes;
  /// The one rank this report covers, or -1: all ranks.
  int onlyRank;
  /// Seconds since 1970 (UTC), and from then to MPI_Finalize.
  int64_t startTime;
  double wallSeconds;
};

/// Writes the report as JSON (docs/report.md) to `path`. False with `errno`
/// set if that fails.
bool writeReport(const char *path, const Table &table, const RunInfo &run);

} // namespace comm::runtime

#endif // COMM_RUNTIME_REPORT_SITES_H
