/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The interval report: how long each nonblocking operation of an instrumented
 * program was in flight between its start and its wait.
 *
 * The compiler emits the calls (-fcomm-report); one file a run is written in
 * MPI_Finalize. See docs/report.md for the file. The measure is that of
 * "Automatic Code Motion to Extend MPI Nonblocking Overlap Window" (2020),
 * section 5: durations are collected on every process and averaged.
 */
#ifndef COMM_REPORT_H
#define COMM_REPORT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COMM_REPORT_ABI_VERSION 2

/*
 * One call site: static storage, one per instrumented operation and
 * translation unit. Sites that agree in mpi_call, function, file, line and
 * column are one row of the report. A site whose abi_version the runtime does
 * not know is left out, with one warning.
 */
typedef struct comm_report_site {
  uint32_t abi_version; /* COMM_REPORT_ABI_VERSION */
  uint32_t line, column;
  uint32_t registered; /* zero-initialized; private to the runtime */
  const char *mpi_call, *function, *file;
  uint64_t executions;           /* zero-initialized */
  double seconds;                /* zero-initialized; sum over executions of (end - begin) */
  uint64_t shortest;             /* zero-initialized; private: encodes the shortest execution */
  struct comm_report_site *next; /* zero-initialized; private */
} comm_report_site;

/*
 * Prepares the report of all ranks together. Called right after MPI_Init or
 * MPI_Init_thread returned, on every rank: collective over MPI_COMM_WORLD (it
 * makes a private duplicate). Further calls do nothing. Without this call each
 * rank that executed a site writes a file of its own.
 */
void comm_report_init(void);

/*
 * Called right after the start of an operation. Returns the current time in
 * seconds of a monotonic clock; never 0. Any thread may call it.
 */
double comm_report_begin(comm_report_site *site);

/*
 * Called right before the wait, with what comm_report_begin returned. Counts
 * one execution, adds its duration, and keeps it if it is the site's shortest.
 * `begin` 0.0 says that the start was not executed on this path (the request
 * is MPI_REQUEST_NULL): nothing is counted. Any thread may call it.
 */
void comm_report_end(comm_report_site *site, double begin);

#ifdef __cplusplus
}
#endif

#endif /* COMM_REPORT_H */
