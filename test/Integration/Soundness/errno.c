// MPI may set errno: no MPI call comes between a statement that sets errno and one that reads it.
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
  double mine = x, sum; // cannot be errno, which is evident
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  work(values);
  errno = 0;
  double y = exp(x); // in range
  result = y * sum;  // the wait is before it, and not after exp
  say("out of range", errno != 0);
  say("result", result > 1);
}

/// The loop reads received data in few iterations, and sets errno for a reader after the loop.
NOINLINE static void lookAfter(double *u, double *v, int n) {
  MPI_Request requests[2];
  MPI_Irecv(u, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(u + n, 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  errno = 0;
  for (int i = 0; i < n; ++i)
    v[i] = exp(u[i]); // one is out of range, and is not received
  say("out of range", errno == ERANGE);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  look(rank + 1);
  static double v[steps];
  values[steps / 2] = 1e6;
  lookAfter(values, v, steps - 1);
  MPI_Finalize();
  return 0;
}
