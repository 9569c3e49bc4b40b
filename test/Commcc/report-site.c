// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The call descriptions of -fcomm-report match comm_report_site of comm/report.h in layout and version.
//
// RUN: %commcc -O1 -fcomm-report -I%comm_src_root/runtime/include -S -emit-llvm %s -o - | FileCheck %s
//
// CHECK-DAG: %struct.comm_report_site = type [[LAYOUT:{ .* }]]
// CHECK-DAG: @version = {{.*}}global i32 [[VERSION:[0-9]+]]
// CHECK-DAG: @comm.report.site{{[^ ]*}} = internal {{.*}}global [[LAYOUT]] { i32 [[VERSION]], i32 [[#@LINE+10]],

#include <comm/report.h>
#include <mpi.h>

comm_report_site site;
int version = COMM_REPORT_ABI_VERSION;

double overlap(double *a, double *b, double *c, int n) {
  double sum = a[0], all;
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  double other = 0;
  for (int i = 0; i < n; i++)
    other += b[i] * c[i];
  return all + other;
}
