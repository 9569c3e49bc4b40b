// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file without MPI, and a function without MPI next to one with it, are identical to clang's output, including debug
// info.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O2 -g %s -S -emit-llvm -o %t/plain.ll
// RUN: %clang -O2 -g -fpass-plugin=%plugin %s -S -emit-llvm -o %t/plugin.ll
// RUN: diff %t/plain.ll %t/plugin.ll
// RUN: %commcc -fcomm-mode=off -DWITH_MPI -O2 %s -S -emit-llvm -o %t/off.ll
// RUN: %commcc -DWITH_MPI -O2 %s -S -emit-llvm -o %t/on.ll
// RUN: sed -n '/define.*@norm/,/^}/p' %t/off.ll > %t/off.norm
// RUN: sed -n '/define.*@norm/,/^}/p' %t/on.ll > %t/on.norm
// RUN: diff %t/off.norm %t/on.norm && FileCheck %s < %t/on.norm
// CHECK: define {{.*}}@norm

double norm(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * x[i];
  return sum;
}

#ifdef WITH_MPI
#include <mpi.h>
double dot(const double *x, int n, double *other, int m) {
  double sum = 1, all;
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < m; i++)
    other[i] += 1;
  return all;
}
#endif
