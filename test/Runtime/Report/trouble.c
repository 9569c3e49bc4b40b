// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If no report, or no common one, can be written, the program ends normally, with at most one message per
// rank.
//
// RUN: rm -rf %t.dir && mkdir -p %t.dir/folder.json
// RUN: %mpicc -g -O1 -I%comm_runtime_include %s %comm_runtime_lib -o %t
//
// A file that cannot be written; the exit code is the program's.
// RUN: env COMM_REPORT_FILE=%t.dir/none/r.json %mpirun -n 2 %t > %t.1 2>&1
// RUN: FileCheck %s --check-prefix=NODIR --match-full-lines < %t.1
// NODIR: comm: warning: cannot write the interval report '{{.*}}none/r.json': No such file or directory; set COMM_REPORT_FILE to a file that can be written
// NODIR-NOT: comm:
// RUN: env COMM_REPORT_FILE=%t.dir/folder.json %mpirun -n 1 %t > %t.2 2>&1
// RUN: FileCheck %s --check-prefix=FOLDER < %t.2
// FOLDER: folder.json': Is a directory
// RUN: env COMM_REPORT_FILE=/dev/full %mpirun -n 1 %t > %t.3 2>&1
// RUN: FileCheck %s --check-prefix=FULL < %t.3
// FULL: /dev/full': No space left on device
// RUN: not env COMM_REPORT_FILE=%t.dir/exit.json %mpirun -n 1 %t exit 7 > %t.4 2>&1
// RUN: ls %t.dir/exit.json
// RUN: sh -c 'COMM_REPORT_FILE=/dev/full %mpirun -n 1 %t exit 7; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=CODE
// CODE: code 7
//
// MPI_Init was compiled without it: a file and a warning for each rank that used a site (here rank 1 does not), and no
// rank waits.
// RUN: env COMM_REPORT_FILE=%t.dir/own.json %mpirun -n 3 %t noinit > %t.5 2>&1
// RUN: FileCheck %s --check-prefix=NOINIT < %t.5
// NOINIT-COUNT-2: comm: warning: the interval report of rank {{[02]}} is in a file of its own, '{{.*}}own.{{[02]}}.json'
// NOINIT-NOT: comm:
// RUN: ls %t.dir | FileCheck %s --check-prefix=OWN
// OWN-NOT: own.1.json
// OWN: own.0.json
// OWN-NEXT: own.2.json
// OWN-NOT: own.json
// RUN: FileCheck %s --check-prefix=ONLY < %t.dir/own.2.json
// ONLY: "ranks": 3,
// ONLY-NEXT: "nodes": null,
// ONLY-NEXT: "runs": 1,
// ONLY-NEXT: "only_rank": 2,
// ONLY-NEXT: "mode": null,
// ONLY: "executions": {"total": 1, "rank_min": 1, "rank_max": 1}
//
// The same on request, if not all programs of the run are instrumented.
// RUN: env COMM_REPORT_PER_RANK=1 COMM_REPORT_FILE=%t.dir/mixed.json %mpirun -n 1 %t : -n 1 %t plain > %t.6 2>&1
// RUN: FileCheck %s --check-prefix=MIXED --allow-empty < %t.6
// MIXED-NOT: comm:
// RUN: ls %t.dir/mixed.0.json && not ls %t.dir/mixed.1.json
//
// No MPI_Finalize, or an abort: no file.
// RUN: rm -f %t.dir/*.json || true
// RUN: not env COMM_REPORT_FILE=%t.dir/abort.json %mpirun -n 2 %t abort > %t.7 2>&1
// RUN: env COMM_REPORT_FILE=%t.dir/never.json timeout 60 %t never > %t.8 2>&1
// RUN: FileCheck %s --check-prefix=NEVER --allow-empty < %t.8
// NEVER-NOT: comm:
// RUN: not ls %t.dir/abort.json
// RUN: not ls %t.dir/never.json
//
// Sites for another version of the interface. Those of version 1 are shorter: nothing is written after them.
// RUN: env COMM_REPORT_FILE=%t.dir/version.json %mpirun -n 1 %t version > %t.9 2>&1
// RUN: FileCheck %s --check-prefix=VERSION < %t.9
// VERSION: comm: warning: the interval report leaves out a call compiled for version 99 of its interface, this runtime has version 3: compile the program again
// VERSION-NOT: comm:
// RUN: FileCheck %s --check-prefix=EMPTY < %t.dir/version.json
// EMPTY: "sites": []
// RUN: env COMM_REPORT_FILE=%t.dir/old.json %mpirun -n 1 %t old > %t.10 2>&1
// RUN: FileCheck %s --check-prefix=OLD < %t.10
// OLD: comm: warning: the interval report leaves out a call compiled for version 1 of its interface, this runtime has version 3: compile the program again
// OLD-NOT: {{comm:|written}}
// RUN: FileCheck %s --check-prefix=EMPTY < %t.dir/old.json

#include "Inputs/site.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* comm_report_site of version 1, and memory that may follow it. */
static struct {
  uint32_t abi_version, line, column, registered;
  const char *mpi_call, *function, *file;
  uint64_t executions;
  double seconds;
  void *next;
  uint64_t behind[4];
} old = {1, 13, 3, 0, "MPI_Barrier", "main", "dir/solver.c", 0, 0., 0, {0, 0, 0, 0}};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const char *mode = argc > 1 ? argv[1] : "";
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(mode, "noinit") != 0 && strcmp(mode, "plain") != 0)
    comm_report_init();
  SITE(site, "MPI_Barrier", 12);
  if (strcmp(mode, "version") == 0)
    site.abi_version = 99;
  if (strcmp(mode, "old") == 0) {
    pretend((comm_report_site *)&old, 1);
    pretend((comm_report_site *)&old, 1);
    for (int i = 0; i < 4; ++i)
      if (old.behind[i] || old.next || old.executions || old.seconds)
        printf("a site of version 1 was written\n");
  } else if (strcmp(mode, "plain") != 0 && rank != 1)
    overlap(&site, 10, MPI_COMM_SELF);
  if (strcmp(mode, "abort") == 0 && rank == 1)
    MPI_Abort(MPI_COMM_WORLD, 3);
  if (strcmp(mode, "never") == 0)
    _exit(0);
  MPI_Finalize();
  return strcmp(mode, "exit") == 0 ? atoi(argv[2]) : 0;
}
