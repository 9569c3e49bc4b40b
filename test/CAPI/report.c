// RUN: split-file %s %t
// RUN: %clang -std=c11 -Wall -Wextra -Werror -I%comm_include -isystem %llvm_include %t/read.c -L%comm_lib_dir -lCommC \
// RUN:   -Wl,-rpath,%comm_lib_dir -o %t/read
// RUN: %t/read %t/good.json | FileCheck %s --check-prefix=GOOD
// RUN: %t/read %t/old.json | FileCheck %s --check-prefix=OLD
// RUN: %t/read %t/profile.json | FileCheck %s --check-prefix=PROFILE
// RUN: not %t/read %t/nowhere.json %t/empty.json %t/cut.json %t/other.json %t/later.json %t/negative.json %t/twice.json \
// RUN:   %t/list.json %t/missing.json %t/deep.json %t/text.json | FileCheck %s --check-prefix=BAD
// RUN: %commreport show %t/good.json | FileCheck %s --check-prefix=TOOL
//
// Interval reports, from C: the program reads the values that commreport shows; other files are rejected.

// GOOD: ./heat extended 2026-11-23T10:00:00Z 4.5 4 -1; 0 nodes, 1 runs
// GOOD-NEXT: 2 sites
// GOOD-NEXT: MPI_Irecv rows heat.c:35:3 4 ranks 336 (84 to 84) interval 336 * 2.5 (1.75 to 2.75) from 0.5 to -1
// GOOD-NEXT: MPI_Isend "rows\" heat.c:37:3 4 ranks 336 (84 to 84) interval 336 * 5326.5 (2829 to 6498) from 0.75 to -1
// OLD: ./heat  2026-11-23T10:00:00Z 4.5 4 2; 0 nodes, 1 runs
// OLD-NEXT: 1 sites
// OLD-NEXT: interval 336 * 2.5 (1.75 to 2.75) from -1 to -1
// PROFILE: ./heat  2026-11-23T10:00:00Z 4.5 4 -1; 2 nodes, 3 runs
// PROFILE-NEXT: 3 sites
// PROFILE-NEXT: MPI_Bcast main heat.c:30:3 4 ranks 12 (3 to 3) in main.c:9:5 interval 8 * 2 (1 to 3) from 0.5 to 4 start 8 * 20 (10 to 30) from 5 to 40 wait 8 * 200 (100 to 300) from 50 to 400 blocking 4 * 2000 (1000 to 3000) from 500 to 4000 bytes 96/12 (8 to 8){{$}}
// PROFILE-NEXT: MPI_Bcast main heat.c:30:3 0 ranks 0 (0 to 0) in main.c:10:5{{$}}
// PROFILE-NEXT: MPI_Barrier main heat.c:31:3 4 ranks 4 (1 to 1) blocking 4 * 1 (1 to 1) from 1 to 1{{$}}
// BAD: nowhere.json: {{.*}}such file
// BAD-NEXT: empty.json: the file is empty (did the program reach MPI_Finalize?)
// BAD-NEXT: cut.json: the file is not JSON, or is truncated:
// BAD-NEXT: other.json: the file is not an interval report ('schema' is not 'comm-report')
// BAD-NEXT: later.json: the report is not of version 1 or 2, the versions that this reader supports
// BAD-NEXT: negative.json: 'line' of site 0 is not a count
// BAD-NEXT: twice.json: site 1 is there twice
// BAD-NEXT: list.json: 'sites' of the report is not a list
// BAD-NEXT: missing.json: 'run' has no 'mode'
// BAD-NEXT: deep.json: the file is nested too deeply
// BAD-NEXT: text.json: 'mean' of site 0 is not a duration
// TOOL: 4 ranks, mode extended
// TOOL: MPI_Irecv{{ +}}heat.c{{ +}}35{{ +}}336{{ +}}2.50

//--- read.c
#include "comm-c/Report.h"

#include <stdio.h>

static void printLine(MlirStringRef text, void *userData) {
  (void)userData;
  // Without the folder.
  const char *name = text.data;
  for (size_t i = 0; i < text.length && text.data[i] != ':'; ++i)
    if (text.data[i] == '/')
      name = text.data + i + 1;
  printf("%.*s\n", (int)(text.data + text.length - name), name);
}

static void printDurations(const char *name, CommReportDurations const *durations) {
  if (durations->executions)
    printf(" %s %d * %g (%g to %g) from %g to %g", name, (int)durations->executions, durations->mean,
           durations->leastMean, durations->mostMean, durations->shortest, durations->longest);
}

static void onSite(CommReportSite const *site, void *userData) {
  ++*(int *)userData;
  printf("%.*s %.*s %.*s:%d:%d %d ranks %d (%d to %d)", (int)site->call.length, site->call.data,
         (int)site->function.length, site->function.data, (int)site->file.length, site->file.data, (int)site->line,
         (int)site->column, (int)site->ranks, (int)site->executions, (int)site->leastExecutions,
         (int)site->mostExecutions);
  if (site->inlinedAt.length)
    printf(" in %.*s", (int)site->inlinedAt.length, site->inlinedAt.data);
  printDurations("interval", &site->interval);
  printDurations("start", &site->start);
  printDurations("wait", &site->wait);
  printDurations("blocking", &site->blocking);
  if (site->bytes.messages)
    printf(" bytes %d/%d (%d to %d)", (int)site->bytes.sum, (int)site->bytes.messages, (int)site->bytes.least,
           (int)site->bytes.most);
  printf("\n");
}

int main(int argc, char **argv) {
  int failed = 0;
  for (int i = 1; i < argc; ++i) {
    CommReport report = commReportLoad(mlirStringRefCreateFromCString(argv[i]), printLine, NULL);
    if (!report.ptr) {
      failed = 1;
      continue;
    }
    CommReportRun run = commReportGetRun(report);
    printf("%.*s %.*s %.*s %g %d %d; %d nodes, %d runs\n", (int)run.program.length, run.program.data, (int)run.mode.length, run.mode.data,
           (int)run.startTime.length, run.startTime.data, run.wallSeconds, (int)run.ranks, (int)run.onlyRank,
           (int)run.nodes, (int)run.runs);
    printf("%d sites\n", (int)commReportGetNumSites(report));
    int count = 0;
    commReportForEachSite(report, onSite, &count);
    failed |= count != commReportGetNumSites(report);
    commReportDestroy(report);
  }
  return failed;
}

//--- good.json
{"schema": "comm-report", "version": 1,
 "run": {"program": "./heat", "ranks": 4, "only_rank": null, "mode": "extended", "start_time": "2026-11-23T10:00:00Z",
         "wall_seconds": 4.5},
 "sites": [
  {"mpi_call": "MPI_Irecv", "function": "rows", "file": "heat.c", "line": 35, "column": 3, "ranks": 4,
   "executions": {"total": 336, "rank_min": 84, "rank_max": 84},
   "interval_us": {"mean": 2.5, "shortest": 0.5, "rank_min": 1.75, "rank_max": 2.75}},
  {"mpi_call": "MPI_Isend", "function": "\"rows\\\"", "file": "heat.c", "line": 37, "column": 3, "ranks": 4,
   "executions": {"total": 336, "rank_min": 84, "rank_max": 84},
   "interval_us": {"mean": 5326.5, "shortest": 0.75, "rank_min": 2829, "rank_max": 6498}}]}
//--- old.json
{"schema": "comm-report", "version": 1,
 "run": {"program": "./heat", "ranks": 4, "only_rank": 2, "mode": null, "start_time": "2026-11-23T10:00:00Z",
         "wall_seconds": 4.5},
 "sites": [
  {"mpi_call": "MPI_Irecv", "function": "rows", "file": "heat.c", "line": 35, "column": 3, "ranks": 4,
   "executions": {"total": 336, "rank_min": 84, "rank_max": 84},
   "interval_us": {"mean": 2.5, "rank_min": 1.75, "rank_max": 2.75}}]}
//--- profile.json
{"schema": "comm-report", "version": 2,
 "run": {"program": "./heat", "ranks": 4, "nodes": 2, "runs": 3, "only_rank": null, "mode": null,
         "start_time": "2026-11-23T10:00:00Z", "wall_seconds": 4.5},
 "sites": [
  {"mpi_call": "MPI_Bcast", "function": "main", "file": "heat.c", "inlined_at": "main.c:9:5", "line": 30, "column": 3,
   "ranks": 4, "executions": {"total": 12, "rank_min": 3, "rank_max": 3},
   "start_us": {"executions": 8, "mean": 20, "shortest": 5, "longest": 40, "rank_min": 10, "rank_max": 30},
   "interval_us": {"executions": 8, "mean": 2, "shortest": 0.5, "longest": 4, "rank_min": 1, "rank_max": 3},
   "wait_us": {"executions": 8, "mean": 200, "shortest": 50, "longest": 400, "rank_min": 100, "rank_max": 300},
   "blocking_us": {"executions": 4, "mean": 2000, "shortest": 500, "longest": 4000, "rank_min": 1000, "rank_max": 3000},
   "bytes": {"messages": 12, "sum": 96, "min": 8, "max": 8}},
  {"mpi_call": "MPI_Bcast", "function": "main", "file": "heat.c", "inlined_at": "main.c:10:5", "line": 30, "column": 3,
   "ranks": 0, "executions": {"total": 0, "rank_min": 0, "rank_max": 0}},
  {"mpi_call": "MPI_Barrier", "function": "main", "file": "heat.c", "inlined_at": "", "line": 31, "column": 3,
   "ranks": 4, "executions": {"total": 4, "rank_min": 1, "rank_max": 1},
   "blocking_us": {"executions": 4, "mean": 1, "shortest": 1, "longest": 1, "rank_min": 1, "rank_max": 1}}]}
//--- text.json
{"schema": "comm-report", "version": 2,
 "run": {"program": "./heat", "ranks": 4, "nodes": null, "runs": 3, "only_rank": null, "mode": null,
         "start_time": "2026-11-23T10:00:00Z", "wall_seconds": 4.5},
 "sites": [
  {"mpi_call": "MPI_Barrier", "function": "main", "file": "heat.c", "inlined_at": "", "line": 31, "column": 3,
   "ranks": 4, "executions": {"total": 4, "rank_min": 1, "rank_max": 1},
   "blocking_us": {"executions": 4, "mean": "1", "shortest": 1, "longest": 1, "rank_min": 1, "rank_max": 1}}]}
//--- empty.json

//--- cut.json
{"schema": "comm-report", "version": 1,
//--- other.json
{"schema": "comm-cdag", "version": 1}
//--- later.json
{"schema": "comm-report", "version": 3}
//--- negative.json
{"schema": "comm-report", "version": 1,
 "run": {"program": "./heat", "ranks": 4, "only_rank": null, "mode": null, "start_time": "", "wall_seconds": 4.5},
 "sites": [
  {"mpi_call": "MPI_Irecv", "function": "rows", "file": "heat.c", "line": -35, "column": 3, "ranks": 4,
   "executions": {"total": 336, "rank_min": 84, "rank_max": 84},
   "interval_us": {"mean": 2.5, "rank_min": 1.75, "rank_max": 2.75}}]}
//--- twice.json
{"schema": "comm-report", "version": 1,
 "run": {"program": "./heat", "ranks": 4, "only_rank": null, "mode": null, "start_time": "", "wall_seconds": 4.5},
 "sites": [
  {"mpi_call": "MPI_Irecv", "function": "rows", "file": "heat.c", "line": 35, "column": 3, "ranks": 4,
   "executions": {"total": 336, "rank_min": 84, "rank_max": 84},
   "interval_us": {"mean": 2.5, "rank_min": 1.75, "rank_max": 2.75}},
  {"mpi_call": "MPI_Irecv", "function": "rows", "file": "heat.c", "line": 35, "column": 3, "ranks": 4,
   "executions": {"total": 336, "rank_min": 84, "rank_max": 84},
   "interval_us": {"mean": 2.5, "rank_min": 1.75, "rank_max": 2.75}}]}
//--- list.json
{"schema": "comm-report", "version": 1,
 "run": {"program": "./heat", "ranks": 4, "only_rank": null, "mode": null, "start_time": "", "wall_seconds": 4.5},
 "sites": 3}
//--- missing.json
{"schema": "comm-report", "version": 1,
 "run": {"program": "./heat", "ranks": 4, "only_rank": null, "start_time": "", "wall_seconds": 4.5}, "sites": []}
//--- deep.json
[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
