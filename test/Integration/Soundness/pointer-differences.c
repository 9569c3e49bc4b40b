// A stored difference of two addresses leads from one object to the other: the received data is read through a pointer
// computed from it. (A difference that is only the number of elements does not: vector-sizes.cpp.)
// RUN: %same %s -o %t -n 1,2
#include "Inputs/soundness.h"

#include <stdint.h>

enum { n = 1000 };
static double *results;
static intptr_t kept, table[2];
static struct {
  intptr_t offset;
} *place;
static double number;

/// The last process is late, so that the others would read too early.
static inline __attribute__((always_inline)) void exchange(double *in, double *out) {
  for (int i = 0; i < n; ++i) {
    in[i] = 0;
    out[i] = i + 1000 * rank;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1)
    usleep(50000);
  MPI_Sendrecv(out, n, MPI_DOUBLE, (rank + size - 1) % size, 0, in, n, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

static inline __attribute__((always_inline)) void add(const char *what, const double *from) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    results[i] = 2 * from[i];
  for (int i = 0; i < n; ++i)
    sum += results[i];
  say(what, (long)sum);
}

NOINLINE static void in_variable(void) {
  double *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);
  kept = (intptr_t)in - (intptr_t)out;
  exchange(in, out);
  add("variable", (double *)((intptr_t)out + kept));
  free(in);
  free(out);
}

NOINLINE static void in_elements(void) {
  double *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);
  kept = ((intptr_t)in - (intptr_t)out) / 8;
  exchange(in, out);
  add("elements", (double *)((intptr_t)out + 8 * kept));
  free(in);
  free(out);
}

NOINLINE static void in_table(int which) {
  double *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);
  table[which] = (intptr_t)in - (intptr_t)out;
  table[1 - which] = 0;
  exchange(in, out);
  add("table", (double *)((intptr_t)out + table[0] + table[1]));
  free(in);
  free(out);
}

NOINLINE static void from_its_place(void) {
  double *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);
  place = malloc(sizeof *place);
  place->offset = (intptr_t)in - (intptr_t)place;
  exchange(in, out);
  add("place", (double *)((intptr_t)place + place->offset));
  free(place);
  free(in);
  free(out);
}

NOINLINE static void in_double(void) {
  double *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);
  number = (double)((intptr_t)in - (intptr_t)out);
  exchange(in, out);
  add("double", (double *)((intptr_t)out + (intptr_t)number));
  free(in);
  free(out);
}

NOINLINE static intptr_t keep(intptr_t difference) {
  static intptr_t last;
  last = difference;
  return last;
}

NOINLINE static void in_function(void) {
  double *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);
  intptr_t difference = keep((intptr_t)in - (intptr_t)out);
  exchange(in, out);
  add("function", (double *)((intptr_t)out + difference));
  free(in);
  free(out);
}

/// operator/(Scale, long), which stores the number: not operator delete.
NOINLINE intptr_t divide(intptr_t difference) __asm__("_Zdv5Scalel");
intptr_t divide(intptr_t difference) { return kept = difference; }

NOINLINE static void in_operator(void) {
  double *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);
  divide((intptr_t)in - (intptr_t)out);
  exchange(in, out);
  add("operator", (double *)((intptr_t)out + kept));
  free(in);
  free(out);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  results = malloc(n * sizeof *results);
  in_variable();
  in_elements();
  in_table(argc > 1);
  from_its_place();
  in_double();
  in_function();
  in_operator();
  free(results);
  MPI_Finalize();
}
