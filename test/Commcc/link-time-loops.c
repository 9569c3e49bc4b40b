// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files for the linker keep their loops as written, neither unrolled by a factor nor vectorized, and nothing keeps the
// linker from doing that. The program's own loop hints remain.
//
// RUN: %commcc -O2 -flto -c %s -o %t.o && llvm-dis %t.o -o - | FileCheck %s
//
// CHECK-LABEL: @product(
// CHECK-COUNT-1: load double
// CHECK-NOT: load double
// CHECK: br i1 {{.*}}, !llvm.loop ![[PRODUCT:[0-9]+]]
// CHECK-LABEL: @asIs(
// CHECK: br i1 {{.*}}, !llvm.loop ![[ASIS:[0-9]+]]
// CHECK: ![[PRODUCT]] = distinct !{![[PRODUCT]], ![[PROGRESS:[0-9]+]]}
// CHECK: ![[PROGRESS]] = !{!"llvm.loop.mustprogress"}
// CHECK: ![[ASIS]] = distinct !{![[ASIS]], ![[PROGRESS]], ![[DISABLE:[0-9]+]]}
// CHECK: ![[DISABLE]] = !{!"llvm.loop.unroll.disable"}

double product(const double *x, const int *column, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[column[i]];
  return sum;
}

double asIs(const double *x, const int *column, int n) {
  double sum = 0;
#pragma nounroll
  for (int i = 0; i < n; ++i)
    sum += x[column[i]];
  return sum;
}
