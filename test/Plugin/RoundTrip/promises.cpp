// clang's promises about a bool that it loads (!noundef, !range) hold where the program loads it. A load that moves
// before the test for rows has no promises: without rows, the bool may be uninitialized.
//
// RUN: commc++ -O2 -g -fcomm-cost=none -S -emit-llvm %s -o - | FileCheck %s
#include <mpi.h>

struct Options {
  int rows;
  bool scaled;
};
Options options;
double grid[1000], other[1000];

// CHECK-LABEL: define {{.*}}void @_Z4workii(
// CHECK: call i32 @MPI_Irecv
// CHECK: load i8, ptr getelementptr {{.*}}@options, i64 4)
// CHECK-NOT: !noundef
// CHECK: br i1
//
// The function as it was written keeps its promises.
// CHECK-LABEL: define internal void @_Z4workii.comm.original(
// CHECK: load i8, ptr getelementptr {{.*}}@options, i64 4){{.*}}!noundef
void work(int up, int down) {
  MPI_Sendrecv(grid + 1, 8, MPI_DOUBLE, up, 0, grid + 900, 8, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < options.rows; ++i)
    other[i] = options.scaled ? grid[i] * 2 : grid[i] + other[i];
}
