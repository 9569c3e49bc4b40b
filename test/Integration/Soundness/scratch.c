// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays that look like scratch memory of a row, and rows that need what others have left there. Each function computes
// something else if its rows run in another order. Sizes start at zero.
// RUN: %same %s -o %t -n 1,2,4 --overlaps MPI_Sendrecv
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/cells.h"

static int up, down;

#define AT(u, i, j) u[(i) * (n + 2) + (j)]

static inline __attribute__((always_inline)) void exchange(double *u, int n, int m) {
  MPI_Sendrecv(&AT(u, 1, 0), n + 2, MPI_DOUBLE, up, 1, &AT(u, m + 1, 0), n + 2, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&AT(u, m, 0), n + 2, MPI_DOUBLE, down, 2, &AT(u, 0, 0), n + 2, MPI_DOUBLE, up, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

/// Shows the cells and what the rows have left in the array.
NOINLINE static void show(const char *what, double *u, double *v, double *flux, int n, int m) {
  say(what, (long)(digits(v, (n + 2) * (m + 2)) * 31 + digits(flux, 2 * n + 4)));
  free(u), free(v), free(flux);
}

#define BEGIN double *u = make((n + 2) * (m + 2), 1), *v = make((n + 2) * (m + 2), 2), *flux = make(2 * n + 4, 3)

/// Fills all of it first: what is left afterwards is that of the last row.
// CHECK-DAG: splits the loop at scratch.c:[[#@LINE+4]]
NOINLINE static void filled(int n, int m) {
  BEGIN;
  exchange(u, n, m);
  for (int i = 1; i <= m; ++i) {
    for (int j = 0; j <= n; ++j)
      flux[j] = AT(u, i - 1, j) + AT(u, i + 1, j + 1);
    for (int j = 1; j <= n; ++j)
      AT(v, i, j) = flux[j] - flux[j - 1];
  }
  show("filled", u, v, flux, n, m);
}

/// Reads what the row before has left.
// CHECK-DAG: the loop at scratch.c:[[#@LINE+4]] waits as a whole: it has iterations that depend on each other
NOINLINE static void carried(int n, int m) {
  BEGIN;
  exchange(u, n, m);
  for (int i = 1; i <= m; ++i) {
    for (int j = 1; j <= n; ++j)
      AT(v, i, j) = AT(u, i - 1, j) - flux[j];
    for (int j = 1; j <= n; ++j)
      flux[j] = AT(u, i + 1, j);
  }
  show("carried", u, v, flux, n, m);
}

/// Reads one element more than it has filled.
// CHECK-DAG: the loop at scratch.c:[[#@LINE+4]] waits as a whole: it has iterations that depend on each other
NOINLINE static void further(int n, int m) {
  BEGIN;
  exchange(u, n, m);
  for (int i = 1; i <= m; ++i) {
    for (int j = 1; j <= n; ++j)
      flux[j] = AT(u, i - 1, j) + AT(u, i + 1, j);
    for (int j = 1; j <= n; ++j)
      AT(v, i, j) = flux[j + 1] - flux[j];
    flux[n + 1] = AT(u, i, 1);
  }
  show("further", u, v, flux, n, m);
}

/// Fills some elements only.
// CHECK-DAG: the loop at scratch.c:[[#@LINE+4]] waits as a whole: it has iterations that depend on each other
NOINLINE static void some(int n, int m) {
  BEGIN;
  exchange(u, n, m);
  for (int i = 1; i <= m; ++i) {
    for (int j = 0; j <= n; ++j)
      if (AT(u, i - 1, j) > 5)
        flux[j] = AT(u, i - 1, j) + AT(u, i + 1, j + 1);
    for (int j = 1; j <= n; ++j)
      AT(v, i, j) = flux[j] - flux[j - 1];
  }
  show("some", u, v, flux, n, m);
}

/// Fills every second element.
// CHECK-DAG: the loop at scratch.c:[[#@LINE+4]] waits as a whole: it has iterations that depend on each other
NOINLINE static void second(int n, int m) {
  BEGIN;
  exchange(u, n, m);
  for (int i = 1; i <= m; ++i) {
    for (int j = i % 2; j <= n; j += 2)
      flux[j] = AT(u, i - 1, j) + AT(u, i + 1, j + 1);
    for (int j = 1; j <= n; ++j)
      AT(v, i, j) = flux[j] - flux[j - 1];
  }
  show("second", u, v, flux, n, m);
}

/// Fills it in rows beyond a number that is known before the loop: in the others the condition does not hold.
NOINLINE static void beyond(int n, int m, int fills) {
  BEGIN;
  exchange(u, n, m);
  for (int i = 1; i <= m; ++i) {
    if (fills)
      for (int j = 0; j <= n; ++j)
        flux[j] = AT(u, i - 1, j) + AT(u, i + 1, j + 1);
    for (int j = 1; j <= n; ++j)
      AT(v, i, j) = flux[j] - flux[j - 1];
    if (!fills)
      flux[n] += AT(u, i + 1, 1);
  }
  show("beyond", u, v, flux, n, m);
}

/// Later rows fill less than earlier ones, and what is left is looked at.
NOINLINE static void triangle(int n, int m) {
  BEGIN;
  exchange(u, n, m);
  for (int i = 1; i <= m; ++i) {
    for (int j = 0; j <= n - i; ++j)
      flux[j] = AT(u, i - 1, j) + AT(u, i + 1, j + 1);
    for (int j = 1; j <= n - i; ++j)
      AT(v, i, j) = flux[j] - flux[j - 1];
  }
  show("triangle", u, v, flux, n, m);
}

/// Rows take the two halves in turns: each reads what it has filled, but what is left in one half is of another row.
// CHECK-DAG: the loop at scratch.c:[[#@LINE+4]] waits as a whole: it has iterations that depend on each other
NOINLINE static void turns(int n, int m) {
  BEGIN;
  exchange(u, n, m);
  for (int i = 1; i <= m; ++i) {
    double *half = flux + i % 2 * (n + 2);
    for (int j = 0; j <= n; ++j)
      half[j] = AT(u, i - 1, j) + AT(u, i + 1, j + 1);
    for (int j = 1; j <= n; ++j)
      AT(v, i, j) = half[j] - half[j - 1];
  }
  show("turns", u, v, flux, n, m);
}

/// The elimination begins with what the row before has left.
// CHECK-DAG: the loop at scratch.c:[[#@LINE+4]] waits as a whole: it has iterations that depend on each other
NOINLINE static void eliminated(int n, int m) {
  BEGIN;
  exchange(u, n, m);
  for (int i = 1; i <= m; ++i) {
    for (int j = 1; j <= n; ++j)
      flux[j] = 0.5 * flux[j - 1] + AT(u, i - 1, j) + AT(u, i + 1, j);
    for (int j = 1; j <= n; ++j)
      AT(v, i, j) = flux[j];
    flux[0] = flux[n];
  }
  show("eliminated", u, v, flux, n, m);
}

/// The array may be that of the cells: then a row's fluxes are ghosts of the next one.
NOINLINE static void given(double *u, double *v, double *flux, int n, int m) {
  exchange(u, n, m);
  for (int i = 1; i <= m; ++i) {
    for (int j = 0; j <= n; ++j)
      flux[j] = AT(u, i - 1, j) + AT(u, i + 1, j + 1);
    for (int j = 1; j <= n; ++j)
      AT(v, i, j) = flux[j] - flux[j - 1];
  }
}

/// The rows that are sent next come first, and the array keeps what the last row has left.
NOINLINE static void sent(int n, int m) {
  BEGIN;
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 1; i <= m; ++i) {
      for (int j = 0; j <= n; ++j)
        flux[j] = AT(u, i - 1, j) + AT(u, i + 1, j + 1);
      for (int j = 1; j <= n; ++j)
        AT(v, i, j) = 0.25 * (flux[j] - flux[j - 1]);
    }
    exchange(v, n, m);
    double *old = u;
    u = v, v = old;
  }
  show("sent", u, v, flux, n, m);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = rank ? rank - 1 : MPI_PROC_NULL;
  down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  for (int n = 0; n < 6; ++n)
    for (int m = 1; m < 7; ++m) {
      filled(n, m), carried(n, m), further(n, m), some(n, m), second(n, m);
      beyond(n, m, 1), beyond(n, m, 0), triangle(n, m), turns(n, m), eliminated(n, m), sent(n, m);
      for (int kind = 0; kind < 4; ++kind) {
        BEGIN;
        given(u, v, kind == 0 ? flux : kind == 1 ? u + n + 2 : kind == 2 ? v : &AT(v, m, 0), n, m);
        say("given", (long)digits(u, (n + 2) * (m + 2)));
        show("given", u, v, flux, n, m);
      }
    }
  MPI_Finalize();
  return 0;
}
