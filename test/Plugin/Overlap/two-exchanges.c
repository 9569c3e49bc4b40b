// Two exchanges in opposite directions are under way together, without a promise: ghost rows of one array, and faces in
// buffers whose sizes and processes are in a structure.
// RUN: %commcc -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %commcc -O2 -gline-tables-only -Rcomm -c %s -o %t.o 2>&1 | FileCheck --check-prefix=REMARK %s
// REMARK: MPI_Sendrecv at two-exchanges.c:[[# @LINE + 17]] overlaps 1 other communication
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

// The guards wait for the first one's requests where the conditions hold; the waits come after the second one.
// CHECK-LABEL: define {{.*}}@rows(
// CHECK: call i32 @MPI_Irecv({{.*}}, ptr nonnull %[[IN:[0-9]+]])
// CHECK: call i32 @MPI_Isend({{.*}}, ptr nonnull %[[OUT:[0-9]+]])
// CHECK-NOT: call i32 @MPI_Wait(ptr nonnull %[[IN]],
// CHECK-NOT: call i32 @MPI_Wait(ptr nonnull %[[OUT]],
// CHECK: %[[EARLY:[0-9]+]] = select i1 %{{[0-9]+}}, ptr %[[OUT]],
// CHECK: call i32 @MPI_Wait(ptr nonnull %[[EARLY]],
// CHECK: call i32 @MPI_Sendrecv(
// CHECK: call i32 @MPI_Wait(ptr nonnull %[[OUT]],
// CHECK: call i32 @MPI_Wait(ptr nonnull %[[IN]],
void rows(double *u, int m, int columns, int up, int down) {
  MPI_Sendrecv(&u[1 * columns], columns, MPI_DOUBLE, up, 0, &u[(m + 1) * columns], columns, MPI_DOUBLE, down, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&u[m * columns], columns, MPI_DOUBLE, down, 1, &u[0], columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

typedef struct {
  int neighbors[6], capacity;
} Halo;

static int exchange(void *out, int n, int to, void *in, int capacity, int from) {
  int received;
  MPI_Status status;
  MPI_Sendrecv(out, n, MPI_BYTE, to, 0, in, capacity, MPI_BYTE, from, 0, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_BYTE, &received);
  return received;
}

// CHECK-LABEL: define {{.*}}@faces(
// CHECK: call i32 @MPI_I{{recv|send}}(
// CHECK: call i32 @MPI_I{{recv|send}}(
// CHECK: call i32 @MPI_I{{recv|send}}(
// CHECK: call i32 @MPI_I{{recv|send}}(
// CHECK: call i32 @MPI_Get_count(
void faces(Halo *halo, double *data, int axis) {
  char *outMinus = malloc(halo->capacity), *outPlus = malloc(halo->capacity);
  char *inMinus = malloc(halo->capacity), *inPlus = malloc(halo->capacity);
  memcpy(outMinus, data, 4096);
  memcpy(outPlus, data + 512, 4096);
  int minus = halo->neighbors[2 * axis], plus = halo->neighbors[2 * axis + 1];
  int fromPlus = exchange(outMinus, 4096, minus, inPlus, halo->capacity, plus);
  int fromMinus = exchange(outPlus, 4096, plus, inMinus, halo->capacity, minus);
  memcpy(data + 1024, inMinus, fromMinus);
  memcpy(data + 2048, inPlus, fromPlus);
  free(inPlus);
  free(inMinus);
  free(outPlus);
  free(outMinus);
}
