// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose addresses come from index arrays: the iterations that wait are determined at run time, and cached. Each
// function would produce other digits without one of the rules of docs/iterations.md, "Index arrays".
// RUN: %same %s -o %t -n 1,2,4 --overlaps MPI_Irecv
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/cells.h"

enum { rows = 40, ghosts = 12, length = rows + ghosts, entries = 4 * rows };
static int up, down;

/// Columns of a row: its neighbors, and a ghost at the place given by `where`.
NOINLINE static void lay(int *begin, int *column, const char *where) {
  int k = 0;
  begin[0] = 0;
  for (int i = 0; i < rows; ++i) {
    int isGhost = strchr(where, 'a') ? 1 : strchr(where, 's') ? i % 7 == 3 : (strchr(where, 'l') && i < 5) ||
                                                                               (strchr(where, 'h') && i >= rows - 6);
    if (!(strchr(where, 'e') && i % 3 == 0)) { // every third row is empty
      column[k++] = i;
      column[k++] = (i * 7 + 3) % rows;
      if (isGhost)
        column[k++] = rows + (i * 5 + rank) % ghosts;
    }
    begin[i + 1] = k;
  }
}

#define EXCHANGE(x, first, count)                                                                                      \
  MPI_Request request[4];                                                                                              \
  MPI_Irecv(&(x)[first], (count) / 2, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);                                 \
  MPI_Irecv(&(x)[(first) + (count) / 2], (count) - (count) / 2, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &request[1]);     \
  MPI_Isend(&(x)[0], (count) / 2, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[2]);                                   \
  MPI_Isend(&(x)[1], (count) - (count) / 2, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &request[3]);                           \
  MPI_Waitall(4, request, MPI_STATUSES_IGNORE)

/// The usual case. Rows with ghosts are at both ends, at one, scattered; some are empty.
// CHECK-DAG: remark: splits the loop at indices.c:[[#@LINE+5]]: iterations that touch nothing in flight need not wait, and are found at run time
NOINLINE static void product(double *restrict y, double *restrict x, const int *restrict begin,
                             const int *restrict column, int n, int turns) {
  for (int t = 0; t < turns; ++t) {
    EXCHANGE(x, rows, ghosts);
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int k = begin[i]; k < begin[i + 1]; ++k)
        sum += (1 + k % 3) * x[column[k]];
      y[i] = sum;
    }
    for (int i = 0; i < n; ++i)
      x[i] += 0.01 * y[i];
  }
}

/// The pointers may alias, which is tested at run time. The output may be the input.
// CHECK-DAG: remark: splits the loop at indices.c:[[#@LINE+4]]: iterations that touch nothing in flight need not wait, and are found at run time
NOINLINE static void unrestricted(double *y, double *x, const long *column, int n, int turns) {
  for (int t = 0; t < turns; ++t) {
    EXCHANGE(x, rows, ghosts);
    for (int i = 0; i < n; ++i)
      y[i] = 2 * x[column[i]] + t;
  }
}

/// The ghosts move in each iteration of the outer loop, so that other iterations wait.
NOINLINE static void moving(double *restrict y, double *restrict x, const int *restrict column, int turns) {
  for (int t = 0; t < turns; ++t) {
    EXCHANGE(x, 3 * t + 4, 4);
    for (int i = 0; i < rows; ++i)
      y[i] += 2 * x[column[i]];
  }
}

/// The indices change between two iterations, always or sometimes.
NOINLINE static void changed(double *restrict y, double *restrict x, int *restrict column, int turns, int every) {
  for (int t = 0; t < turns; ++t) {
    EXCHANGE(x, rows, ghosts);
    for (int i = 0; i < rows; ++i)
      y[i] += 2 * x[column[i]];
    if (t % every == 1)
      column[20] = rows + t % ghosts;
    else if (t % every == 2)
      column[20] = 20, column[21] = rows;
  }
}

/// The indices themselves are received: an inspector that uses their old values accesses any memory.
NOINLINE static void received(double *restrict y, double *restrict x, int *begin, int *column, int turns, int spoils) {
  for (int t = 0; t < turns; ++t) {
    MPI_Request request[3];
    int out[4] = {4 * rank + t, 3, 2, rows + 1};
    MPI_Irecv(&column[8], 4, MPI_INT, up, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&x[rows], ghosts, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &request[1]);
    MPI_Isend(out, 4, MPI_INT, down, 0, MPI_COMM_WORLD, &request[2]);
    MPI_Send(x, ghosts, MPI_DOUBLE, down, 1, MPI_COMM_WORLD);
    MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < rows; ++i) {
      double sum = 0;
      for (int k = begin[i]; k < begin[i + 1]; ++k)
        sum += x[column[k]];
      y[i] += sum;
    }
    if (spoils)
      column[8] = column[9] = 1 << 30; // must not be used before the next message has arrived
  }
}

/// The loop writes indices: those of later iterations, or its own.
NOINLINE static void overwritten(int *y, double *x, const int *column, int turns, int shift) {
  for (int t = 0; t < turns; ++t) {
    EXCHANGE(x, rows, ghosts);
    for (int i = 0; i < rows - 1; ++i)
      y[i + shift] = (column[i] + 3 + (x[column[i]] > 5)) % length;
  }
}

/// The value found decides whether more is looked up; indices are negative.
NOINLINE static void guarded(double *restrict y, double *restrict x, const int *restrict column,
                             const int *restrict other, int turns) {
  double *middle = x + rows;
  for (int t = 0; t < turns; ++t) {
    EXCHANGE(x, rows, ghosts);
    for (int i = 0; i < rows; ++i) {
      double sum = middle[column[i] - rows];
      if (other[i] > 3)
        sum += middle[other[i] - rows];
      y[i] += sum > 6 ? sum : 1;
    }
  }
}

/// Written by index: two iterations may write the same element, and the last one stays.
NOINLINE static void scattered(double *restrict y, double *restrict x, const int *restrict column, int turns) {
  for (int t = 0; t < turns; ++t) {
    EXCHANGE(x, rows, ghosts);
    for (int i = 0; i < rows; ++i)
      y[column[i] / 2] = x[column[i]] + i;
  }
}

struct matrix {
  int rows;
  int *begin, *column;
};

/// Accessed through a structure, whose members may change in each call, and sometimes do.
NOINLINE static void members(struct matrix *a, struct matrix *b, double *restrict y, double *restrict x, int turns) {
  for (int t = 0; t < turns; ++t) {
    EXCHANGE(x, rows, ghosts);
    for (int i = 0; i < a->rows; ++i) {
      double sum = 0;
      for (int k = a->begin[i]; k < a->begin[i + 1]; ++k)
        sum += x[a->column[k]];
      y[i] += sum;
    }
    if (t == 3)
      *a = *b;
  }
}

/// The received data is unpacked using indices as well.
NOINLINE static void unpacked(double *restrict y, double *restrict x, double *restrict in, const int *restrict column,
                              int turns) {
  for (int t = 0; t < turns; ++t) {
    EXCHANGE(in, rows, ghosts);
    for (int g = 0; g < ghosts; ++g)
      x[rows + g] = in[rows + g];
    for (int i = 0; i < rows; ++i)
      y[i] += 2 * x[column[i]];
  }
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = (rank + size - 1) % size;
  down = (rank + 1) % size;
  static const char *const places[] = {"", "l", "h", "lh", "s", "a", "lhe", "se", "e"};
  for (unsigned p = 0; p < sizeof places / sizeof *places; ++p) {
    int *first = malloc(sizeof(int) * (rows + 1)), *column = calloc(entries, sizeof(int));
    lay(first, column, places[p]);
    long *wide = malloc(sizeof(long) * rows);
    int *narrow = malloc(sizeof(int) * rows), *other = malloc(sizeof(int) * rows);
    for (int i = 0; i < rows; ++i) {
      narrow[i] = first[i + 1] > first[i] ? column[first[i + 1] - 1] : i;
      other[i] = (i * 11) % rows;
      wide[i] = narrow[i];
    }
    double *x = make(length, p), *y = make(length, 3);
    unsigned long sum = 0;
    for (int n = 0; n <= rows; n += n < 3 ? 1 : 37)
      product(y, x, first, column, n, 4), sum = sum * 3 + digits(y, rows);
    unrestricted(y, x, wide, rows, 4), sum = sum * 3 + digits(y, rows);
    unrestricted(x, x, wide, 9, 4), sum = sum * 3 + digits(x, rows);
    unrestricted(x + rows, x, wide, ghosts, 4), sum = sum * 3 + digits(x, length);
    moving(y, x, narrow, 12), sum = sum * 3 + digits(y, rows);
    int *copy = malloc(sizeof(int) * rows);
    for (int every = 1; every < 4; ++every) {
      memcpy(copy, narrow, sizeof(int) * rows);
      changed(y, x, copy, 6, every), sum = sum * 3 + digits(y, rows);
    }
    guarded(y, x, narrow, other, 3), sum = sum * 3 + digits(y, rows);
    for (int shift = 0; shift < 2; ++shift) {
      memcpy(copy, narrow, sizeof(int) * rows);
      overwritten(copy, x, copy, 4, shift);
      for (int i = 0; i < rows; ++i)
        sum = sum * 5 + copy[i];
      overwritten(copy, x, narrow, 4, shift);
      for (int i = 0; i < rows; ++i)
        sum = sum * 5 + copy[i];
    }
    scattered(y, x, narrow, 3), sum = sum * 3 + digits(y, rows);
    struct matrix a = {rows, first, column}, b = {rows - 3, first + 1, column};
    members(&a, &b, y, x, 7), sum = sum * 3 + digits(y, rows);
    double *in = make(length, 9);
    unpacked(y, x, in, narrow, 3), sum = sum * 3 + digits(y, rows);
    if (strcmp(places[p], "e") != 0 && strcmp(places[p], "lhe") != 0)
      for (int spoils = 0; spoils < 2; ++spoils)
        received(y, x, first, column, 3, spoils), sum = sum * 3 + digits(y, rows);
    printf("rank %d: %s %lx\n", rank, places[p], sum);
    free(first), free(column), free(wide), free(narrow), free(other), free(x), free(y), free(copy), free(in);
  }
  MPI_Finalize();
  return 0;
}
