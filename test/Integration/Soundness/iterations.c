// Loops that run iterations before the wait: each kernel at all small sizes, so that interiors are empty, of one
// iteration, and of several, and so that ghost cells of both sides meet. Neighbors wait before they send, so code
// before its wait sees old values.
// RUN: %same %s -o %t -n 1,2,4 --overlaps MPI_Irecv
// RUN: FileCheck %s < %t.extended.remarks
// RUN: %commcc -O2 -g -fcomm-check -fcomm-known-sources %s -o %t.checked
// RUN: %mpirun -n 2 %t.checked 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED-NOT: comm: error
// CHECKED: rank
// CHECKED-NOT: comm: error
#include "Inputs/cells.h"

enum { most = 7 };
static int up, down;

/// Rows, the ghosts in the array.
// CHECK-DAG: iterations.c:[[#@LINE+8]]:{{[0-9]+}}: remark: splits the loop at iterations.c:[[#@LINE+8]]: iterations that touch nothing in flight
NOINLINE static void rows(double *restrict v, double *restrict u, int m, int n) {
  MPI_Request request[4];
  MPI_Irecv(&u[0], n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Irecv(&u[(m + 1) * n], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &request[1]);
  MPI_Isend(&u[n], n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &request[2]);
  MPI_Isend(&u[m * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[3]);
  MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      v[i * n + j] = u[(i - 1) * n + j] + 2 * u[i * n + j] + u[(i + 1) * n + j];
}

/// The same from the last row to the first.
NOINLINE static void backwards(double *restrict v, double *restrict u, int m, int n) {
  MPI_Request request[2];
  MPI_Irecv(&u[0], n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(&u[m * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  for (int i = m; i >= 1; i -= 2)
    for (int j = n - 1; j >= 0; --j)
      v[i * n + j] = u[(i - 1) * n + j] - u[i * n + j];
}

/// The sent data is written, in separate rows.
NOINLINE static void sent(double *u, int m, int n) {
  MPI_Request request[2];
  double other[most] = {0};
  MPI_Irecv(other, n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(&u[(m - 1) * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      u[i * n + j] = 2 * u[i * n + j] + 1;
  for (int j = 0; j < n; ++j)
    u[j] += other[j];
}

/// Each row depends on the one before: nothing can be split.
// CHECK-DAG: iterations.c:[[#@LINE+6]]:{{[0-9]+}}: remark: the loop at iterations.c:{{[0-9]+}} waits as a whole: it has iterations that depend on each other
NOINLINE static void inPlace(double *u, int m, int n) {
  MPI_Request request[2];
  MPI_Irecv(&u[0], n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(&u[m * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  for (int i = 1; i < m; ++i)
    for (int j = 0; j < n; ++j)
      u[i * n + j] += 0.5 * u[(i - 1) * n + j];
}

/// The two may be one array: they are, a row apart, or not at all.
NOINLINE static void pointers(double *to, double *from, double *ghost, int m, int n) {
  MPI_Request request[2];
  MPI_Irecv(ghost, n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(&from[m * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      to[i * n + j] = 3 - from[i * n + j];
}

/// Two arrays are written, and another one is read in several rows: the three are distinct, or not.
// CHECK-DAG: .c:[[#@LINE+6]]:{{.*}} splits the loop {{.*}} that touch nothing in flight
NOINLINE static void several(double *one, double *other, double *from, int m, int n) {
  MPI_Request request[2];
  MPI_Irecv(&from[0], n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(&from[m * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j) {
      one[i * n + j] = from[(i - 1) * n + j] + 2 * from[i * n + j] - from[(i + 1) * n + j];
      other[i * n + j] = from[(i - 1) * n + j] - 2 * from[i * n + j] + from[(i + 1) * n + j];
    }
}

/// Ghost columns of a vector datatype.
// CHECK-DAG: iterations.c:[[#@LINE+16]]:{{[0-9]+}}: remark: splits the loop at {{.*}}: iterations of 2 nested loops
NOINLINE static void columns(double *restrict v, double *restrict u, int m, int n) {
  MPI_Request request[8];
  int s = n + 2;
  MPI_Datatype side;
  MPI_Type_vector(m, 1, s, MPI_DOUBLE, &side);
  MPI_Type_commit(&side);
  MPI_Irecv(&u[1], n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Irecv(&u[(m + 1) * s + 1], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &request[1]);
  MPI_Irecv(&u[s], 1, side, down, 2, MPI_COMM_WORLD, &request[2]);
  MPI_Irecv(&u[s + n + 1], 1, side, up, 3, MPI_COMM_WORLD, &request[3]);
  MPI_Isend(&u[s + 1], n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &request[4]);
  MPI_Isend(&u[m * s + 1], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[5]);
  MPI_Isend(&u[s + 1], 1, side, down, 3, MPI_COMM_WORLD, &request[6]);
  MPI_Isend(&u[s + n], 1, side, up, 2, MPI_COMM_WORLD, &request[7]);
  MPI_Waitall(8, request, MPI_STATUSES_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      v[i * s + j] = u[(i - 1) * s + j] + u[(i + 1) * s + j] + u[i * s + j - 1] * 2 + u[i * s + j + 1] * 3;
  MPI_Type_free(&side);
}

/// Columns are received in a buffer and unpacked.
NOINLINE static void unpacked(double *restrict v, double *restrict u, double *restrict west, double *restrict east,
                              double *restrict out, int m, int n) {
  MPI_Request request[4];
  int s = n + 2;
  for (int i = 0; i < m; ++i) {
    out[i] = u[(i + 1) * s + 1];
    out[m + i] = u[(i + 1) * s + n];
  }
  MPI_Irecv(west, m, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Irecv(east, m, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &request[1]);
  MPI_Isend(out, m, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &request[2]);
  MPI_Isend(out + m, m, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[3]);
  MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
  for (int i = 1; i <= m; ++i)
    u[i * s] = west[i - 1];
  for (int i = 1; i <= m; ++i)
    u[i * s + n + 1] = east[i - 1];
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      v[i * s + j] = u[i * s + j - 1] - 3 * u[i * s + j] + u[i * s + j + 1];
}

/// The number of the iteration, sums of integers and of other numbers, and a minimum are used after the loop.
NOINLINE static double results(double *restrict u, int m) {
  MPI_Request request[2];
  MPI_Irecv(&u[0], 1, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(&u[m], 1, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  double sum = 0, least = 1e9;
  int count = 0, i;
  for (i = 0; i < m; ++i) {
    sum += u[i] * 0.1;
    least = u[i] < least ? u[i] : least;
    count += u[i] > 3;
  }
  return sum + least + count + i;
}

/// The loop may end early.
NOINLINE static int ends(double *restrict v, double *restrict u, int m) {
  MPI_Request request[2];
  MPI_Irecv(&u[0], 1, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(&u[m], 1, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  int i;
  for (i = 0; i < m; ++i) {
    if (u[i] > 12)
      break;
    v[i] = u[i] + 1;
  }
  return i;
}

/// Rows are as long as their number.
NOINLINE static void triangle(double *restrict v, double *restrict u, int m, int n) {
  MPI_Request request[2];
  MPI_Irecv(&u[0], n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(&u[m * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < (i < n ? i : n); ++j)
      v[i * n + j] = 2 * u[i * n + j];
}

static inline void scale(double *restrict to, const double *restrict from, int n) {
  for (int j = 0; j < n; ++j)
    to[j] = from[j] * 0.75;
}

/// A pointer that is restricted in one row is reused for the next row.
NOINLINE static void restricted(double *u, double *ghost, int m, int n) {
  MPI_Request request[2];
  MPI_Irecv(&u[m * n], n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(ghost, n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  for (int i = 0; i < m; ++i)
    scale(&u[i * n], &u[(i + 1) * n], n);
}

/// A value is carried from one iteration to the next.
NOINLINE static void carried(double *restrict v, double *restrict u, int m) {
  MPI_Request request[2];
  MPI_Irecv(&u[0], 1, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(&u[m], 1, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  double last = 1;
  for (int i = 0; i < m; ++i) {
    last = 0.5 * last + u[i];
    v[i] = last;
  }
}

/// Two loops, the second of which needs the result of the first; and a time loop that swaps.
NOINLINE static void twice(double *u, double *v, double *w, int m, int n) {
  for (int t = 0; t < 3; ++t) {
    MPI_Request request[4];
    MPI_Irecv(&u[0], n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&u[(m + 1) * n], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &request[1]);
    MPI_Isend(&u[n], n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &request[2]);
    MPI_Isend(&u[m * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[3]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    for (int i = 1; i <= m; ++i)
      for (int j = 0; j < n; ++j)
        v[i * n + j] = u[(i - 1) * n + j] + u[(i + 1) * n + j];
    for (int i = 1; i <= m; ++i)
      for (int j = 0; j < n; ++j)
        w[i * n + j] = v[i * n + j] * u[i * n + j] + i * 0.25 + j;
    double *old = u;
    u = v;
    v = old;
  }
}

/// Six faces of a block of three dimensions.
NOINLINE static void faces(double *restrict v, double *restrict u, double *restrict in, double *restrict out, int m,
                           int n) {
  int s = n + 2, q = s * s;
  MPI_Request request[4];
  for (int a = 1; a <= m; ++a)
    for (int b = 1; b <= n; ++b) {
      out[(a - 1) * n + b - 1] = u[a * q + s + b];
      out[m * n + (a - 1) * n + b - 1] = u[a * q + b * s + n];
    }
  MPI_Irecv(in, m * n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Irecv(in + m * n, m * n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &request[1]);
  MPI_Isend(out, m * n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[2]);
  MPI_Isend(out + m * n, m * n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &request[3]);
  MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
  for (int a = 1; a <= m; ++a)
    for (int b = 1; b <= n; ++b)
      u[a * q + b] = in[(a - 1) * n + b - 1];
  for (int a = 1; a <= m; ++a)
    for (int b = 1; b <= n; ++b)
      u[a * q + b * s + n + 1] = in[m * n + (a - 1) * n + b - 1];
  for (int a = 1; a <= m; ++a)
    for (int b = 1; b <= n; ++b)
      for (int c = 1; c <= n; ++c)
        v[a * q + b * s + c] = u[(a - 1) * q + b * s + c] + u[(a + 1) * q + b * s + c] + 2 * u[a * q + (b - 1) * s + c] +
                               u[a * q + (b + 1) * s + c] + 3 * u[a * q + b * s + c - 1] + u[a * q + b * s + c + 1];
}

/// Blocking, to one side.
NOINLINE static void blocking(double *restrict v, double *restrict u, int m, int n) {
  MPI_Sendrecv(&u[m * n], n, MPI_DOUBLE, down, 0, &u[0], n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j < n - 1; ++j)
      v[i * n + j] = u[(i - 1) * n + j - 1] + u[i * n + j] + u[(i - 1) * n + j + 1];
}

/// In place, the blocks of all processes are in the buffer for one.
NOINLINE static void blocksInPlace(double *u, double *restrict v, int m, int n) {
  MPI_Reduce_scatter_block(MPI_IN_PLACE, u, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i)
    v[i] += u[i];
  for (int i = n; i < m; ++i)
    u[i] = 3 * i;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = (rank + size - 1) % size;
  down = (rank + 1) % size;
  enum { cells = (most + 2) * (most + 2) * (most + 2) };
  for (int open = 0; open < 2; ++open) {
    if (open) {
      up = rank ? rank - 1 : MPI_PROC_NULL;
      down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    }
    for (int m = 1; m < most; ++m)
      for (int n = 0; n < most; ++n) {
        double *u = make(cells, m), *v = make(cells, n), *w = make(cells, 3), *x = make(cells, 5), *y = make(cells, 7);
        unsigned long sum = 0;
        double result = 0;
        rows(v, u, m, n), sum += digits(v, cells);
        backwards(v, u, m, n), sum += 3 * digits(v, cells);
        sent(w, m, n), sum += 5 * digits(w, cells);
        inPlace(w, m, n), sum += 7 * digits(w, cells);
        pointers(v, u, y, m, n), sum += 9 * digits(v, cells);
        pointers(u + n, u, y, m, n), sum += 11 * digits(u, cells);
        pointers(u, u + n, y, m, n), sum += 13 * digits(u, cells);
        pointers(v, u, v + n, m, n), sum += 13 * digits(v, cells);
        pointers(v, y + n, y, m, n), sum += 15 * digits(v, cells);
        several(v, w, u, m, n), sum += 43 * digits(v, cells) + 45 * digits(w, cells);
        several(v, v + n, u, m, n), sum += 47 * digits(v, cells);
        several(v, v + 3, u, m, n), sum += 49 * digits(v, cells);
        several(u, v, u + n, m, n), sum += 51 * digits(u, cells) + 53 * digits(v, cells);
        several(v, u, u, m, n), sum += 55 * digits(u, cells);
        several(v, u + (m + 2) * n, u, m, n), sum += 57 * digits(u, cells) + 59 * digits(v, cells);
        if (n) // otherwise the sent data is received as well
          columns(v, u, m, n), sum += 17 * digits(v, cells);
        unpacked(v, u, w, x, y, m, n), sum += 19 * digits(v, cells);
        result += results(u, m), sum += 21 * digits(u, cells);
        result += ends(v, u, m), sum += 23 * digits(v, cells);
        triangle(v, u, m, n), sum += 25 * digits(v, cells);
        restricted(u, y, m, n), sum += 27 * digits(u, cells);
        carried(v, u, m), sum += 29 * digits(v, cells);
        twice(u, v, w, m, n), sum += 31 * digits(u, cells) + 33 * digits(v, cells) + 35 * digits(w, cells);
        faces(v, u, x, y, m, n), sum += 37 * digits(v, cells);
        blocking(v, u, m, n), sum += 39 * digits(v, cells);
        blocksInPlace(u, v, cells - m, n * 9), sum += 41 * digits(v, n * 9);
        sum += digits(&result, 1);
        printf("rank %d: %d %d %d %lx\n", rank, open, m, n, sum);
        free(u), free(v), free(w), free(x), free(y);
      }
  }
  MPI_Finalize();
  return 0;
}
