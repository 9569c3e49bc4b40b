// RUN: split-file %s %t
// RUN: %clang -std=c11 -Wall -Wextra -Werror -I%comm_include -isystem %llvm_include %t/read.c -L%comm_lib_dir -lCommC \
// RUN:   -Wl,-rpath,%comm_lib_dir -o %t/read
// RUN: %t/read %t/good.json | FileCheck %s --check-prefix=GOOD
// RUN: %t/read %t/old.json | FileCheck %s --check-prefix=OLD
// RUN: not %t/read %t/nowhere.json %t/empty.json %t/cut.json %t/other.json %t/later.json %t/negative.json %t/twice.json \
// RUN:   %t/list.json %t/missing.json %t/deep.json | FileCheck %s --check-prefix=BAD
// RUN: %commreport show %t/good.json | FileCheck %s --check-prefix=TOOL
//
// Interval reports, from C: what the program reads is what commreport shows, and a file that is none is refused.

// GOOD: ./heat extended 2026-11-23T10:00:00Z 4.5 4 -1
// GOOD-NEXT: 2 sites
// GOOD-NEXT: MPI_Irecv rows heat.c:35:3 4 ranks 336 (84 to 84) 2.5 (1.75 to 2.75) 0.5
// GOOD-NEXT: MPI_Isend "rows\" heat.c:37:3 4 ranks 336 (84 to 84) 5326.5 (2829 to 6498) 0.75
// OLD: ./heat  2026-11-23T10:00:00Z 4.5 4 2
// OLD-NEXT: 1 sites
// OLD-NEXT: 2.5 (1.75 to 2.75) -1
// BAD: nowhere.json: {{.*}}such file
// BAD-NEXT: empty.json: the file is empty (did the program reach MPI_Finalize?)
// BAD-NEXT: cut.json: the file is not JSON, or is truncated:
// BAD-NEXT: other.json: the file is no interval report ('schema' is not 'comm-report')
// BAD-NEXT: later.json: the report is not of version 1, which is the one that is known here
// BAD-NEXT: negative.json: 'line' of site 0 is not a count
// BAD-NEXT: twice.json: site 1 is there twice
// BAD-NEXT: list.json: 'sites' of the report is not a list
// BAD-NEXT: missing.json: 'run' has no 'mode'
// BAD-NEXT: deep.json: the file is nested too deeply
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

static void onSite(CommReportSite const *site, void *userData) {
  ++*(int *)userData;
  printf("%.*s %.*s %.*s:%d:%d %d ranks %d (%d to %d) %g (%g to %g) %g\n", (int)site->call.length, site->call.data,
         (int)site->function.length, site->function.data, (int)site->file.length, site->file.data, (int)site->line,
         (int)site->column, (int)site->ranks, (int)site->executions, (int)site->leastExecutions,
         (int)site->mostExecutions, site->meanInterval, site->leastMeanInterval, site->mostMeanInterval,
         site->shortestInterval);
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
    printf("%.*s %.*s %.*s %g %d %d\n", (int)run.program.length, run.program.data, (int)run.mode.length, run.mode.data,
           (int)run.startTime.length, run.startTime.data, run.wallSeconds, (int)run.ranks, (int)run.onlyRank);
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
//--- empty.json

//--- cut.json
{"schema": "comm-report", "version": 1,
//--- other.json
{"schema": "comm-cdag", "version": 1}
//--- later.json
{"schema": "comm-report", "version": 2}
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
