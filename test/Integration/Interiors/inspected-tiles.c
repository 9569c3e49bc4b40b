// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inspectors whose result is not kept go through a loop in tiles of 256 rows: they look at a tile, execute its rows
// before the wait, and go on. Rows are random; runs of them go over the ends of tiles, and what ends the inspection is
// in later tiles: rows that read what earlier ones have written, and columns that the message brings.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: env COMM_COST=measured %commcc -O2 %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 env OMPI_COMM_WORLD_LOCAL_SIZE=1 %t | FileCheck %s
// RUN: %mpicc -O2 %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// CHECK: product: 0 wrong, many with rows before the wait
// CHECK: last: 0 wrong, many with rows before the wait
// CHECK: received: 0 wrong, {{few|many}} with rows before the wait
// PLAIN-COUNT-3: 0 wrong, none with rows before the wait
#include "Inputs/cells.h"

#include <string.h>
#include <time.h>

enum { most = 3000, ghosts = 100, entries = 4, calls = 400, numbers = most + ghosts + most };

typedef struct {
  int rows, *begin, *column;
  /// The columns that the message brings, from here on, and how many.
  int firstReceived, numReceived;
} Matrix;

static unsigned seed = 1;
static int draw(int n) {
  seed = seed * 1103515245 + 12345;
  return (int)(seed >> 8) % n;
}

/// y is behind the ghosts of x: row `most + ghosts + i` of x is row i of y.
static void make(Matrix *a, int receivesColumns) {
  static const int sizes[] = {1, 30, 255, 256, 257, 511, 512, 513, 700, 1024, 2000, most};
  static const int gaps[] = {1, 2, 7, 40, 260, 1000, 100000};
  a->rows = sizes[draw(sizeof sizes / sizeof *sizes)];
  int gap = gaps[draw(sizeof gaps / sizeof *gaps)], dependent = draw(3) ? most : draw(a->rows), n = 0;
  for (int i = 0; i < a->rows; ++i) {
    a->begin[i] = n;
    for (int k = draw(entries); k > 0; --k)
      a->column[n++] = draw(a->rows);
    if (draw(gap) == 0)
      a->column[n++] = most + draw(ghosts);
    if (i == dependent && i > 0)
      a->column[n++] = most + ghosts + draw(i);
  }
  a->begin[a->rows] = n;
  a->firstReceived = draw(n + 1);
  a->numReceived = receivesColumns && draw(2) ? draw(n - a->firstReceived + 1) : 0;
}

NOINLINE static void product(const Matrix *a, double *y, double *x, int *columns) {
  MPI_Request q;
  MPI_Irecv(x + most, ghosts, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  for (int i = 0; i < a->rows; ++i) {
    double sum = i;
    for (int k = a->begin[i]; k < a->begin[i + 1]; ++k)
      sum += x[a->column[k]] * 0.25;
    y[i] = sum;
  }
}

static double lastSum;

/// The last row's sum is used after the loop.
NOINLINE static void productAndLast(const Matrix *a, double *y, double *x, int *columns) {
  MPI_Request q;
  MPI_Irecv(x + most, ghosts, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  double sum = 0;
  for (int i = 0; i < a->rows; ++i) {
    sum = i;
    for (int k = a->begin[i]; k < a->begin[i + 1]; ++k)
      sum += x[a->column[k]] * 0.25;
    y[i] = sum;
  }
  lastSum = sum;
}

NOINLINE static void productOfReceived(const Matrix *a, double *y, double *x, int *columns) {
  MPI_Request q[2];
  MPI_Irecv(x + most, ghosts, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, &q[0]);
  MPI_Irecv(columns, a->numReceived, MPI_INT, last, 2, MPI_COMM_WORLD, &q[1]);
  MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
  for (int i = 0; i < a->rows; ++i) {
    double sum = i;
    for (int k = a->begin[i]; k < a->begin[i + 1]; ++k)
      sum += x[a->column[k]] * 0.25;
    y[i] = sum;
  }
}

static void compute(const Matrix *a, double *y, double *x) {
  for (int i = 0; i < a->rows; ++i) {
    double sum = i;
    for (int k = a->begin[i]; k < a->begin[i + 1]; ++k)
      sum += x[a->column[k]] * 0.25;
    y[i] = sum;
  }
}

typedef void Loop(const Matrix *, double *, double *, int *);

/// The other process returns columns that the first one cannot know, and sends late.
static void answer(void) {
  static int columns[entries * most + 2 * most];
  for (int turn = 0; turn < calls; ++turn) {
    MPI_Status status;
    double out[ghosts];
    int n;
    for (int i = 0; i < ghosts; ++i)
      out[i] = turn + i % 5;
    MPI_Recv(columns, sizeof columns / sizeof *columns, MPI_INT, last, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &n);
    struct timespec time = {0, 300000};
    nanosleep(&time, NULL);
    MPI_Send(out, ghosts, MPI_DOUBLE, next, 0, MPI_COMM_WORLD);
    MPI_Send(columns, n, MPI_INT, next, 2, MPI_COMM_WORLD);
  }
}

static void run(const char *name, Loop *loop, int receivesColumns) {
  static int begins[most + 1], columns[entries * most + 2 * most], sent[entries * most + 2 * most];
  Matrix a = {0, begins, columns, 0, 0};
  double *x = fill(numbers, 1), *expected = malloc(sizeof(double) * numbers), *y = x + most + ghosts;
  int numWrong = 0, numEarly = 0;
  for (int turn = 0; turn < calls; ++turn) {
    make(&a, receivesColumns);
    for (int i = 0; i < most; ++i)
      y[i] = NAN;
    memcpy(expected, x, sizeof(double) * numbers);
    for (int i = 0; i < ghosts; ++i)
      expected[most + i] = turn + i % 5;
    compute(&a, expected + most + ghosts, expected);
    memcpy(sent, columns + a.firstReceived, sizeof(int) * a.numReceived);
    // Nobody may follow these.
    memset(columns + a.firstReceived, 0x7f, sizeof(int) * a.numReceived);
    watch(y, a.rows);
    MPI_Send(sent, a.numReceived, MPI_INT, next, 1, MPI_COMM_WORLD);
    loop(&a, y, x, columns + a.firstReceived);
    numEarly += early() > 0;
    if (loop != productOfReceived)
      MPI_Recv(sent, a.numReceived, MPI_INT, last, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int isWrong = memcmp(x, expected, sizeof(double) * numbers) != 0;
    isWrong |= loop == productAndLast && lastSum != y[a.rows - 1];
    numWrong += isWrong;
  }
  printf("%s: %d wrong, %s with rows before the wait\n", name, numWrong,
         numEarly > calls / 2 ? "many"
         : numEarly           ? "few"
                              : "none");
  fflush(stdout);
  free(x);
  free(expected);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  if (rank) {
    for (int i = 0; i < 3; ++i)
      answer();
  } else {
    run("product", product, 0);
    run("last", productAndLast, 0);
    run("received", productOfReceived, 1);
  }
  MPI_Finalize();
  return 0;
}
