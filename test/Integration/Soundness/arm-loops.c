// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first, the last and all other processes have a loop each, in the arms of a branch. The arms become consecutive
// (IsolateLoops.cpp), so that each loop is a unit, and is split.
// RUN: %same %s -o %t -n 1,2,3 --overlaps "MPI_Sendrecv at arm-loops.c:[0-9]+"
// RUN: FileCheck --implicit-check-not="loop at arm-loops.c:22 waits" %s < %t.extended.remarks
#include "Inputs/soundness.h"

static int above, below;

static void exchange(float *a, int n, int m) {
  MPI_Sendrecv(a + m, m, MPI_FLOAT, above, 0, a + (n + 1) * m, m, MPI_FLOAT, below, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(a + n * m, m, MPI_FLOAT, below, 1, a, m, MPI_FLOAT, above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

NOINLINE static void blur(float *restrict a, float *restrict b, int n, int m, int turns) {
  for (int t = 0; t < turns; ++t) {
    exchange(a, n, m);
    // All three loops have this line, and one remark.
    // CHECK: arm-loops.c:[[#@LINE+1]]:{{[0-9]+}}: remark: splits the loop
    if (rank == 0) {
      for (int i = 1; i <= n; ++i)
        for (int j = 0; j < m; ++j) {
          int k = i * m + j;
          b[k] = a[k] * 0.6f + a[k + m] * 0.1f;
          if (i > 1)
            b[k] += a[k - m] * 0.1f;
        }
    } else if (rank == size - 1) {
      for (int i = 1; i <= n; ++i)
        for (int j = 0; j < m; ++j) {
          int k = i * m + j;
          b[k] = a[k] * 0.6f + a[k - m] * 0.1f;
          if (i < n)
            b[k] += a[k + m] * 0.1f;
        }
    } else {
      for (int i = 1; i <= n; ++i)
        for (int j = 0; j < m; ++j) {
          int k = i * m + j;
          b[k] = a[k] * 0.6f + a[k - m] * 0.1f + a[k + m] * 0.1f;
        }
    }
    for (int i = m; i < (n + 1) * m; ++i)
      a[i] = b[i] * 0.9f;
  }
}

/// The arms pass values on, and one of them writes a variable of the condition.
NOINLINE static long values(float *a, float *b, int n, int m, int *kind) {
  long sum = 0;
  for (int t = 0; t < 4; ++t) {
    exchange(a, n, m);
    int most = 0, which = t;
    if (*kind > 2) {
      for (int i = 1; i <= n; ++i) {
        int now = (int)(a[i * m] + a[(i + 1) * m]);
        most = now > most ? now : most;
        b[i * m + 1] = a[i * m + 1] + (float)most;
      }
      *kind -= 2;
      which = 5;
    } else {
      for (int i = 1; i <= n; ++i) {
        int now = (int)(a[i * m + 2] - a[(i - 1) * m + 3]);
        most = now < most ? now : most;
        b[i * m + 2] = a[i * m + 2] * 2 + (float)i;
      }
      *kind += 3;
    }
    sum = sum * 7 + most * 3 + which + *kind;
    for (int i = m; i < (n + 1) * m; ++i)
      a[i] += b[i] * 0.125f;
  }
  return sum;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int n = 20 + argc, m = 50 + argc, kind = argc;
  above = (rank + size - 1) % size, below = (rank + 1) % size;
  size_t cells = (size_t)(n + 2) * (size_t)m;
  float *a = calloc(cells, sizeof(float)), *b = calloc(cells, sizeof(float));
  for (size_t i = 0; i < cells; ++i)
    a[i] = (float)((i * 31 + (size_t)rank * 7) % 101);
  blur(a, b, n, m, 6);
  say("values", values(a, b, n, m, &kind));
  double sum = 0;
  for (size_t i = 0; i < cells; ++i)
    sum += (double)a[i] * (double)(i % 5) + (double)b[i];
  say("cells", (long)(sum * 1000));
  free(a), free(b);
  MPI_Finalize();
  return 0;
}
