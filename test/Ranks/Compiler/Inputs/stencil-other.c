// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared with stencil.c, without MPI calls.
#include <math.h>
int rank = -1, ranks;
long calls;
double *current, *next;
enum { cells = 1000 };

double step(const double *from, double *to) {
  double largest = 0;
  for (int i = 1; i <= cells; ++i) {
    to[i] = 0.25 * from[i - 1] + 0.5 * from[i] + 0.25 * from[i + 1];
    largest = fmax(largest, fabs(to[i] - from[i]));
  }
  return largest;
}
