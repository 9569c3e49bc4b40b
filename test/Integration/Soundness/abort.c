// MPI_Abort does not return: earlier output stays before it, and later output does not happen.
// RUN: %same %s -o %t -n 1 --exit 1
#include "Inputs/soundness.h"
#include <signal.h>

static double values[steps];

NOINLINE static void check(int n) {
  int got[few], part[few];
  MPI_Sendrecv(&n, 1, MPI_INT, 0, 0, got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  work(values);
  if (got[0] == 0) {
    printf("rank 0: none\n");
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  part[0] = 1000 / n;
  MPI_Sendrecv(part, 1, MPI_INT, 0, 0, got, few, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  work(values);
  say("got", got[0]);
}

static void crashed(int signal) {
  (void)signal;
  static const char text[] = "rank 0: crashed\n";
  _exit(write(1, text, sizeof text - 1) > 0 ? 9 : 8);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  signal(SIGFPE, crashed);
  check(argc - 1);
  MPI_Finalize();
  return 0;
}
