// MPI may set errno: no call of it comes between what sets errno and what looks at it.
// RUN: %same %s -o %t -n 2 -- -lm
#include "Inputs/soundness.h"

#include <errno.h>
#include <math.h>

// A library that sets errno in every nonblocking call and wait, as MPI may.
int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  int code = PMPI_Wait(request, status);
  errno = EDOM;
  return code;
}
int MPI_Iallreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  int code = PMPI_Iallreduce(in, out, n, type, op, comm, request);
  errno = EDOM;
  return code;
}

static double values[steps];
static double result;

NOINLINE static void look(double x) {
  double mine = x, sum; // which errno is not, as everybody can see
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  work(values);
  errno = 0;
  double y = exp(x); // in range
  result = y * sum;  // the wait is before it, and not after exp
  say("out of range", errno != 0);
  say("result", result > 1);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  look(rank + 1);
  MPI_Finalize();
  return 0;
}
