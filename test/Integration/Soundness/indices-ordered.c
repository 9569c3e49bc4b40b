// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops with index arrays whose iterations depend on each other: only the first ones run before the wait, in their
// order. And loops whose iterations need not wait in many places. Each function would produce other digits without one
// of the rules of docs/iterations.md, "Index arrays".
// RUN: %same %s -o %t -n 1,2,4 --overlaps MPI_Irecv
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/cells.h"
#include <math.h>

enum { rows = 60, ghosts = 12, length = rows + ghosts, most = 6 };
static int up, down;

/// Rows with tables of pointers, and lengths that any store may change.
struct matrix {
  char length[rows];
  int *column[rows];
  int flat[rows];
};

NOINLINE static struct matrix *lay(const char *where) {
  struct matrix *a = calloc(1, sizeof *a);
  for (int i = 0; i < rows; ++i) {
    int n = 0, *column = a->column[i] = calloc(most, sizeof(int));
    int isGhost = strchr(where, 'a')   ? 1
                  : strchr(where, 's') ? i % 7 == 3
                                       : (strchr(where, 'l') && i < 5) || (strchr(where, 'h') && i >= rows - 6);
    if (!(strchr(where, 'e') && i % 3 == 0)) { // every third row is empty
      column[n++] = i;
      column[n++] = (i * 7 + 3) % rows;
      column[n++] = i ? i - 1 : i;
      if (isGhost)
        column[n++] = rows + (i * 5 + rank) % ghosts;
    }
    a->length[i] = n;
    a->flat[i] = n ? column[n - 1] : i;
  }
  return a;
}

#define EXCHANGE(x, first, count)                                                                                      \
  MPI_Request request[4];                                                                                              \
  double out[ghosts];                                                                                                  \
  memcpy(out, x, sizeof out);                                                                                          \
  MPI_Irecv(&(x)[first], (count) / 2, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);                                 \
  MPI_Irecv(&(x)[(first) + (count) / 2], (count) - (count) / 2, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &request[1]);     \
  MPI_Isend(&out[0], (count) / 2, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[2]);                                   \
  MPI_Isend(&out[1], (count) - (count) / 2, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &request[3]);                           \
  MPI_Waitall(4, request, MPI_STATUSES_IGNORE)

/// In place: a row after one that waits reads what that one writes, and the other way round.
// CHECK-DAG: remark: splits the loop at indices-ordered.c:[[#@LINE+4]]: iterations that touch nothing in flight need not wait, and are found at run time
NOINLINE static void smooth(struct matrix *a, const double *restrict r, double *x, int turns) {
  for (int t = 0; t < turns; ++t) {
    EXCHANGE(x, rows, ghosts);
    for (int i = 0; i < rows; ++i) {
      double sum = r[i];
      for (int k = 0; k < a->length[i]; ++k)
        sum -= 0.25 * x[a->column[i][k]];
      x[i] = sum;
    }
  }
}

/// Downwards, and what is received is in the middle of what is written.
NOINLINE static void backwards(struct matrix *a, double *x, int first) {
  EXCHANGE(x, first, ghosts);
  for (int i = rows - 1; i >= 0; --i) {
    double sum = x[i];
    for (int k = 0; k < a->length[i]; ++k)
      sum -= 0.25 * x[a->column[i][k]];
    x[i] = sum;
  }
}

/// Written by index: two iterations may write one element. The sum of floating-point numbers keeps its order, and a
/// number of the last iteration and one of the last iteration but one are used after the loop.
// CHECK-DAG: remark: splits the loop at indices-ordered.c:[[#@LINE+4]]: iterations that touch nothing in flight need not wait, and are found at run time
NOINLINE static double scattered(const int *restrict column, double *restrict y, double *restrict x) {
  double norm = 0, last = 0, before = 0;
  EXCHANGE(x, rows, ghosts);
  for (int i = 0; i < rows; ++i) {
    before = last;
    last = x[column[i]];
    y[column[i]] += last + before;
    norm = norm * 0.75 + last;
  }
  return norm + 3 * last + 5 * before;
}

/// In place, and the loop makes rows longer, by a ghost, that it has not reached yet, or has left. The inspector has
/// seen the old lengths.
NOINLINE static void extended(struct matrix *a, char *lengths, const char *restrict full, double *restrict x,
                              int distance) {
  EXCHANGE(x, rows, ghosts);
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int k = 0; k < a->length[i]; ++k)
      sum += x[a->column[i][k]];
    x[i] = x[i] * 0.5 + sum * 0.125;
    lengths[(i + distance) % rows] = full[(i + distance) % rows];
  }
}

/// What is received is not found by index, but multiplied by it.
NOINLINE static void weighted(const int *restrict first, const int *restrict column, double *value, double *restrict y,
                              const double *restrict x) {
  EXCHANGE(value, rows, ghosts);
  for (int i = 0; i < rows - 1; ++i) {
    double sum = 0;
    for (int k = first[i]; k < first[i + 1]; ++k)
      sum += value[k] * x[column[k] / 8];
    y[i] = sum;
  }
}

/// Only the value before that of the last iteration is used after the loop.
NOINLINE static double behind(const int *restrict column, double *restrict y, double *restrict x) {
  double last = 0, before = 0;
  EXCHANGE(x, rows, ghosts);
  for (int i = 0; i < rows; ++i) {
    before = last;
    last = x[column[i]] + before * 0.5;
    y[column[i]] += last;
  }
  return before;
}

/// Between two steps a row gets one more entry, which is a ghost, by a pointer to characters: the result is not kept.
NOINLINE static void lengthened(struct matrix *a, char *lengths, double *restrict y, double *restrict x, int turns) {
  for (int t = 0; t < turns; ++t) {
    EXCHANGE(x, rows, ghosts);
    for (int i = 0; i < rows; ++i) {
      double sum = 0;
      for (int k = 0; k < a->length[i]; ++k)
        sum += x[a->column[i][k]];
      y[i] += sum;
    }
    a->column[9 + t][4] = rows + t;
    lengths[9 + t] = 5;
  }
}

/// The lengths or the entries are received.
NOINLINE static void received(struct matrix *a, double *restrict y, double *restrict x, int turns) {
  for (int t = 0; t < turns; ++t) {
    MPI_Request request[2];
    char out[4] = {1, 2, 1, 3};
    MPI_Irecv(&a->length[20], 4, MPI_CHAR, up, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(out, 4, MPI_CHAR, down, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < rows; ++i) {
      double sum = 0;
      for (int k = 0; k < a->length[i]; ++k)
        sum += x[a->column[i][k]];
      y[i] += sum;
    }
    memset(&a->length[20], 100, 4); // must not be used before the next message has arrived
  }
}

/// Many gaps, and values that leave the loop: the last one, a count, and a maximum of which the later NaN counts.
NOINLINE static double values(const int *restrict column, double *restrict y, double *restrict x, int n) {
  double last = 0, largest = 0;
  long count = 0;
  EXCHANGE(x, rows, ghosts);
  for (int i = 0; i < n; ++i) {
    last = x[column[i]] * 0.5;
    y[i] = last;
    count += last > 4;
  }
  for (int i = 0; i < n; ++i)
    largest = largest > y[i] ? largest : y[i];
  return last + (double)count + largest;
}

/// The maximum in the loop that waits: its parts are combined in their order.
NOINLINE static double maximum(const int *restrict column, double *restrict y, double *restrict x, int n) {
  double largest = 0;
  EXCHANGE(x, rows, ghosts);
  for (int i = 0; i < n; ++i) {
    y[i] = x[column[i]] * 0.5;
    largest = largest > y[i] ? largest : y[i];
  }
  return largest;
}

/// Elements that are larger than the distance of two indices, and reach into what is received from below.
NOINLINE static double wide(const int *restrict column, const int *restrict begin, const char *restrict bytes,
                            double *x) {
  double sum = 0;
  EXCHANGE(x, rows, ghosts);
  for (int i = 0; i < rows - 1; ++i)
    for (int k = begin[i]; k < begin[i + 1]; ++k) {
      double value;
      memcpy(&value, bytes + column[k], sizeof value);
      unsigned long bits;
      memcpy(&bits, &value, sizeof bits);
      sum = sum * 0.5 + (double)(bits % 1000);
    }
  return sum;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = (rank + size - 1) % size;
  down = (rank + 1) % size;
  static const char *const places[] = {"", "l", "h", "lh", "s", "a", "lhe", "se", "e"};
  for (unsigned p = 0; p < sizeof places / sizeof *places; ++p) {
    struct matrix *a = lay(places[p]);
    double *x = make(length, p), *y = make(length, 3);
    unsigned long sum = 0;
    for (int turns = 0; turns < 3; ++turns)
      smooth(a, y, x, turns), sum = sum * 3 + digits(x, length);
    for (int first = rows - 7; first <= rows; first += 7)
      backwards(a, x, first), sum = sum * 3 + digits(x, length);
    double number = scattered(a->flat, y, x);
    sum = sum * 3 + digits(y, length) + digits(&number, 1);
    lengthened(a, a->length, y, x, 4), sum = sum * 3 + digits(y, rows);
    for (int n = 0; n <= rows; n += n < 3 ? 1 : 19) {
      number = values(a->flat, y, x, n);
      sum = sum * 3 + digits(y, rows) + digits(&number, 1);
      x[rows + 2] = n % 2 ? NAN : 1, x[13] = n % 3 ? NAN : 2;
      number = maximum(a->flat, y, x, n);
      x[13] = 2;
      sum = sum * 3 + digits(y, rows) + digits(&number, 1);
    }
    int begins[rows], columns[3 * rows];
    for (int i = 0; i < rows; ++i) {
      begins[i] = 3 * i;
      for (int k = 0; k < 3; ++k)
        columns[3 * i + k] = i % 9 == 4 ? rows * 8 - 8 + (i + k) % 16 : (i * 29 + k * 3) % (rows * 8 - 8);
    }
    x[rows + 2] = 1;
    number = wide(columns, begins, (const char *)x, x);
    sum = sum * 3 + digits(&number, 1);
    double *value = make(3 * rows, 7);
    weighted(begins, columns, value, y, x), sum = sum * 3 + digits(y, rows);
    free(value);
    received(a, y, x, 3), sum = sum * 3 + digits(y, rows);
    number = behind(a->flat, y, x);
    sum = sum * 3 + digits(y, length) + digits(&number, 1);
    struct matrix *full = lay(places[p]);
    for (int distance = 0; distance < rows; distance += 1 + distance * 11) {
      for (int i = 0; i < rows; ++i)
        a->length[i] = full->length[i] < 3 ? full->length[i] : 3;
      extended(a, a->length, full->length, x, distance), sum = sum * 3 + digits(x, length);
    }
    printf("rank %d: %s %lx\n", rank, places[p], sum);
    for (int i = 0; i < rows; ++i)
      free(a->column[i]);
    for (int i = 0; i < rows; ++i)
      free(full->column[i]);
    free(full), free(a), free(x), free(y);
  }
  MPI_Finalize();
  return 0;
}
