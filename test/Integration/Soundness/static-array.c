// An array private to its file is distinct from other pointers unless a pointer to it is passed on, selected or stored.
// RUN: %same %s -o %t -n 2 --overlaps MPI_Recv
#include "Inputs/soundness.h"

static int shown[many], chosen[many], other[many], kept[many], apart[many];
static int *keeper = kept;

/// `in` is the array.
NOINLINE static void receive_shown(int *in) {
  MPI_Recv(in, many, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  long sum = 0;
  for (int i = 0; i < many; ++i)
    sum = (sum * 3 + shown[i]) % 1000003;
  say("shown", sum);
}

NOINLINE static void receive_chosen(int which) {
  int *in = which ? chosen : other;
  MPI_Recv(in, many, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  long sum = 0;
  for (int i = 0; i < many; ++i)
    sum = (sum * 3 + chosen[i]) % 1000003;
  say("chosen", sum);
}

NOINLINE static void receive_kept(void) {
  MPI_Recv(keeper, many, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  long sum = 0;
  for (int i = 0; i < many; ++i)
    sum = (sum * 3 + kept[i]) % 1000003;
  say("kept", sum);
}

/// This one is distinct: its loop overlaps.
NOINLINE static void receive_elsewhere(int *in) {
  MPI_Recv(in, many, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i < many; ++i)
    apart[i] = (apart[i - 1] * 5 + i) % 1000003;
  say("received", in[many - 1]);
  say("apart", apart[many - 1] % 1000);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  if (rank == 0) {
    int *out = (int *)malloc(many * sizeof(int));
    for (int i = 0; i < 4; ++i) {
      nap(60);
      fill(out, many, 10 * i + 1);
      MPI_Send(out, many, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
    free(out);
  } else if (rank == 1) {
    int *in = (int *)malloc(many * sizeof(int));
    receive_shown(shown);
    receive_chosen(argc == 1);
    keeper = argc == 1 ? kept : other;
    receive_kept();
    receive_elsewhere(in);
    free(in);
  }
  MPI_Finalize();
  return 0;
}
