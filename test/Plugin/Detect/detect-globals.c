// Rank, size and communicator in global variables: if they are private to the file, and no pointer can point to them, a
// receive through a pointer does not write them.
// RUN: commcc -O2 -fcomm-detect -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not="a graph"
#include <mpi.h>

static int rank, size;
static MPI_Comm comm;

// CHECK-DAG: remark: 2 calls from MPI_{{Recv|Send}} at detect-globals.c:[[#]] on form a graph
void gather(double *mine, double *all, int n) {
  if (rank == 0)
    for (int p = 1; p < size; ++p)
      MPI_Recv(all + p * n, n, MPI_DOUBLE, p, 7, comm, MPI_STATUS_IGNORE);
  else
    MPI_Send(mine, n, MPI_DOUBLE, 0, 7, comm);
}

// A window: MPI writes the variable when creating and freeing it, and nothing does in between.
static MPI_Win window;
// CHECK-DAG: remark: 1 call from MPI_Get at detect-globals.c:[[#]] on forms a graph, which all processes of the window
void gets(double *in, int n) {
  MPI_Win_fence(0, window);
  for (int p = 0; p < size; ++p)
    MPI_Get(in + p * n, n, MPI_DOUBLE, p, rank * n, n, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
}
void make(double *out, int n) {
  MPI_Win_create(out, n * sizeof(double), sizeof(double), MPI_INFO_NULL, comm, &window);
}
void end(void) { MPI_Win_free(&window); }

// Others may write it, or know where it is.
// CHECK-DAG: remark: MPI_{{Recv|Send}} in a loop over processes is not part of a graph: code around it uses the buffers
int shown_size;
void shown(int *mine, int *all, int n) {
  if (rank == 0)
    for (int p = 1; p < shown_size; ++p)
      MPI_Recv(all + p * n, n, MPI_INT, p, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Send(mine, n, MPI_INT, 0, 7, MPI_COMM_WORLD);
}

// CHECK-DAG: remark: MPI_{{Recv|Send}} in a loop over processes is not part of a graph: code around it uses the buffers
static int pointed_size;
int *pointer_to_size(void) { return &pointed_size; }
void pointed(int *mine, int *all, int n) {
  if (rank == 0)
    for (int p = 1; p < pointed_size; ++p)
      MPI_Recv(all + p * n, n, MPI_INT, p, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Send(mine, n, MPI_INT, 0, 7, MPI_COMM_WORLD);
}

// In flight, MPI knows where it is.
// CHECK-DAG: remark: MPI_{{Recv|Send}} in a loop over processes is not part of a graph: code around it uses the buffers
static int coming_size;
void ask(MPI_Request *request) { MPI_Irecv(&coming_size, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, request); }
void coming(int *mine, int *all, int n) {
  if (rank == 0)
    for (int p = 1; p < coming_size; ++p)
      MPI_Recv(all + p * n, n, MPI_INT, p, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Send(mine, n, MPI_INT, 0, 7, MPI_COMM_WORLD);
}

void start(MPI_Comm other) {
  MPI_Comm_dup(other, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
}
