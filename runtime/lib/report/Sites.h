// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the two halves of the report: the sites of this process, the hook in MPI_Finalize, and the writer of the
// file.

#ifndef COMM_RUNTIME_REPORT_SITES_H
#define COMM_RUNTIME_REPORT_SITES_H

#include "report/Table.h"

namespace comm::runtime {

/// Returns the time of a monotonic clock in seconds.
double monotonicSeconds();

/// Adds all sites of this process: those that were executed, and those that the compiler placed in the section.
bool collectSites(Table &table);

/// Ensures that MPI_Finalize writes a report; called at the first use of a site. Local: no communication.
void ensureFinalizeHook();

/// Properties of the run as a whole.
struct RunInfo {
  /// Number of ranks of MPI_COMM_WORLD, and of their machines (0: not known).
  int ranks, nodes;
  /// The only rank that this report covers, or -1 for all.
  int onlyRank;
  /// Start time in seconds since 1970 (UTC), and the duration until MPI_Finalize.
  int64_t startTime;
  double wallSeconds;
};

/// Writes the report as JSON (docs/report.md) to `path`. On failure, returns false and sets `errno`.
bool writeReport(const char *path, const Table &table, const RunInfo &run);

} // namespace comm::runtime

#endif // COMM_RUNTIME_REPORT_SITES_H
