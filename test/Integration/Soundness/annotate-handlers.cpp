// An error handler of another file writes memory and throws, even in query calls: the attributes of MPI functions allow
// both. Outputs of a call that fails keep their values.
// RUN: commc++ -O2 -fcomm-annotate -DHANDLER -c %s -o %t.handler.o
// RUN: commc++ -O2 -fcomm-annotate %s %t.handler.o -o %t
// RUN: %mpirun -n 1 %t | FileCheck %s
// Would break: the same attributes as with fatal errors.
// RUN: commc++ -O2 -fcomm-annotate -fcomm-errors-are-fatal -S -emit-llvm %s -o - | FileCheck %s --check-prefix=FATAL
#include <cstdio>
#include <mpi.h>

extern int seen;
void install(bool throws);

#ifdef HANDLER
int seen;
static bool doesThrow;
static void handle(MPI_Comm *, int *, ...) {
  ++seen;
  if (doesThrow)
    throw 7;
}
void install(bool throws) {
  static MPI_Errhandler handler;
  doesThrow = throws;
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
}
#else

struct Grid {
  int rank = -5, size = -6;
};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  Grid grid;
  install(false);
  seen = 0;
  MPI_Comm_size(MPI_COMM_NULL, &grid.size);
  // CHECK: seen 1, size -6, negative
  std::printf("seen %d, size %d, %s\n", seen, grid.size, grid.size < 0 ? "negative" : "not negative");
  install(true);
  try {
    // FATAL-NOT: invoke i32 @MPI_Comm_rank
    MPI_Comm_rank(MPI_COMM_NULL, &grid.rank);
    std::puts("no exception");
  } catch (int code) {
    // CHECK: caught 7, seen 2, rank -5
    std::printf("caught %d, seen %d, rank %d\n", code, seen, grid.rank);
  }
  MPI_Finalize();
}
#endif
