//===- Report.h - C API: interval reports ---------------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program that was built with -fcomm-report or -fcomm-profile-generate measured: how long each communication was
// in flight, and waited for (docs/report.md). Nothing here needs a context. An error is a sentence in lower case.
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
  int64_t nodes;           ///< that the ranks were on; 0 if the report does not say
  int64_t runs;            ///< of how many runs it is the sum
} CommReportRun;

/// Durations of several executions, in microseconds. Without executions they were not measured.
typedef struct CommReportDurations {
  int64_t executions;         ///< of all ranks
  double mean;                ///< of all executions of all ranks
  double shortest, longest;   ///< of all executions; -1 if the report does not have it
  double leastMean, mostMean; ///< averages of one rank, of those that have any
} CommReportDurations;

/// Bytes of messages, as their counts and datatypes say. Without messages they are not known.
typedef struct CommReportBytes {
  int64_t messages, sum, least, most;
} CommReportBytes;

/// A call site. Texts live as long as the report.
typedef struct CommReportSite {
  MlirStringRef call; ///< "MPI_Irecv"
  MlirStringRef function, file;
  MlirStringRef inlinedAt;                 ///< calls that it was inlined at, innermost first: "main.c:12:5"; or empty
  int64_t line, column;                    ///< 0: unknown
  int64_t ranks;                           ///< that executed it
  int64_t executions;                      ///< of all ranks
  int64_t leastExecutions, mostExecutions; ///< of one rank
  CommReportDurations start;               ///< of the nonblocking form
  CommReportDurations interval;            ///< from the start to the wait
  CommReportDurations wait;                ///< what was still waited for
  CommReportDurations blocking;            ///< the blocking form
  CommReportBytes bytes;
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
