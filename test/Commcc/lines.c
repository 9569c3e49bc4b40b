// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Remarks and the report have lines without -g, and the object contains no debug info for that.
//
// RUN: %commcc -O2 -Rcomm -c %s -o %t.o 2>&1 | FileCheck --check-prefix=REMARK %s
// RUN: llvm-readelf -S %t.o | FileCheck --check-prefix=SECTIONS %s
// RUN: %commcc -O2 -fcomm-report -c %s -o %t.report.o 2>&1 | count 0
// RUN: llvm-readelf -S %t.report.o | FileCheck --check-prefix=SECTIONS %s
// RUN: llvm-strings %t.report.o | FileCheck --check-prefix=SITE %s
//
// SECTIONS: .text
// SECTIONS-NOT: .debug_
// SITE: lines.c

#include <mpi.h>

double overlap(double *a, double *b, double *c, int n) {
  double sum = a[0], all;
  // REMARK: lines.c:[[@LINE+1]]:{{[0-9]+}}: remark: {{.*}}MPI_Allreduce{{.*}} [-Rpass{{.*}}=comm
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  double other = 0;
  for (int i = 0; i < n; i++)
    other += b[i] * c[i];
  return all + other;
}
