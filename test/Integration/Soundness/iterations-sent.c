// Loops that compute data that is sent afterwards: iterations that no message needs run during the transfer. Each
// kernel at all small sizes, so that interiors are empty, of one iteration, and of several. The receiver checks the
// data after a nap, so that early sends would deliver old values.
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

/// Rows, exchanged when they are computed.
// CHECK-DAG: .c:[[#@LINE+3]]:{{.*}} splits the loop {{.*}} no start needs them
NOINLINE static void rows(double *restrict v, double *restrict u, int m, int n) {
  MPI_Request request[4];
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      v[i * n + j] = u[(i - 1) * n + j] + 2 * u[i * n + j] + u[(i + 1) * n + j];
  MPI_Irecv(&v[0], n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Irecv(&v[(m + 1) * n], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &request[1]);
  MPI_Isend(&v[n], n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &request[2]);
  MPI_Isend(&v[m * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[3]);
  MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
}

/// The loop reads the ghost rows that arrive after it: they are the old ones.
NOINLINE static void ghosts(double *restrict v, double *restrict u, int m, int n) {
  MPI_Request request[2];
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      v[i * n + j] = u[(i - 1) * n + j] * 3 - u[(i + 1) * n + j];
  MPI_Irecv(&u[0], n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(&v[m * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

/// Row k alone is sent, wherever it is.
NOINLINE static void any(double *restrict v, double *restrict u, double *restrict to, int m, int n, int k) {
  MPI_Request request[2];
  for (int i = m; i >= 1; i -= 2)
    for (int j = 0; j < n; ++j)
      v[i * n + j] = 2 * u[i * n + j] + v[i * n + j];
  MPI_Irecv(to, n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(&v[k * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

/// Each row depends on the one before: nothing can be split.
// CHECK-DAG: .c:[[#@LINE+3]]:{{.*}}it has iterations that depend on each other
NOINLINE static void inPlace(double *u, int m, int n) {
  MPI_Request request[2];
  for (int i = 1; i < m; ++i)
    for (int j = 0; j < n; ++j)
      u[i * n + j] += 0.5 * u[(i - 1) * n + j];
  MPI_Irecv(&u[(m + 1) * n], n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(&u[n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

/// The two may be one array: they are, a row apart, or not at all.
NOINLINE static void pointers(double *to, double *from, double *ghost, int m, int n) {
  MPI_Request request[2];
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      to[i * n + j] = 3 - from[i * n + j];
  MPI_Irecv(ghost, n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(&to[m / 2 * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

/// Columns are packed: the packing loops need them.
// CHECK-DAG: .c:[[#@LINE+4]]:{{.*}} splits the loop {{.*}}: iterations of 2 nested loops {{.*}} no start needs them
NOINLINE static void packed(double *restrict v, double *restrict u, double *restrict in, double *restrict out, int m,
                            int n) {
  MPI_Request request[4];
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      v[i * n + j] = u[i * n + j] * 5 - u[(i - 1) * n + j];
  for (int i = 0; i < m; ++i)
    out[i] = v[(i + 1) * n];
  for (int i = 0; i < m; ++i)
    out[m + i] = v[(i + 1) * n + n - 1];
  MPI_Irecv(in, m, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Irecv(in + m, m, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &request[1]);
  MPI_Isend(out, m, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &request[2]);
  MPI_Isend(out + m, m, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[3]);
  MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
  for (int i = 0; i < m; ++i)
    v[(i + 1) * n] += in[i] - in[m + i];
}

/// A loop after one exchange and before another: its interior is free of both.
// CHECK-DAG: .c:[[#@LINE+6]]:{{.*}} splits the loop {{.*}} no start needs them
NOINLINE static double between(double *restrict v, double *restrict u, int m, int n) {
  MPI_Request request[4];
  MPI_Irecv(&u[0], n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(&u[m * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      v[i * n + j] = u[(i - 1) * n + j] + u[i * n + j];
  MPI_Irecv(&v[(m + 1) * n], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &request[2]);
  MPI_Isend(&v[n], n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &request[3]);
  double sum = 0;
  for (int i = 1; i <= m; ++i)
    sum = sum * 0.5 + v[i * n];
  MPI_Waitall(2, request + 2, MPI_STATUSES_IGNORE);
  return sum;
}

/// The loop, or another message, determines the count of the sent data.
NOINLINE static void counted(int *restrict v, int *restrict u, int *restrict count, int m) {
  MPI_Request request[2];
  for (int i = 0; i < m; ++i)
    v[i] = u[i] * 3 - i;
  int n = v[m / 2] & 3;
  n = n > m ? m : n;
  MPI_Sendrecv(&n, 1, MPI_INT, down, 2, count, 1, MPI_INT, up, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Irecv(u, *count, MPI_INT, up, 3, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(v, n, MPI_INT, down, 3, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int m = 0; m < most; ++m)
    for (int n = 1; n < most - 2; ++n) {
      if ((m + n) % 3 == rank)
        nap(2);
      int cells = (most + 3) * most;
      double *u = make(cells, 1), *v = make(cells, 2), *w = make(cells, 3), *x = make(cells, 4);
      int numbers[most + 1], others[most + 1] = {0}, count = 0;
      fill(numbers, most, rank * 5);
      if (m) // else one row is sent and received
        rows(v, u, m, n);
      say("rows", digits(v, cells));
      ghosts(v, u, m, n);
      say("ghosts", digits(v, cells) + digits(u, cells));
      for (int k = 0; k <= m; ++k) {
        any(v, u, w, m, n, k);
        say("any", digits(v, cells) + digits(w, cells));
      }
      inPlace(u, m ? m : 1, n);
      say("inPlace", digits(u, cells));
      pointers(u, v, w, m, n);
      pointers(u + n, u, w, m, n);
      pointers(u, u + n, w, m, n);
      pointers(u, u, w, m, n);
      pointers(u + 1, u, w, m, n);
      say("pointers", digits(u, cells) + digits(w, cells));
      packed(v, u, w, x, m, n);
      say("packed", digits(v, cells) + digits(w, cells) + digits(x, cells));
      say("between", (long)(m ? between(v, u, m, n) * 1e3 : 0));
      say("between", digits(v, cells) + digits(u, cells));
      counted(others, numbers, &count, m);
      say("counted", total(numbers, most) + total(others, most) + count);
      free(u);
      free(v);
      free(w);
      free(x);
    }
  MPI_Finalize();
}
