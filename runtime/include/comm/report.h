/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The interval report: how long each nonblocking operation of an instrumented program was in flight between its start
 * and its wait, and how long the program spent in its MPI calls.
 *
 * The compiler emits the calls (-fcomm-report, -fcomm-profile-generate); MPI_Finalize writes one file per run, which
 * docs/report.md describes. The measure is that of "Automatic Code Motion to Extend MPI Nonblocking Overlap Window"
 * (2020), section 5: durations are collected on every process and averaged.
 */
#ifndef COMM_REPORT_H
#define COMM_REPORT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COMM_REPORT_ABI_VERSION 3

/* Number of figures that the runtime keeps per site. */
#define COMM_REPORT_FIGURES 20

/*
 * A call site in static storage, one per instrumented operation and translation unit. Sites with the same mpi_call,
 * function, file, line, column and inlined_at are one row of the report. Sites with an unknown abi_version are omitted,
 * with one warning.
 *
 * The compiler puts sites into the section comm_report_v3, 8-byte aligned, so the report also lists those that are
 * never executed.
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
 * Prepares a joint report of all ranks. Called right after MPI_Init or MPI_Init_thread on every rank: collective over
 * MPI_COMM_WORLD (it makes a private duplicate). Further calls do nothing. Without this call, each rank that executed a
 * site writes its own file.
 */
void comm_report_init(void);

/*
 * Sets the report's file, or a folder for the files of any number of runs: a name that ends in '/', or an existing
 * folder. COMM_REPORT_FILE in the environment takes precedence. The text must stay valid.
 */
void comm_report_file(const char *path);

/*
 * Called right before an MPI call, a start or a blocking one. Returns the current time of a monotonic clock in seconds;
 * never 0. Any thread may call this function and those below.
 */
double comm_report_enter(comm_report_site *site);

/*
 * Called right after the start of an operation. Returns the current time.
 */
double comm_report_begin(comm_report_site *site);

/*
 * Like comm_report_begin, with the result of comm_report_enter before the start: adds the duration of the start, and
 * the bytes of the message; -1 if they are unknown.
 */
double comm_report_started(comm_report_site *site, double entered, int64_t bytes);

/*
 * Called right before the wait, with the result of comm_report_begin. Counts one execution of the interval, and adds
 * its duration. `begin` is 0.0 if the start was not executed on this path (the request is MPI_REQUEST_NULL): nothing is
 * counted. Returns the current time, or 0.0 for 0.0.
 */
double comm_report_end(comm_report_site *site, double begin);

/*
 * Called right before a wait that follows others, before which the interval ended, with the result of comm_report_end.
 * Returns the current time, or 0.0 for 0.0.
 */
double comm_report_turn(comm_report_site *site, double ended);

/*
 * Called right after the wait, with the result of comm_report_end or comm_report_turn before it: adds the remaining
 * waiting time. Does nothing for 0.0.
 */
void comm_report_waited(comm_report_site *site, double entered);

/*
 * Called right after a blocking call, with the result of comm_report_enter before it: counts one execution of the
 * blocking form. Bytes as above. Does nothing for 0.0: another call at the same place was executed instead.
 */
void comm_report_blocked(comm_report_site *site, double entered, int64_t bytes);

#ifdef MPI_VERSION
/* Returns MPI_Type_size, or 0 if that fails. */
int64_t comm_report_size(MPI_Datatype datatype);
#endif

#ifdef __cplusplus
}
#endif

#endif /* COMM_REPORT_H */
