// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Persistent requests: each start becomes the nonblocking calls with the arguments that the requests were made with.
// Each kernel at all small sizes.
// RUN: %same %s -o %t -n 1,2,4
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/cells.h"

enum { most = 6, turns = 5 };
static int up, down;

static void stencil(double *restrict v, const double *restrict u, int m, int n) {
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      v[i * n + j] = u[(i - 1) * n + j] + 2 * u[i * n + j] + u[(i + 1) * n + j];
}

static inline __attribute__((always_inline)) void make_requests(double *u, int m, int n, MPI_Request *requests) {
  MPI_Recv_init(&u[0], n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&u[(m + 1) * n], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Send_init(&u[n], n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Send_init(&u[m * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[3]);
}

static void release(int count, MPI_Request *requests) {
  for (int i = 0; i < count; ++i)
    MPI_Request_free(&requests[i]);
}

/// As textbooks have it: made once, started in each step, two arrays in turn.
// CHECK-DAG: persistent.c:[[#@LINE+7]]:{{[0-9]+}}: remark: MPI_Startall starts the requests of MPI_Recv_init at persistent.c:[[#@LINE-12]] and 3 others as nonblocking calls
// CHECK-DAG: remark: splits the loop at persistent.c:[[#@LINE-19]]
NOINLINE static void turn(double *restrict u, double *restrict v, int m, int n) {
  MPI_Request of_u[4], of_v[4];
  make_requests(u, m, n, of_u);
  make_requests(v, m, n, of_v);
  for (int t = 0; t < turns; ++t) {
    MPI_Startall(4, of_u);
    MPI_Waitall(4, of_u, MPI_STATUSES_IGNORE);
    stencil(v, u, m, n);
    MPI_Startall(4, of_v);
    MPI_Waitall(4, of_v, MPI_STATUSES_IGNORE);
    stencil(u, v, m, n);
  }
  release(4, of_u);
  release(4, of_v);
}

/// Only neighbors that there are have requests.
// CHECK-DAG: persistent.c:[[#@LINE+13]]:{{[0-9]+}}: remark: MPI_Startall starts the requests of MPI_Recv_init at persistent.c:[[#@LINE+5]] and 3 others
NOINLINE static void counted(double *restrict u, double *restrict v, int m, int n) {
  MPI_Request requests[4];
  int k = 0;
  if (up != MPI_PROC_NULL) {
    MPI_Recv_init(&u[0], n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[k++]);
    MPI_Send_init(&u[n], n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[k++]);
  }
  if (down != MPI_PROC_NULL) {
    MPI_Recv_init(&u[(m + 1) * n], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[k++]);
    MPI_Send_init(&u[m * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[k++]);
  }
  for (int t = 0; t < turns; ++t) {
    MPI_Startall(k, requests);
    MPI_Waitall(k, requests, MPI_STATUSES_IGNORE);
    stencil(v, u, m, n);
    for (int i = n; i < (m + 1) * n; ++i)
      u[i] = v[i] / 3;
  }
  release(k, requests);
}

/// The request stays that of the first row, whichever row a step works on.
NOINLINE static void older(double *restrict u, double *restrict v, int m, int n) {
  MPI_Request in, out;
  for (int t = 0; t < m; ++t) {
    double *to = &u[t * n], *from = &v[t * n];
    int tag = 10 + t;
    if (t == 0) {
      MPI_Recv_init(to, n, MPI_DOUBLE, up, tag, MPI_COMM_WORLD, &in);
      MPI_Send_init(from, n, MPI_DOUBLE, down, tag, MPI_COMM_WORLD, &out);
    }
    MPI_Start(&in);
    MPI_Start(&out);
    for (int i = 0; i < n; ++i)
      u[(m + 1) * n + i] += v[n + i];
    MPI_Wait(&in, MPI_STATUS_IGNORE);
    MPI_Wait(&out, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; ++i)
      v[i] += u[i] + from[i];
  }
  release(1, &in);
  release(1, &out);
}

/// From the second step on the same places have other requests. (The first ones are never freed.)
NOINLINE static void replaced(double *restrict u, double *restrict v, int m, int n) {
  MPI_Request requests[2];
  MPI_Recv_init(&u[0], n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(&v[n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[1]);
  for (int t = 0; t < turns; ++t) {
    if (t == 1) {
      MPI_Recv_init(&u[n], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[0]);
      MPI_Send_init(&v[0], n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[1]);
    }
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < m * n; ++i)
      v[i] += u[i];
  }
}

/// The datatype is freed before the starts, which do not need it: the requests do.
// CHECK-DAG: persistent.c:[[#@LINE+10]]:{{[0-9]+}}: remark: MPI_Startall stays as it is: MPI_Type_free at persistent.c:[[#@LINE+8]] may free the datatype of MPI_Recv_init
NOINLINE static void columns(double *restrict u, double *restrict v, int m, int n) {
  MPI_Request requests[2];
  MPI_Datatype column;
  MPI_Type_vector(m, 1, n, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Recv_init(u, 1, column, up, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(&v[n - 1], 1, column, down, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Type_free(&column);
  for (int t = 0; t < turns; ++t) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < m * n; ++i)
      v[i] += u[i];
  }
  release(2, requests);
}

/// What arrived is asked of the statuses.
// CHECK-DAG: persistent.c:[[#@LINE+7]]:{{[0-9]+}}: remark: MPI_Startall stays as it is: the statuses of MPI_Waitall at persistent.c:[[#@LINE+10]] are used
NOINLINE static int asked(double *u, double *v, int n) {
  MPI_Request requests[2];
  int sum = 0;
  MPI_Recv_init(u, n + 1, MPI_DOUBLE, up, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(v, n, MPI_DOUBLE, down, 7, MPI_COMM_WORLD, &requests[1]);
  for (int t = 0; t < turns; ++t) {
    MPI_Startall(2, requests);
    MPI_Status statuses[2];
    int count;
    MPI_Waitall(2, requests, statuses);
    MPI_Get_count(&statuses[0], MPI_DOUBLE, &count);
    sum += statuses[0].MPI_TAG * 100 + count;
  }
  release(2, requests);
  return sum;
}

/// A request without a wait is inactive: a wait returns at once.
NOINLINE static void inactive(double *restrict u, double *restrict v, int m, int n) {
  MPI_Request in, out;
  MPI_Recv_init(u, n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &in);
  MPI_Send_init(v, n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &out);
  for (int t = 0; t < turns; ++t) {
    if (t != 2) {
      MPI_Start(&in);
      MPI_Start(&out);
    }
    MPI_Wait(&out, MPI_STATUS_IGNORE);
    MPI_Wait(&in, MPI_STATUS_IGNORE);
    for (int i = 0; i < m * n; ++i)
      v[i] += u[i];
  }
  release(1, &in);
  release(1, &out);
}

/// Alternating halves of an array of requests.
NOINLINE static void halves(double *restrict u, double *restrict v, int m, int n) {
  MPI_Request requests[4];
  for (int half = 0; half < 2; ++half) {
    MPI_Recv_init(&u[half * n], n, MPI_DOUBLE, up, half, MPI_COMM_WORLD, &requests[2 * half]);
    MPI_Send_init(&v[half * n], n, MPI_DOUBLE, down, half, MPI_COMM_WORLD, &requests[2 * half + 1]);
  }
  for (int t = 0; t < turns; ++t) {
    MPI_Startall(2, &requests[t % 2 * 2]);
    MPI_Waitall(2, &requests[t % 2 * 2], MPI_STATUSES_IGNORE);
    for (int i = 0; i < m * n; ++i)
      v[i] += u[i];
  }
  release(4, requests);
}

/// A test sees the request complete.
NOINLINE static void tested(double *restrict u, double *restrict v, int m, int n) {
  MPI_Request in, out;
  MPI_Recv_init(u, n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &in);
  MPI_Send_init(v, n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &out);
  for (int t = 0; t < turns; ++t) {
    MPI_Start(&in);
    MPI_Start(&out);
    for (int done = 0; !done;)
      MPI_Test(&in, &done, MPI_STATUS_IGNORE);
    MPI_Wait(&out, MPI_STATUS_IGNORE);
    for (int i = 0; i < m * n; ++i)
      v[i] += u[i];
  }
  release(1, &in);
  release(1, &out);
}

/// A handle that the program copies is the same request.
NOINLINE static void copied(double *restrict u, double *restrict v, int m, int n) {
  MPI_Request requests[2], others[2];
  MPI_Recv_init(u, n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(v, n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[1]);
  others[0] = requests[1];
  others[1] = requests[0];
  for (int t = 0; t < turns; ++t) {
    MPI_Startall(2, t % 2 ? requests : others);
    MPI_Waitall(2, t % 2 ? others : requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < m * n; ++i)
      v[i] += u[i];
  }
  release(2, requests);
}

/// The number of elements and the array are other ones when the message is started.
NOINLINE static void changing(double *u, double *v, int m, int n) {
  MPI_Request requests[2];
  double *to = u;
  int count = n;
  MPI_Recv_init(to, count, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(v, count, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[1]);
  for (int t = 0; t < turns; ++t) {
    to = &u[t % m * n];
    count = t % n;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < count; ++i)
      v[i] += to[i] + u[i];
  }
  release(2, requests);
}

/// The array also contains a request from elsewhere.
NOINLINE static MPI_Request makeReceive(double *to, int n) {
  MPI_Request request;
  MPI_Recv_init(to, n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request);
  return request;
}
NOINLINE static void stored(double *restrict u, double *restrict v, int m, int n) {
  MPI_Request requests[2] = {makeReceive(u, n), MPI_REQUEST_NULL};
  MPI_Send_init(v, n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[1]);
  for (int t = 0; t < turns; ++t) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < m * n; ++i)
      v[i] += u[i];
  }
  release(2, requests);
}

/// Without a neighbor, MPI would reject the other arguments.
NOINLINE static int place(int process) { return process < 0 || process >= size ? -2 : process; }
NOINLINE static void absent(double *restrict u, double *restrict v, int m, int n) {
  MPI_Request requests[2];
  int k = 0, last = place(rank - 1), next = place(rank + 1);
  double *from = next < 0 ? NULL : &v[n], *to = last < 0 ? NULL : u;
  MPI_Comm comm = last < 0 && next < 0 ? MPI_COMM_NULL : MPI_COMM_WORLD;
  if (last >= 0)
    MPI_Recv_init(to, last < 0 ? -1 : n, MPI_DOUBLE, last, last + 10, comm, &requests[k++]);
  if (next >= 0)
    MPI_Send_init(from, next < 0 ? -1 : n, MPI_DOUBLE, next, rank + 10, comm, &requests[k++]);
  for (int t = 0; t < turns; ++t) {
    MPI_Startall(k, requests);
    MPI_Waitall(k, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < m * n; ++i)
      v[i] += u[i];
  }
  release(k, requests);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = (rank + size - 1) % size;
  down = (rank + 1) % size;
  enum { cells = (most + 3) * (most + 2) };
  typedef void (*kernel)(double *, double *, int, int);
  kernel kernels[] = {turn, counted, older, replaced, columns, inactive, halves, tested, copied, changing,
                      stored, absent};
  for (int open = 0; open < 2; ++open) {
    if (open) {
      up = rank ? rank - 1 : MPI_PROC_NULL;
      down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    }
    for (int m = 1; m < most; ++m)
      for (int n = 1; n < most; ++n) {
        unsigned long sum = 0;
        for (unsigned k = 0; k < sizeof kernels / sizeof kernels[0]; ++k) {
          double *u = make(cells, m), *v = make(cells, n);
          kernels[k](u, v, m, n);
          sum = sum * 37 + digits(u, cells) + 3 * digits(v, cells);
          sum += open ? 0 : asked(u, v, n);
          free(u), free(v);
        }
        printf("rank %d: %d %d %d %lx\n", rank, open, m, n, sum);
      }
  }
  MPI_Finalize();
  return 0;
}
