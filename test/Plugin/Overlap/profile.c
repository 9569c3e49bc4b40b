// Decisions of a profile in the compiler, and clang's messages about useless profiles. (Which figures decide:
// test/Transforms/Overlap/profile-cost.mlir, unittests/Report.)
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %commcc -O2 -Rcomm -c code.c -o code.o 2>&1 | FileCheck code.c --check-prefix=ESTIMATED
// RUN: %commcc -O2 -Rcomm -fcomm-profile-use=profile.json -c code.c -o code.o 2>&1 | FileCheck code.c --check-prefix=PROFILED
// RUN: %commcc -O2 -fcomm-profile-use=profile.json -c code.c -o code.o 2>&1 | count 0
//
// A collective is nonblocking in the whole program or nowhere: the savings of its starts are compared with the cost of
// all its calls. Loops of the same depth decide if not all calls were measured.
// RUN: %commcc -O2 -S -emit-llvm collectives.c -o - | FileCheck %s --check-prefix=NOTE
// RUN: sed 's/TOTAL/40/' collectives.json > pays.json
// RUN: %commcc -O2 -fcomm-profile-use=pays.json -S -emit-llvm collectives.c -o - | FileCheck %s --check-prefix=NONE
// RUN: %commcc -O2 -DDEEPER -S -emit-llvm collectives.c -o - | FileCheck %s --check-prefix=NONE
// RUN: sed 's/TOTAL/4000/' collectives.json > pays-not.json
// RUN: %commcc -O2 -DDEEPER -Rcomm -fcomm-profile-use=pays-not.json -S -emit-llvm collectives.c -o pays-not.ll 2>&1 | FileCheck %s --check-prefix=PAYS-NOT
// RUN: FileCheck %s --check-prefix=NOTE < pays-not.ll
// PAYS-NOT: collectives.c:9:{{.*}}MPI_Allreduce stays blocking, in all of the program: in the profile its starts can save less than a nonblocking form costs all calls
// RUN: sed 's/"line": 4,/"line": 5,/' pays.json > part.json
// RUN: %commcc -O2 -fcomm-profile-use=part.json -S -emit-llvm collectives.c -o - 2>/dev/null | FileCheck %s --check-prefix=NOTE
// NOTE: @comm.note.comm_blocks_MPI_Allreduce =
// NONE-NOT: comm_blocks_
// NONE: define
//
// A profile of another version or program, an empty one, and none: the file compiles as without it, even with -Werror.
// RUN: sed 's/"line": 5,/"line": 4,/' profile.json > stale.json
// RUN: %commcc -O2 -Werror -fcomm-profile-use=stale.json -c code.c -o code.o 2>&1 | FileCheck %s --check-prefix=STALE --match-full-lines
//      STALE: code.c:5:3: warning: the profile does not know MPI_Recv at code.c:5; it was recorded with another version of code.c: estimates are used there [-fcomm-profile-use]
//  STALE-NOT: {{.}}
// RUN: sed 's/code.c/other.c/' profile.json > foreign.json
// RUN: %commcc -O2 -Werror -fcomm-profile-use=foreign.json -c code.c -o code.o 2>&1 | FileCheck %s --check-prefix=FOREIGN --match-full-lines
//      FOREIGN: code.c: warning: the profile has no call of this file: it was recorded with another program, or with one whose code.c was compiled without -fcomm-profile-generate [-fcomm-profile-use]
//  FOREIGN-NOT: {{.}}
// RUN: head -c 200 profile.json > cut.json && touch empty.json && mkdir empty
// RUN: %commcc -O2 -Werror -fcomm-profile-use=cut.json,empty.json,nowhere.json,empty,/dev/zero,other.json,code.o -c code.c -o broken.o 2>&1 | FileCheck %s --check-prefix=BROKEN
//      BROKEN: code.c: warning: the profile is ignored: cut.json: the file is not JSON, or is truncated: {{.*}} [-fcomm-profile-use]
// BROKEN-NEXT: code.c: warning: the profile is ignored: empty.json: the file is empty (did the program reach MPI_Finalize?)
// BROKEN-NEXT: code.c: warning: the profile is ignored: nowhere.json: No such file or directory
// BROKEN-NEXT: code.c: warning: the profile is ignored: empty: the folder has no file that ends in .json
// BROKEN-NEXT: code.c: warning: the profile is ignored: /dev/zero: it is not a regular file
// BROKEN-NEXT: code.c: warning: the profile is ignored: other.json: the file is not an interval report ('schema' is not 'comm-report')
// BROKEN-NEXT: code.c: warning: the profile is ignored: code.o: the file is not JSON, or is truncated: {{.*}}
//  BROKEN-NOT: warning
// RUN: %commcc -O2 -c code.c -o code.o && cmp code.o broken.o
//
// Calls that a profile lacks are reported for a few of each file, and counted.
// RUN: %commcc -O2 -fcomm-profile-use=many.json -c many.c -o many.o 2>&1 | FileCheck %s --check-prefix=MANY --match-full-lines
//      MANY: many.c:3:3: warning: the profile does not know MPI_Barrier at many.c:3; {{.*}}
// MANY-NEXT: many.c:4:3: warning: the profile does not know MPI_Barrier at many.c:4; {{.*}}
// MANY-NEXT: many.c:5:3: warning: the profile does not know MPI_Barrier at many.c:5; {{.*}}
// MANY-NEXT: many.c: warning: the profile does not know 2 more calls of this file [-fcomm-profile-use]
//  MANY-NOT: {{.}}
//
// Measuring code calls the functions of comm/report.h, and knows where to write.
// RUN: %commcc -O2 -fcomm-profile-generate=profiles/ -S -emit-llvm code.c -o - | FileCheck %s --check-prefix=GENERATE
// GENERATE-DAG: @comm.report.site{{.*}} section "comm_report_v3"
// GENERATE-DAG: c"profiles/\00"
// GENERATE: call {{.*}}@comm_report_enter

//--- code.c
#include <mpi.h>
void use(double *a), work(void);
// ESTIMATED: code.c:5:{{.*}}MPI_Recv at code.c:5 overlaps
void receive(double *a, double *restrict b, int n, int from) {
  MPI_Recv(a, n, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; ++i)
    b[i] = 2 * b[i] + 1;
  use(a);
}
// PROFILED: code.c:5:{{.*}}MPI_Recv stays blocking: its interval has nothing to hide: in the profile the call takes 20 ns on average, and its nonblocking form costs {{[0-9]+}} ns more
// ESTIMATED: code.c:14:{{.*}}MPI_Allreduce stays blocking: its interval hides at most
// PROFILED: code.c:14:{{.*}}MPI_Allreduce at code.c:14 overlaps
void reduce(long *restrict mine, long *restrict all, long *restrict x) {
  MPI_Allreduce(mine, all, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  x[0] = 3; x[17] = 5; x[34] = 6; x[51] = 7; x[68] = 8; x[85] = 9; x[102] = 1; x[119] = 2;
}
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  return MPI_Finalize();
}

//--- profile.json
{"schema": "comm-report", "version": 2,
 "run": {"program": "code", "ranks": 4, "nodes": 2, "runs": 1, "only_rank": null, "mode": null, "start_time": "now",
         "wall_seconds": 1},
 "sites": [
  {"mpi_call": "MPI_Recv", "function": "receive", "file": "code.c", "inlined_at": "", "line": 5, "column": 3, "ranks": 4,
   "executions": {"total": 40, "rank_min": 10, "rank_max": 10},
   "blocking_us": {"executions": 40, "mean": 0.02, "shortest": 0.01, "longest": 9, "rank_min": 0.01, "rank_max": 0.02}},
  {"mpi_call": "MPI_Allreduce", "function": "reduce", "file": "code.c", "inlined_at": "", "line": 14, "column": 3,
   "ranks": 4, "executions": {"total": 40, "rank_min": 10, "rank_max": 10},
   "blocking_us": {"executions": 40, "mean": 999, "shortest": 99, "longest": 9999, "rank_min": 999, "rank_max": 999}}]}

//--- other.json
{"schema": "comm-cdag", "version": 1}

//--- collectives.c
#include <mpi.h>
static long sum(long mine) {
  long all;
  MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  return all;
}
__attribute__((noinline)) static long first(long mine, double *x, int n) {
  long all;
  MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i)
    x[i] = 3 * x[i];
  return all;
}
long run(long mine, double *x, int n, int steps) {
  long all = mine;
#ifdef DEEPER
  for (int step = 0; step < steps; ++step)
    all = first(all, x, n);
  return sum(all);
#else
  all = first(all, x, n);
  for (int step = 0; step < steps; ++step)
    all = sum(all);
  return all;
#endif
}

//--- collectives.json
{"schema": "comm-report", "version": 2,
 "run": {"program": "collectives", "ranks": 4, "nodes": 2, "runs": 1, "only_rank": null, "mode": null,
         "start_time": "now", "wall_seconds": 1},
 "sites": [
  {"mpi_call": "MPI_Allreduce", "function": "run", "file": "collectives.c", "inlined_at": "", "line": 4, "column": 3,
   "ranks": 4, "executions": {"total": TOTAL, "rank_min": 10, "rank_max": 10},
   "blocking_us": {"executions": 40, "mean": 50, "shortest": 9, "longest": 99, "rank_min": 49, "rank_max": 51},
   "bytes": {"messages": 40, "sum": 320, "min": 8, "max": 8}},
  {"mpi_call": "MPI_Allreduce", "function": "first", "file": "collectives.c", "inlined_at": "", "line": 9, "column": 3,
   "ranks": 4, "executions": {"total": 40, "rank_min": 10, "rank_max": 10},
   "start_us": {"executions": 40, "mean": 1, "shortest": 1, "longest": 1, "rank_min": 1, "rank_max": 1},
   "interval_us": {"executions": 40, "mean": 90, "shortest": 1, "longest": 999, "rank_min": 9, "rank_max": 90},
   "wait_us": {"executions": 40, "mean": 1, "shortest": 1, "longest": 1, "rank_min": 1, "rank_max": 1},
   "bytes": {"messages": 40, "sum": 320, "min": 8, "max": 8}}]}

//--- many.c
#include <mpi.h>
void many(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_SELF);
}

//--- many.json
{"schema": "comm-report", "version": 2,
 "run": {"program": "many", "ranks": 4, "nodes": 2, "runs": 1, "only_rank": null, "mode": null, "start_time": "now",
         "wall_seconds": 1},
 "sites": [
  {"mpi_call": "MPI_Barrier", "function": "many", "file": "many.c", "inlined_at": "", "line": 8, "column": 3, "ranks": 0,
   "executions": {"total": 0, "rank_min": 0, "rank_max": 0}}]}
