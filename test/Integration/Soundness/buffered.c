// A message says that a former one was received, so that the buffer of buffered sends has room for the next one.
// RUN: %same %s -o %t -n 1,2,3
// So does a barrier.
// RUN: %same %s -o %t -n 1,2,3 -- -DBARRIER
#include "Inputs/soundness.h"

enum { n = 30000 };
static double out[n], in[n];

/// The neighbor confirms that it has received the data.
static inline int acknowledge(int from, int to, int tag) {
#ifdef BARRIER
  MPI_Barrier(MPI_COMM_WORLD);
  return tag + (from + to) % size;
#else
  int yes = 1, answer = 0;
  MPI_Sendrecv(&yes, 1, MPI_INT, from, tag, &answer, 1, MPI_INT, to, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return answer;
#endif
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int bytes, left = (rank + size - 1) % size, right = (rank + 1) % size, answers = 0;
  MPI_Pack_size(n, MPI_DOUBLE, MPI_COMM_WORLD, &bytes);
  bytes += MPI_BSEND_OVERHEAD; // room for one message
  MPI_Buffer_attach(malloc(bytes), bytes);
  for (int turn = 0; turn < 4; ++turn) {
    MPI_Bsend(out, n, MPI_DOUBLE, right, 9, MPI_COMM_WORLD);
    MPI_Recv(in, n, MPI_DOUBLE, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    answers += acknowledge(left, right, 1);
    MPI_Bsend(out, n, MPI_DOUBLE, right, 10, MPI_COMM_WORLD);
    MPI_Recv(in, n, MPI_DOUBLE, left, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    answers += acknowledge(left, right, 2);
  }
  void *buffer;
  MPI_Buffer_detach(&buffer, &bytes);
  if (rank == 0)
    printf("%d\n", answers);
  MPI_Finalize();
}
