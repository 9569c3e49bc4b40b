/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The interval report: how long each nonblocking operation of an instrumented
 * program was in flight between its start and its wait, and how long the
 * program was in its calls of MPI.
 *
 * The compiler emits the calls (-fcomm-report, -fcomm-profile-generate); one
 * file a run is written in MPI_Finalize. See docs/report.md for the file. The
 * measure is that of "Automatic Code Motion to Extend MPI Nonblocking Overlap
 * Window" (2020), section 5: durations are collected on every process and
 * averaged.
 */
#ifndef COMM_REPORT_H
#define COMM_REPORT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COMM_REPORT_ABI_VERSION 3

/* How many numbers the runtime keeps of a site. */
#define COMM_REPORT_FIGURES 20

/*
 * One call site: static storage, one per instrumented operation and
 * translation unit. Sites that agree in mpi_call, function, file, line, column
 * and inlined_at are one row of the report. A site whose abi_version the
 * runtime does not know is left out, with one warning.
 *
 * The compiler puts sites into the section comm_report_v3, 8 bytes aligned, so
 * that the report also lists those that are never executed.
 */
typedef struct comm_report_site {
  uint32_t abi_version; /* COMM_REPORT_ABI_VERSION */
  uint32_t line, column;
  uint32_t registered; /* zero-initialized; private to the runtime */
  const char *mpi_call, *function, *file;
  const char *inlined_at; /* the calls that it was inlined at, innermost first: "main.c:12:5 < ..."; or "" */
  uint64_t figures[COMM_REPORT_FIGURES]; /* zero-initialized; private */
  struct comm_report_site *next;         /* zero-initialized; private */
} comm_report_site;

/*
 * Prepares the report of all ranks together. Called right after MPI_Init or
 * MPI_Init_thread returned, on every rank: collective over MPI_COMM_WORLD (it
 * makes a private duplicate). Further calls do nothing. Without this call each
 * rank that executed a site writes a file of its own.
 */
void comm_report_init(void);

/*
 * Names the file of the report, or the folder for files of any number of runs:
 * a name that ends in '/', or of a folder that is there. COMM_REPORT_FILE in
 * the environment comes first. The text stays where it is.
 */
void comm_report_file(const char *path);

/*
 * Called right before a call of MPI, a start or a blocking one. Returns the
 * current time in seconds of a monotonic clock; never 0. Any thread may call
 * this function and those that follow.
 */
double comm_report_enter(comm_report_site *site);

/*
 * Called right after the start of an operation. Returns the current time.
 */
double comm_report_begin(comm_report_site *site);

/*
 * As comm_report_begin, with what comm_report_enter returned before the start:
 * adds the time that the start took, and the bytes of the message; -1 if they
 * are not known.
 */
double comm_report_started(comm_report_site *site, double entered, int64_t bytes);

/*
 * Called right before the wait, with what comm_report_begin returned. Counts
 * one execution of the interval, and adds its duration. `begin` 0.0 says that
 * the start was not executed on this path (the request is MPI_REQUEST_NULL):
 * nothing is counted. Returns the current time, or 0.0 for 0.0.
 */
double comm_report_end(comm_report_site *site, double begin);

/*
 * Called right before a wait that comes after others, before which the
 * interval ended: with what comm_report_end returned. Returns the current
 * time, or 0.0 for 0.0.
 */
double comm_report_turn(comm_report_site *site, double ended);

/*
 * Called right after the wait, with what comm_report_end or comm_report_turn
 * returned before it: adds what was still to be waited for. Nothing for 0.0.
 */
void comm_report_waited(comm_report_site *site, double entered);

/*
 * Called right after a blocking call, with what comm_report_enter returned
 * before it: counts one execution of the blocking form. Bytes as above. Nothing
 * for 0.0: another call of the same place was executed instead.
 */
void comm_report_blocked(comm_report_site *site, double entered, int64_t bytes);

#ifdef MPI_VERSION
/* MPI_Type_size, and 0 where that fails. */
int64_t comm_report_size(MPI_Datatype datatype);
#endif

#ifdef __cplusplus
}
#endif

#endif /* COMM_REPORT_H */
