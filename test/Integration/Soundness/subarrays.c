// Blocks of arrays as datatypes: their lists are on the stack, changed between calls, in C and in Fortran order. Small
// blocks of all shapes, so that interiors are empty, of one cell, and of several.
// RUN: %same %s -o %t -n 1,2,4 --overlaps MPI_Irecv
// RUN: FileCheck %s < %t.extended.remarks
// RUN: %commcc -O2 -g -fcomm-check -fcomm-known-sources %s -o %t.checked
// RUN: %mpirun -n 2 %t.checked 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED-NOT: comm: error
// CHECKED: rank
// CHECKED-NOT: comm: error
#include "Inputs/cells.h"

enum { most = 6 };
static int up, down;

/// A column is sent down, and one is received from above.
// CHECK-DAG: .c:[[#@LINE+14]]:{{.*}} splits the loop {{.*}} iterations of 2 nested loops
NOINLINE static void columns(double *restrict v, double *restrict u, int m, int n, int from, int to) {
  MPI_Datatype out, in;
  MPI_Request request[2];
  int sizes[2] = {m + 2, n + 2}, part[2] = {m, 1}, starts[2] = {1, from};
  MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_C, MPI_DOUBLE, &out);
  MPI_Type_commit(&out);
  starts[1] = to;
  MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_C, MPI_DOUBLE, &in);
  MPI_Type_commit(&in);
  MPI_Irecv(u, 1, in, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(u, 1, out, down, 0, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  int s = n + 2;
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      v[i * s + j] = u[i * s + j - 1] - 3 * u[i * s + j] + u[i * s + j + 1];
  MPI_Type_free(&in);
  MPI_Type_free(&out);
}

/// The same in Fortran order: the received data is rows in C.
NOINLINE static void fortran(double *restrict v, double *restrict u, int m, int n, int from, int to) {
  MPI_Datatype out, in;
  MPI_Request request[2];
  int sizes[2] = {n + 2, m + 2}, part[2] = {n, 1}, starts[2] = {1, to};
  MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_FORTRAN, MPI_DOUBLE, &in);
  MPI_Type_commit(&in);
  starts[1] = from;
  MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_FORTRAN, MPI_DOUBLE, &out);
  MPI_Type_commit(&out);
  MPI_Irecv(u, 1, in, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(u, 1, out, down, 0, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  int s = n + 2;
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      v[i * s + j] = u[(i - 1) * s + j] + u[i * s + j] * 2;
  MPI_Type_free(&in);
  MPI_Type_free(&out);
}

/// A face of a block of pairs: three dimensions, and elements that are a datatype themselves.
NOINLINE static void faces(double *restrict v, double *restrict u, int m, int n, int from, int to) {
  MPI_Datatype out, in, pair;
  MPI_Request request[2];
  MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
  int sizes[3] = {m + 2, n + 2, 4}, part[3] = {m, 1, 2}, starts[3] = {1, from, 1};
  MPI_Type_create_subarray(3, sizes, part, starts, MPI_ORDER_C, pair, &out);
  MPI_Type_commit(&out);
  starts[1] = to;
  MPI_Type_create_subarray(3, sizes, part, starts, MPI_ORDER_C, pair, &in);
  MPI_Type_commit(&in);
  MPI_Irecv(u, 1, in, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(u, 1, out, down, 0, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      for (int k = 0; k < 8; ++k)
        v[(i * (n + 2) + j) * 8 + k] = u[(i * (n + 2) + j - 1) * 8 + k] + u[(i * (n + 2) + j + 1) * 8 + k];
  MPI_Type_free(&in);
  MPI_Type_free(&out);
  MPI_Type_free(&pair);
}

/// The received column is known only at run time, and the list is written in a branch.
NOINLINE static void branch(double *restrict v, double *restrict u, int m, int n, int late) {
  MPI_Datatype in;
  MPI_Request request[2];
  int sizes[2] = {m + 2, n + 2}, part[2] = {m, 1}, starts[2] = {1, 0};
  if (late)
    starts[1] = n + 1;
  MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_C, MPI_DOUBLE, &in);
  MPI_Type_commit(&in);
  starts[1] = n;
  MPI_Irecv(u, 1, in, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(v, m, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  int s = n + 2;
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      v[i * s + j] = u[i * s + j - 1] - u[i * s + j + 1];
  MPI_Type_free(&in);
}

typedef int List __attribute__((vector_size(16)));

/// The lists are vectors: one constant represents four numbers.
NOINLINE static void vectors(double *restrict v, double *restrict u, int rows) {
  MPI_Datatype in;
  List sizes = {8, 8, 8, 8}, part = {2, 2, 2, 2}, starts = {4, 4, 4, 4};
  MPI_Type_create_subarray(3, (int *)&sizes, (int *)&part, (int *)&starts, MPI_ORDER_C, MPI_DOUBLE, &in);
  MPI_Type_commit(&in);
  MPI_Sendrecv(v, 1, in, down, 0, u, 1, in, up, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < 64; ++j)
      v[i * 64 + j] += u[i * 64 + j];
  MPI_Type_free(&in);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int m = 1; m < most; ++m)
    for (int n = 1; n < most; ++n) {
      if ((m + n) % 3 == rank)
        nap(2);
      int cells = (most + 2) * (most + 2) * 8;
      double *u = make(cells, 1), *v = make(cells, 2);
      for (int side = 0; side < 2; ++side) {
        columns(v, u, m, n, side ? 1 : n, side ? n + 1 : 0);
        say("columns", digits(v, cells) + digits(u, cells));
        fortran(v, u, m, n, side ? 1 : m, side ? m + 1 : 0);
        say("fortran", digits(v, cells) + digits(u, cells));
        faces(v, u, m, n, side ? 1 : n, side ? n + 1 : 0);
        say("faces", digits(v, cells) + digits(u, cells));
        branch(v, u, m, n, side);
        say("branch", digits(v, cells) + digits(u, cells));
      }
      columns(v, u, m, n, n > 1 ? 1 : 0, n > 1 ? 2 : 1);
      say("within", digits(v, cells) + digits(u, cells));
      vectors(v, u, 8);
      say("vectors", digits(v, cells) + digits(u, cells));
      free(u);
      free(v);
    }
  MPI_Finalize();
}
