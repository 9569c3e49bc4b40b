// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops after waits for requests that stay in memory: counted, in structures, in loops. As in iterations.c, each kernel
// at all small sizes.
// RUN: %same %s -o %t -n 1,2,4 --overlaps MPI_Waitall
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/cells.h"

enum { most = 6 };
static int up, down;

/// Only existing neighbors take part: the array has as many requests as were counted.
// CHECK-DAG: iterations-own.c:[[#@LINE+10]]:{{[0-9]+}}: remark: splits the loop at
NOINLINE static void counted(double *restrict v, double *restrict u, int m, int n) {
  MPI_Request request[4];
  int k = 0;
  if (up != MPI_PROC_NULL)
    MPI_Irecv(&u[0], n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[k++]);
  MPI_Irecv(&u[(m + 1) * n], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &request[k++]);
  MPI_Isend(&u[n], n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &request[k++]);
  MPI_Isend(&u[m * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[k++]);
  MPI_Waitall(k, request, MPI_STATUSES_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      v[i * n + j] = u[(i - 1) * n + j] + 2 * u[i * n + j] + u[(i + 1) * n + j];
}

struct halo {
  int rows, columns, stride;
  MPI_Datatype side;
  MPI_Request requests[4];
  int pending;
};

static inline __attribute__((always_inline)) void start(struct halo *h, double *u) {
  h->pending = 0;
  MPI_Irecv(&u[h->stride], 1, h->side, down, 2, MPI_COMM_WORLD, &h->requests[h->pending++]);
  MPI_Irecv(&u[h->stride + h->columns + 1], 1, h->side, up, 3, MPI_COMM_WORLD, &h->requests[h->pending++]);
  MPI_Isend(&u[h->stride + 1], 1, h->side, down, 3, MPI_COMM_WORLD, &h->requests[h->pending++]);
  MPI_Isend(&u[h->stride + h->columns], 1, h->side, up, 2, MPI_COMM_WORLD, &h->requests[h->pending++]);
}

static inline __attribute__((always_inline)) void stencil(double *restrict v, const double *restrict u,
                                                          const struct halo *h) {
  for (int i = 1; i <= h->rows; ++i)
    for (int j = 1; j <= h->columns; ++j)
      v[i * h->stride + j] = 2 * u[i * h->stride + j - 1] + u[i * h->stride + j] + 3 * u[i * h->stride + j + 1];
}

/// Sizes, datatype and requests are members; the arrays are swapped.
// CHECK-DAG: remark: splits the loop at iterations-own.c:[[#@LINE-6]]: iterations of 2 nested loops
NOINLINE static unsigned long structure(int m, int n) {
  struct halo h = {m, n, n + 2};
  int cells = (m + 2) * (n + 2);
  double *u = make(cells, m), *v = make(cells, n);
  MPI_Type_vector(m, 1, h.stride, MPI_DOUBLE, &h.side);
  MPI_Type_commit(&h.side);
  for (int t = 0; t < 3; ++t) {
    start(&h, u);
    MPI_Waitall(h.pending, h.requests, MPI_STATUSES_IGNORE);
    stencil(v, u, &h);
    double *old = u;
    u = v;
    v = old;
  }
  unsigned long sum = digits(u, cells) + 3 * digits(v, cells);
  free(u), free(v);
  MPI_Type_free(&h.side);
  return sum;
}

/// The datatype changes from the second step on: two columns.
NOINLINE static void remade(double *restrict v, double *restrict u, double *restrict w, int m, int n) {
  struct halo h = {m, n, n + 2};
  MPI_Type_vector(m, 1, h.stride, MPI_DOUBLE, &h.side);
  MPI_Type_commit(&h.side);
  for (int t = 0; t < 3; ++t) {
    h.pending = 0;
    MPI_Irecv(&u[h.stride], 1, h.side, down, 2, MPI_COMM_WORLD, &h.requests[h.pending++]);
    MPI_Isend(&w[h.stride], 1, h.side, up, 2, MPI_COMM_WORLD, &h.requests[h.pending++]);
    MPI_Waitall(h.pending, h.requests, MPI_STATUSES_IGNORE);
    stencil(v, u, &h);
    for (int i = 0; i < m * h.stride; ++i)
      u[i] += v[i];
    MPI_Type_free(&h.side);
    MPI_Type_vector(m, 2, h.stride, MPI_DOUBLE, &h.side);
    MPI_Type_commit(&h.side);
  }
  MPI_Type_free(&h.side);
}

/// A message writes a member, which changes the end of the rows.
NOINLINE static unsigned long received(int m, int n) {
  struct halo h = {m, n, n + 2};
  int cells = (m + 4) * (n + 2);
  double *u = make(cells, m), *v = make(cells, n);
  for (int t = 0; t < 3; ++t) {
    h.pending = 0;
    MPI_Irecv(&u[(h.rows - 1) * h.stride], h.stride, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &h.requests[h.pending++]);
    MPI_Isend(&v[h.stride], h.stride, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &h.requests[h.pending++]);
    MPI_Waitall(h.pending, h.requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < h.rows; ++i)
      for (int j = 0; j < h.columns; ++j)
        v[i * h.stride + j] = u[i * h.stride + j] * 0.5;
    int more = h.rows + (t == 0);
    MPI_Sendrecv(&more, 1, MPI_INT, rank, 5, &h.rows, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  unsigned long sum = digits(u, cells) + 3 * digits(v, cells);
  free(u), free(v);
  return sum;
}

/// The wait of a step is for the message of the previous step, which used another row.
NOINLINE static void behind(double *restrict v, double *restrict u, int m, int n) {
  MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  for (int t = 0; t < m; ++t) {
    MPI_Irecv(&u[t * n], n, MPI_DOUBLE, up, t, MPI_COMM_WORLD, &request[t % 2]);
    MPI_Send(&v[(m + 1) * n], n, MPI_DOUBLE, down, t, MPI_COMM_WORLD);
    MPI_Wait(&request[(t + 1) % 2], MPI_STATUS_IGNORE);
    for (int i = 0; i < m; ++i)
      if (i < t)
        for (int j = 0; j < n; ++j)
          v[i * n + j] += u[i * n + j];
  }
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

/// Two pointers that are swapped, and in one step both become the same: each row is then read before it is written.
NOINLINE static unsigned long same(int m, int n) {
  int cells = (m + 2) * n;
  double *one = make(cells, m), *two = make(cells, n), *u = one, *v = two;
  for (int t = 0; t < 4; ++t) {
    MPI_Request request[2];
    int k = 0;
    if (up != MPI_PROC_NULL)
      MPI_Irecv(&u[0], n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[k++]);
    MPI_Isend(&u[m * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[k++]);
    MPI_Waitall(k, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i <= m; ++i)
      for (int j = 0; j < n; ++j)
        v[i * n + j] = u[(i + 1) * n + j] * 0.5 + i;
    double *old = u;
    u = v;
    v = t == 1 ? u : old;
  }
  unsigned long sum = digits(one, cells) + 3 * digits(two, cells);
  free(one), free(two);
  return sum;
}

/// Faces that one function packs and unpacks: an index selects the face.
// CHECK-DAG: remark: splits the loop at {{.*}}: iterations of 3 nested loops
static size_t side;
static double *in[4];
static size_t at(int i, int j, int k) { return ((size_t)i * side + j) * side + k; }
static void unpack(double *u, int face, int m) {
  const int fixed = face % 2 ? m + 1 : 0;
  const double *p = in[face];
  for (int a = 1; a <= m; ++a)
    for (int b = 1; b <= m; ++b) {
      const size_t to = face < 2 ? at(fixed, a, b) : at(a, b, fixed);
      u[to] = *p++;
    }
}

NOINLINE static unsigned long packed(int m, int faces) {
  side = m + 2;
  int cells = side * side * side;
  double *u = calloc(cells, sizeof(double)), *v = calloc(cells, sizeof(double)), *out = make(m * m, 2);
  for (int i = 0; i < cells; ++i)
    u[i] = i * 7 % 11;
  for (int f = 0; f < 4; ++f)
    in[f] = make(m * m, f);
  for (int t = 0; t < 3; ++t) {
    MPI_Request request[8];
    for (int f = 0; f < 4; ++f)
      MPI_Irecv(in[f], m * m, MPI_DOUBLE, f % 2 ? up : down, f, MPI_COMM_WORLD, &request[f]);
    for (int f = 0; f < 4; ++f) {
      if (f == 0)
        for (int i = 0; i < m * m; ++i)
          out[i] = u[side * side + side + i];
      MPI_Isend(out, m * m, MPI_DOUBLE, f % 2 ? down : up, f, MPI_COMM_WORLD, &request[4 + f]);
    }
    MPI_Waitall(8, request, MPI_STATUSES_IGNORE);
    for (int f = 0; f < faces; ++f)
      unpack(u, f, m);
    for (int a = 1; a <= m; ++a)
      for (int b = 1; b <= m; ++b)
        for (int c = 1; c <= m; ++c)
          v[at(a, b, c)] = u[at(a - 1, b, c)] + 2 * u[at(a + 1, b, c)] + 3 * u[at(a, b, c - 1)] + u[at(a, b, c + 1)];
    double *old = u;
    u = v;
    v = old;
  }
  unsigned long sum = digits(u, cells) + 3 * digits(v, cells);
  for (int f = 0; f < 4; ++f)
    free(in[f]);
  free(u), free(v), free(out);
  return sum;
}

/// One of two messages is received into the object that contains the requests.
NOINLINE static void chosen(double *restrict v, double *restrict u, double *restrict out, int n, int which) {
  struct {
    MPI_Request requests[4];
    double ghost[most + 2];
  } h;
  double other[most + 2];
  for (int i = 0; i < most + 2; ++i)
    h.ghost[i] = other[i] = i;
#pragma clang loop unroll(disable)
  for (int f = 0; f < 2; ++f) {
    double *to = f == which ? h.ghost : other;
    MPI_Irecv(to, n, MPI_DOUBLE, up, f, MPI_COMM_WORLD, &h.requests[f]);
  }
  MPI_Irecv(u, 1, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &h.requests[2]);
  MPI_Send(out, n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD);
  MPI_Send(out, n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD);
  MPI_Isend(out, 1, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &h.requests[3]);
  MPI_Waitall(4, h.requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < n + 2; ++i)
    v[i] = h.ghost[i] + 2 * u[i];
}

/// Fortran's form of a status has more numbers than one.
NOINLINE static long converted(double *u, double *out, int n) {
  struct {
    MPI_Fint status[sizeof(MPI_Status) / sizeof(MPI_Fint)];
    MPI_Request requests[2];
  } h;
  MPI_Status status = {0};
  for (size_t i = 0; i < sizeof h.status / sizeof h.status[0]; ++i)
    h.status[i] = 100 + i;
  MPI_Irecv(u, n, MPI_DOUBLE, up, 3, MPI_COMM_WORLD, &h.requests[0]);
  MPI_Isend(out, n, MPI_DOUBLE, down, 3, MPI_COMM_WORLD, &h.requests[1]);
  MPI_Wait(&h.requests[0], &status);
  MPI_Status_c2f(&status, h.status);
  MPI_Wait(&h.requests[1], MPI_STATUS_IGNORE);
  return (h.status[0] < 100) + (h.status[1] < 100) + (h.status[2] < 100) + (h.status[3] < 100);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = (rank + size - 1) % size;
  down = (rank + 1) % size;
  enum { cells = (most + 3) * (most + 2) };
  for (int open = 0; open < 2; ++open) {
    if (open) {
      up = rank ? rank - 1 : MPI_PROC_NULL;
      down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    }
    for (int m = 1; m < most; ++m) {
      for (int n = 1; n < most; ++n) {
        double *u = make(cells, m), *v = make(cells, n), *w = make(cells, 3);
        unsigned long sum = structure(m, n) + 5 * received(m, n) + 7 * same(m, n);
        counted(v, u, m, n), sum += 9 * digits(v, cells);
        remade(v, u, w, m, n), sum += 13 * digits(v, cells) + 15 * digits(u, cells);
        behind(v, u, m, n), sum += 11 * digits(v, cells);
        chosen(v, u, w, n, m % 2), sum += 17 * digits(v, cells);
        sum += 19 * converted(u, w, n);
        printf("rank %d: %d %d %d %lx\n", rank, open, m, n, sum);
        free(u), free(v), free(w);
      }
      printf("rank %d: %d %d %lx\n", rank, open, m, packed(m, size > 64 ? 3 : 4));
    }
  }
  MPI_Finalize();
  return 0;
}
