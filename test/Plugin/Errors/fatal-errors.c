// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -fcomm-errors-are-fatal: checks of error codes are dead code, so they neither keep calls blocking nor end intervals.
// Without it they are in a second version, which runs if another file may install an error handler; if this file does
// they stay.
//
// RUN: commcc -O2 -g -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=FATAL
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=VERSIONS
// RUN: commcc -O2 -g -fcomm-errors-are-fatal -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=FATAL
// RUN: llvm-nm --undefined-only %t.o | FileCheck %s --check-prefix=CALLS
// RUN: commcc -O2 -g -fcomm-errors-are-fatal -DHANDLER=MPI_Comm_set_errhandler -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECKED,HANDLER -DCALLED=MPI_Comm_set_errhandler
// RUN: commcc -O2 -g -fcomm-errors-are-fatal -DHANDLER=PMPI_Comm_set_errhandler -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECKED,HANDLER -DCALLED=PMPI_Comm_set_errhandler
// RUN: llvm-nm --undefined-only %t.o | FileCheck %s --check-prefix=KEPT
// RUN: env COMM_ERRORS_ARE_FATAL=1 commcc -O2 -g -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=FATAL
// RUN: not env COMM_ERRORS_ARE_FATAL=often commcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not commcc -O2 -fcomm-errors-are-fatal=yes -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=OPTION

// HANDLER: fatal-errors.c: warning: Comm leaves error codes as they are: -fcomm-errors-are-fatal cannot be combined with [[CALLED]] in line [[#]] [-Rcomm]
// CHECKED: fatal-errors.c:[[#]]:[[#]]: remark: MPI_Allreduce stays blocking: its error code is used immediately (-fcomm-errors-are-fatal promises that there are no errors)
// FATAL-NOT: stays blocking
// FATAL: remark: MPI_Allreduce at fatal-errors.c:[[#]] overlaps {{[12]}} loop
// FATAL-NOT: stays blocking

// Code that reads a file's error codes stays: their handler is MPI_ERRORS_RETURN.
// CALLS-DAG: MPI_Iallreduce
// CALLS-DAG: puts
// CALLS-NOT: fprintf

// KEPT: fprintf

// VERSIONS-DAG: U fprintf
// VERSIONS-DAG: comm_overlap.comm_error_codes
// VERSIONS-DAG: U MPI_Iallreduce
// VERSIONS-DAG: t sum.comm.original

// BAD: error: comm: invalid value 'often' for environment variable COMM_ERRORS_ARE_FATAL; valid values are 0 and 1
// OPTION: unknown option '-fcomm-errors-are-fatal=yes'

#include <mpi.h>
#include <stdio.h>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    int code = (call);                                                                                                 \
    if (code != MPI_SUCCESS) {                                                                                         \
      fprintf(stderr, "%s: error %d\n", #call, code);                                                                  \
      MPI_Abort(MPI_COMM_WORLD, code);                                                                                 \
    }                                                                                                                  \
  } while (0)

void sum(double *restrict in, double *restrict out, double *restrict other, int n) {
#ifdef HANDLER
  HANDLER(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
#endif
  CHECK(MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  for (int i = 0; i < n; ++i)
    other[i] = other[i] / 3 + 1;
  for (int i = 0; i < n; ++i)
    out[i] += other[i];
}

void read(MPI_File file) {
  if (MPI_File_sync(file) != MPI_SUCCESS)
    puts("no sync");
}
