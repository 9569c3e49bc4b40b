//===- Report.h - C API: interval reports ---------------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program that was built with -fcomm-report measured: how long each communication was in flight
// (docs/report.md). Nothing here needs a context. An error is a sentence in lower case.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_C_REPORT_H
#define COMM_C_REPORT_H

#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CommReport {
  void *ptr;
} CommReport;

/// The run that a report is of. Texts live as long as the report.
typedef struct CommReportRun {
  MlirStringRef program;   ///< as it was called on rank 0
  MlirStringRef mode;      ///< the mode that it was built with; empty if it does not say
  MlirStringRef startTime; ///< when MPI_Init returned, UTC, ISO 8601
  double wallSeconds;      ///< from then to MPI_Finalize, on rank 0
  int64_t ranks;           ///< size of MPI_COMM_WORLD
  int64_t onlyRank;        ///< the rank that the report covers; -1 if it covers all
} CommReportRun;

/// A call site. Durations are microseconds.
typedef struct CommReportSite {
  MlirStringRef call; ///< "MPI_Irecv"
  MlirStringRef function, file;
  int64_t line, column;                       ///< 0: unknown
  int64_t ranks;                              ///< that executed it
  int64_t executions;                         ///< of all ranks
  int64_t leastExecutions, mostExecutions;    ///< of one rank
  double meanInterval;                        ///< of all executions of all ranks
  double leastMeanInterval, mostMeanInterval; ///< averages of one rank, of those that executed it
  double shortestInterval;                    ///< of all executions; -1 if the report does not have it
} CommReportSite;
typedef void (*CommReportSiteCallback)(CommReportSite const *site, void *userData);

/// The report in a file. Null, after the callback got what is wrong, if there is none.
MLIR_CAPI_EXPORTED CommReport commReportLoad(MlirStringRef path, MlirStringCallback error, void *userData);
/// As commReportLoad, of a file's text.
MLIR_CAPI_EXPORTED CommReport commReportParse(MlirStringRef text, MlirStringCallback error, void *userData);
MLIR_CAPI_EXPORTED void commReportDestroy(CommReport report);

MLIR_CAPI_EXPORTED CommReportRun commReportGetRun(CommReport report);
MLIR_CAPI_EXPORTED intptr_t commReportGetNumSites(CommReport report);
/// In the order of the file: by file, line and column.
MLIR_CAPI_EXPORTED void commReportForEachSite(CommReport report, CommReportSiteCallback callback, void *userData);

#ifdef __cplusplus
}
#endif

#endif // COMM_C_REPORT_H
