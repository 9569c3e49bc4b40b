// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that only sets errno, and memory that it cannot change: ints defined in the file, and structure members.
// RUN: %commcc -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %commcc -O1 -fno-strict-aliasing -S -emit-llvm %s -o - | FileCheck %s --check-prefix=LOOSE
#include <math.h>
#include <mpi.h>

int mine;
extern int others;
__thread int local;
struct Pair {
  int first, second;
};

int rank(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// CHECK-LABEL: define{{.*}} @variable(
// CHECK: call double @pow({{.*}}, !alias.scope [[SCOPES:![0-9]+]]
// CHECK-NOT: load i32
// CHECK: ret
int variable(double *values) {
  int before = mine;
  values[0] = pow(values[0], values[1]);
  return before - mine;
}

// CHECK-LABEL: define{{.*}} @member(
// CHECK: call double @pow(
// CHECK-NOT: load i32
// CHECK: ret
// LOOSE-LABEL: define{{.*}} @member(
// LOOSE: call double @pow(
// LOOSE: load i32
int member(const struct Pair *pair, double *values) {
  int before = pair->second;
  values[0] = pow(values[0], values[1]);
  return before - pair->second;
}

// CHECK-LABEL: define{{.*}} @declared(
// CHECK: call double @pow(
// CHECK: load i32
int declared(double *values) {
  int before = others;
  values[0] = pow(values[0], values[1]);
  return before - others;
}

// CHECK-LABEL: define{{.*}} @ofThread(
// CHECK: call double @pow(
// CHECK: load i32
int ofThread(double *values) {
  int before = local;
  values[0] = pow(values[0], values[1]);
  return before - local;
}

// CHECK-LABEL: define{{.*}} @pointer(
// CHECK: call double @pow(
// CHECK: load i32
int pointer(const int *number, double *values) {
  int before = *number;
  values[0] = pow(values[0], values[1]);
  return before - *number;
}

// CHECK-LABEL: define{{.*}} @exponent(
// CHECK: call double @frexp(
// CHECK: load i32
int exponent(double *values) {
  int before = mine;
  values[0] = frexp(values[0], &mine);
  return before - mine;
}

// CHECK: [[SCOPES]] = !{[[SCOPE:![0-9]+]]}
// CHECK: [[SCOPE]] = !{!"comm.errno", [[DOMAIN:![0-9]+]]}
// CHECK: [[DOMAIN]] = !{!"comm.errno"}
