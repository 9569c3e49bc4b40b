// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Applications pass structures by address: members that a branch or loop loads are loaded before it, since the
// structure exists. Loops are split whose guard, size and addresses are members.
// RUN: %same %s -o %t -n 1,2,4 --overlaps "MPI_Irecv at" --overlaps "which completes MPI_Irecv"
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/cells.h"

typedef struct {
  int columns, rows, steps, turns;
} Sizes;

typedef struct {
  int columns, rows, neighbor[2];
  const Sizes *sizes;
  double *now, *then, *out[2], *in[2];
  MPI_Datatype side;
  MPI_Comm comm;
  int last, next;
} Field;

static void makeField(Field *f, const Sizes *sizes, int seed) {
  int columns = sizes->columns, rows = sizes->rows, cells = (rows + 2) * (columns + 2);
  f->columns = columns, f->rows = rows, f->sizes = sizes, f->comm = MPI_COMM_WORLD;
  f->neighbor[0] = rank - 1, f->neighbor[1] = rank + 1 < size ? rank + 1 : -1;
  f->last = rank ? rank - 1 : MPI_PROC_NULL, f->next = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  f->now = make(cells, seed), f->then = make(cells, seed + 1);
  for (int d = 0; d < 2; ++d)
    f->out[d] = make(columns + 2, seed), f->in[d] = make(columns + 2, seed);
  MPI_Type_vector(rows, 1, columns + 2, MPI_DOUBLE, &f->side);
  MPI_Type_commit(&f->side);
}

static void report(Field *f, const char *what) {
  int cells = (f->rows + 2) * (f->columns + 2);
  say(what, digits(f->now, cells) ^ (digits(f->then, cells) << 1));
  for (int d = 0; d < 2; ++d)
    free(f->out[d]), free(f->in[d]);
  free(f->now), free(f->then);
  MPI_Type_free(&f->side);
}

static inline void swap(Field *f) {
  double *then = f->now;
  f->now = f->then, f->then = then;
}

static inline double mean(const double *u, int at, int length) {
  return 0.25 * (u[at - 1] + u[at + 1] + u[at - length] + u[at + length]);
}

/// Requests with a counter, if there is a neighbor.
static void exchangeSome(Field *f) {
  MPI_Request q[4];
  int n = f->columns + 2, used = 0;
  if (f->neighbor[0] >= 0)
    MPI_Irecv(f->now, n, MPI_DOUBLE, f->neighbor[0], 1, f->comm, &q[used++]);
  if (f->neighbor[1] >= 0)
    MPI_Irecv(f->now + (f->rows + 1) * n, n, MPI_DOUBLE, f->neighbor[1], 2, f->comm, &q[used++]);
  if (f->neighbor[0] >= 0)
    MPI_Isend(f->now + n, n, MPI_DOUBLE, f->neighbor[0], 2, f->comm, &q[used++]);
  if (f->neighbor[1] >= 0)
    MPI_Isend(f->now + f->rows * n, n, MPI_DOUBLE, f->neighbor[1], 1, f->comm, &q[used++]);
  MPI_Waitall(used, q, MPI_STATUSES_IGNORE);
}

NOINLINE static void branches(Field *f, int turns) {
  for (int turn = 0; turn < turns; ++turn) {
    exchangeSome(f);
    // CHECK-DAG: remark: splits the loop at structure-members.c:[[#@LINE+1]]:
    for (int i = 1; i <= f->rows; ++i)
      for (int j = 1; j <= f->columns; ++j)
        f->then[i * (f->columns + 2) + j] = mean(f->now, i * (f->columns + 2) + j, f->columns + 2);
    swap(f);
  }
}

/// Buffers in arrays of the structure, packed and unpacked if there is a neighbor.
static void exchangePacked(Field *f) {
  MPI_Request q[4];
  int n = f->columns + 2, used = 0;
  for (int d = 0; d < 2; ++d)
    if (f->neighbor[d] >= 0)
      MPI_Irecv(f->in[d], n, MPI_DOUBLE, f->neighbor[d], 1 + d, f->comm, &q[used++]);
  for (int d = 0; d < 2; ++d)
    if (f->neighbor[d] >= 0) {
      for (int j = 0; j < n; ++j)
        f->out[d][j] = f->now[(d ? f->rows * n : n) + j];
      MPI_Isend(f->out[d], n, MPI_DOUBLE, f->neighbor[d], 2 - d, f->comm, &q[used++]);
    }
  MPI_Waitall(used, q, MPI_STATUSES_IGNORE);
  for (int d = 0; d < 2; ++d)
    if (f->neighbor[d] >= 0)
      for (int j = 0; j < n; ++j)
        f->now[(d ? (f->rows + 1) * n : 0) + j] = f->in[d][j];
}

NOINLINE static void packed(Field *f, int turns) {
  for (int turn = 0; turn < turns; ++turn) {
    exchangePacked(f);
    // CHECK-DAG: remark: splits the loop at structure-members.c:[[#@LINE+1]]:
    for (int i = 1; i <= f->rows; ++i)
      for (int j = 1; j <= f->columns; ++j)
        f->then[i * (f->columns + 2) + j] = mean(f->now, i * (f->columns + 2) + j, f->columns + 2);
    swap(f);
  }
}

/// Sizes in a structure that the structure points to: the run asks whether they arrive.
static void exchangeBySizes(Field *f) {
  MPI_Request q[4];
  int n = f->sizes->columns + 2;
  MPI_Irecv(f->now, n, MPI_DOUBLE, f->last, 1, f->comm, &q[0]);
  MPI_Irecv(f->now + (f->sizes->rows + 1) * n, n, MPI_DOUBLE, f->next, 2, f->comm, &q[1]);
  MPI_Isend(f->now + n, n, MPI_DOUBLE, f->last, 2, f->comm, &q[2]);
  MPI_Isend(f->now + f->sizes->rows * n, n, MPI_DOUBLE, f->next, 1, f->comm, &q[3]);
  MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
}

NOINLINE static void sizes(Field *f, int turns) {
  for (int turn = 0; turn < turns; ++turn) {
    exchangeBySizes(f);
    int length = f->sizes->columns + 2;
    // CHECK-DAG: remark: splits the loop at structure-members.c:[[#@LINE+1]]:
    for (int i = 1; i <= f->sizes->rows; ++i)
      for (int j = 1; j <= f->sizes->columns; ++j)
        f->then[i * length + j] = mean(f->now, i * length + j, length);
    swap(f);
  }
}

/// The result of a step is sent at its end, under the other name.
NOINLINE static void after(Field *f, int turns) {
  for (int turn = 0; turn < turns; ++turn) {
    int n = f->columns + 2;
    // CHECK-DAG: remark: splits the loop at structure-members.c:[[#@LINE+1]]:
    for (int i = 1; i <= f->rows; ++i)
      for (int j = 1; j <= f->columns; ++j)
        f->then[i * n + j] = mean(f->now, i * n + j, n);
    swap(f);
    MPI_Request q[4];
    MPI_Irecv(f->now, n, MPI_DOUBLE, f->last, 1, f->comm, &q[0]);
    MPI_Irecv(f->now + (f->rows + 1) * n, n, MPI_DOUBLE, f->next, 2, f->comm, &q[1]);
    MPI_Isend(f->now + n, n, MPI_DOUBLE, f->last, 2, f->comm, &q[2]);
    MPI_Isend(f->now + f->rows * n, n, MPI_DOUBLE, f->next, 1, f->comm, &q[3]);
    MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
  }
}

/// The bytes of a datatype in the structure are unknown: it may be that of the structure.
NOINLINE static void sides(Field *f, int turns) {
  for (int turn = 0; turn < turns; ++turn) {
    MPI_Request q[4];
    int n = f->columns + 2;
    MPI_Irecv(f->now + n, 1, f->side, f->last, 3, f->comm, &q[0]);
    MPI_Irecv(f->now + n + f->columns + 1, 1, f->side, f->next, 4, f->comm, &q[1]);
    MPI_Isend(f->now + n + 1, 1, f->side, f->last, 4, f->comm, &q[2]);
    MPI_Isend(f->now + n + f->columns, 1, f->side, f->next, 3, f->comm, &q[3]);
    MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
    // CHECK-DAG: remark: splits the loop at structure-members.c:[[#@LINE+1]]:
    for (int i = 1; i <= f->rows; ++i)
      for (int j = 1; j <= f->columns; ++j)
        f->then[i * n + j] = mean(f->now, i * n + j, n);
    swap(f);
  }
}

/// An array of pointers without a type from clang, next to sizes.
typedef struct {
  double *field[2];
  int rows, columns, last, next;
} Turns;

// CHECK-DAG: structure-members.c:[[#@LINE+6]]:{{.*}}: remark: MPI_Sendrecv at structure-members.c:[[#@LINE+6]] overlaps
// 1 loop
NOINLINE static void turns(Turns *t, int steps) {
  for (int step = 0; step < steps; ++step) {
    double *u = t->field[step % 2], *v = t->field[1 - step % 2];
    int length = t->columns + 2;
    MPI_Sendrecv(u + length, length, MPI_DOUBLE, t->last, 1, u + (t->rows + 1) * length, length, MPI_DOUBLE, t->next, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(u + t->rows * length, length, MPI_DOUBLE, t->next, 2, u, length, MPI_DOUBLE, t->last, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i <= t->rows; ++i)
      for (int j = 1; j <= t->columns; ++j)
        v[i * length + j] = mean(u, i * length + j, length);
  }
}

static void byTurns(Field *f, int steps) {
  Turns t = {{f->now, f->then}, f->rows, f->columns, f->last, f->next};
  turns(&t, steps);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  void (*const kinds[])(Field *, int) = {branches, packed, sizes, after, sides, byTurns};
  for (int rows = 1; rows < 9; rows += 1 + rows / 3)
    for (int columns = 1; columns < 9; columns += 1 + columns / 3)
      for (int kind = 0; kind < 6; ++kind) {
        Sizes given = {columns, rows, 0, 0};
        Field f;
        makeField(&f, &given, rows + columns);
        kinds[kind](&f, 3);
        report(&f, "kind");
      }
  MPI_Finalize();
  return 0;
}
