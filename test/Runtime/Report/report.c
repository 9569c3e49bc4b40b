// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file per run, from all ranks: sites of several files, sites that only some ranks execute, merged sites,
// averages.
//
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: %mpicc -g -O1 -I%comm_runtime_include %s %S/Inputs/other.c %comm_runtime_lib -o %t
// RUN: cd %t.dir && env -u COMM_REPORT_FILE %mpirun -n 2 %t > out.txt 2>&1
// RUN: FileCheck %s --check-prefix=OUT --allow-empty < %t.dir/out.txt
// RUN: ls %t.dir | FileCheck %s --check-prefix=LS
// RUN: FileCheck %s < %t.dir/comm-report.json
// RUN: %python %S/Inputs/validate.py %t.dir/comm-report.json 2
//
// At 1 and 4 ranks, into a file of another name, with a comma as the decimal
// point in the program.
// RUN: env COMM_REPORT_FILE=%t.one.json %mpirun -n 1 %t locale
// RUN: %python %S/Inputs/validate.py %t.one.json 1
// RUN: env COMM_REPORT_FILE=%t.four.json %mpirun -n 4 %t
// RUN: %python %S/Inputs/validate.py %t.four.json 4

// OUT-NOT: {{.}}
// LS: comm-report.json
// LS-NEXT: out.txt
// LS-NOT: {{.}}

// CHECK: "schema": "comm-report",
// CHECK-NEXT: "version": 2,
// CHECK-NEXT: "run": {
// CHECK-NEXT: "program": "{{.*}}report.c.tmp",
// CHECK-NEXT: "ranks": 2,
// CHECK-NEXT: "nodes": 1,
// CHECK-NEXT: "runs": 1,
// CHECK-NEXT: "only_rank": null,
// CHECK-NEXT: "mode": "extended",
// CHECK-NEXT: "start_time": "20{{[0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]}}Z",
// CHECK-NEXT: "wall_seconds": {{[0-9]+\.[0-9]+}}
// CHECK-NEXT: },
// CHECK-NEXT: "sites": [
// CHECK: "mpi_call": "MPI_Allreduce",
// CHECK-NEXT: "function": "onlySome",
// CHECK-NEXT: "file": "dir/solver.c",
// CHECK-NEXT: "inlined_at": "",
// CHECK-NEXT: "line": 20,
// CHECK-NEXT: "column": 3,
// CHECK-NEXT: "ranks": 1,
// CHECK-NEXT: "executions": {"total": 5, "rank_min": 0, "rank_max": 5},
// CHECK: "mpi_call": "MPI_Barrier",
// CHECK-NEXT: "function": "shared",
// CHECK-NEXT: "file": "dir/solver.c",
// CHECK-NEXT: "inlined_at": "",
// CHECK-NEXT: "line": 30,
// CHECK-NEXT: "column": 3,
// CHECK-NEXT: "ranks": 2,
// CHECK-NEXT: "executions": {"total": 10, "rank_min": 5, "rank_max": 5},
// CHECK: "mpi_call": "odd \"name\" \\ \u0001 \ufffd é",

#include "Inputs/site.h"
#include <locale.h>

void other(void);

/* Merged with the site of the other file. */
static void shared(void) {
  SITE(site, "MPI_Barrier", 30);
  overlap(&site, 1000, MPI_COMM_WORLD);
}

/* Only the last rank comes here. */
static void onlySome(void) {
  SITE(site, "MPI_Allreduce", 20);
  for (int i = 0; i < 5; ++i)
    overlap(&site, 500, MPI_COMM_SELF);
}

static void oddName(void) {
  SITE(site, "odd \"name\" \\ \001 \xff \xc3\xa9", 40);
  overlap(&site, 1, MPI_COMM_WORLD);
}

/* Begun or not started, but never ended: not in the report. */
static void neverEnded(void) {
  SITE(begun, "MPI_Bcast", 50);
  comm_report_begin(&begun);
  SITE(notStarted, "MPI_Bcast", 51);
  comm_report_end(&notStarted, 0.0);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  comm_report_init();
  comm_report_init();
  if (argc > 1)
    setlocale(LC_ALL, "de_DE.UTF-8");
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  other();
  shared();
  shared();
  if (rank == ranks - 1)
    onlySome();
  oddName();
  neverEnded();
  MPI_Finalize();
  return 0;
}
