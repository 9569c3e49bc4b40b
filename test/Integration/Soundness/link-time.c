// The communication of a program is in a separate file, as in CoMD: with -flto the plugin sees the program at link
// time, and both exchanges of an axis are in flight together. The buffers of the second one may depend on the first
// one, as `feed` says: the second exchange then sends data that the first one received.
// REQUIRES: lld
// RUN: %same %s -o %t -n 1,2,4 --overlaps "MPI_Sendrecv at link-time-exchange" -- -flto %S/Inputs/link-time-exchange.c
// RUN: %same %s -o %t.feed -n 2,4 -- -flto -DFEED %S/Inputs/link-time-exchange.c
//
// A file without -flto, and one that is linked without the plugin, work together with others.
// RUN: %commcc -O2 -flto -c %s -o %t.1.o
// RUN: %commcc -O2 -c %S/Inputs/link-time-exchange.c -o %t.2.o
// RUN: %commcc -flto %t.1.o %t.2.o -o %t.mixed
// RUN: %commcc -flto -fcomm-mode=off -fuse-ld=lld %t.1.o %t.2.o -o %t.unseen
// RUN: %mpirun -n 2 %t.mixed > %t.mixed.out
// RUN: %mpirun -n 2 %t.unseen > %t.unseen.out
// RUN: sort %t.mixed.out -o %t.mixed.out
// RUN: sort %t.unseen.out -o %t.unseen.out
// RUN: diff %t.mixed.out %t.unseen.out
#include "Inputs/link-time.h"
#include "Inputs/soundness.h"

static double values[steps];

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int turn = 0; turn < 4; ++turn) {
    int *sendLeft = malloc(few * sizeof(int)), *sendRight = malloc(few * sizeof(int));
    int *recvLeft = malloc(few * sizeof(int)), *recvRight = malloc(few * sizeof(int));
    fill(sendLeft, few, turn + rank);
    fill(sendRight, few, turn + 2 * rank);
    int fromRight = exchange(sendLeft, few, left, recvRight, few, right);
#ifdef FEED
    int fromLeft = exchange(recvRight, few, right, recvLeft, few, left);
#else
    int fromLeft = exchange(sendRight, few, right, recvLeft, few, left);
#endif
    work(values);
    say("counts", 100 * fromRight + fromLeft);
    say("left", total(recvLeft, few));
    say("right", total(recvRight, few));
    free(sendLeft);
    free(sendRight);
    free(recvLeft);
    free(recvRight);
    say("most", most(turn + rank));
  }
  MPI_Finalize();
  return 0;
}
