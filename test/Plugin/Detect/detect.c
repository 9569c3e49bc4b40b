// The point-to-point code that -fcomm-detect turns into a graph, and its remarks on other code.
// RUN: commcc -O2 -fcomm-detect -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not="a graph"
// RUN: llvm-nm --undefined-only %t.o | FileCheck %s --check-prefix=CALLS
// RUN: commcc -O2 -c %s -o %t.o
// RUN: llvm-nm --undefined-only %t.o | FileCheck %s --check-prefix=OFF

// CALLS: comm_cdag_phase_begin
// CALLS: comm_cdag_phase_end
// OFF-NOT: comm_cdag

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

// CHECK-DAG: remark: 2 calls from MPI_Send at detect.c:[[#]] on form a graph, which all processes of the communicator are taken to execute together
void gather(double *mine, double *all, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0)
    for (int p = 1; p < size; ++p)
      MPI_Recv(all + p * n, n, MPI_DOUBLE, p, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Send(mine, n, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
}

// CHECK-DAG: remark: 2 calls from MPI_Recv at detect.c:[[#]] on form a graph
void alltoall(double *out, double *in, int n, MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  MPI_Request *requests = malloc(2 * size * sizeof(MPI_Request));
  for (int p = 0; p < size; ++p) {
    MPI_Irecv(in + p * n, n, MPI_DOUBLE, p, 3, comm, &requests[p]);
    MPI_Isend(out + p * n, n, MPI_DOUBLE, p, 3, comm, &requests[size + p]);
  }
  MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE);
  free(requests);
}

// A loop that repeats a phase stays outside of it.
// CHECK-DAG: remark: 1 call from MPI_Sendrecv at detect.c:[[#]] on forms a graph
void steps(double *mine, double *all, int n, int size) {
  for (int step = 0; step < 10; ++step)
    for (int p = 0; p < size; ++p)
      MPI_Sendrecv(mine, n, MPI_DOUBLE, p, 0, all + p * n, n, MPI_DOUBLE, p, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// CHECK-DAG: detect.c:[[#]]:5: remark: MPI_Recv in a loop over processes is not part of a graph: code around it uses the buffers between the messages
void unpack(double *in, double *all, int n, int size) {
  for (int p = 1; p < size; ++p) {
    MPI_Recv(in, n, MPI_DOUBLE, p, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; ++i)
      all[p * n + i] += in[i];
  }
}

// CHECK-DAG: remark: MPI_Recv in a loop over processes is not part of a graph: its status is used
int counted(double *in, int n, int size) {
  int total = 0;
  for (int p = 1; p < size; ++p) {
    MPI_Status status;
    int got;
    MPI_Recv(in + p * n, n, MPI_DOUBLE, p, 7, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &got);
    total += got;
  }
  return total;
}

// CHECK-DAG: remark: MPI_Recv in a loop over processes is not part of a graph: it takes messages from any source
void any(double *in, int n, int size) {
  for (int p = 1; p < size; ++p)
    MPI_Recv(in + p * n, n, MPI_DOUBLE, MPI_ANY_SOURCE, p, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int p = 1; p < size; ++p)
    MPI_Send(in, n, MPI_DOUBLE, p, p, MPI_COMM_WORLD);
}

// CHECK-DAG: remark: MPI_Send in a loop over processes is not part of a graph: the messages next to it use another communicator
void two(double *in, int n, int size, MPI_Comm a, MPI_Comm b) {
  for (int p = 1; p < size; ++p) {
    MPI_Send(in, n, MPI_DOUBLE, p, 0, a);
    MPI_Send(in, n, MPI_DOUBLE, p, 0, b);
  }
}

// No loop over processes: nothing is said.
void to_one(double *out, int n, int count) {
  for (int i = 1; i < count; ++i)
    MPI_Send(out + i * n, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
}

// CHECK-DAG: remark: MPI_Send in a loop over processes is not part of a graph: the call of printf next to it does more than compute
void printing(double *out, int n, int size) {
  for (int p = 1; p < size; ++p) {
    printf("to %d\n", p);
    MPI_Send(out, n, MPI_DOUBLE, p, 0, MPI_COMM_WORLD);
  }
}

// The receives are elsewhere, and may be code of another kind: a master sends, its workers receive.
// CHECK-DAG: remark: MPI_Send in a loop over processes is not part of a graph: the other ends of its messages are elsewhere
void started(double *out, int n, int size, MPI_Request *requests) {
  for (int p = 1; p < size; ++p)
    MPI_Isend(out, n, MPI_DOUBLE, p, 0, MPI_COMM_WORLD, &requests[p]);
}

// A branch on the rank is part of the graph; some processes execute none of it.
// CHECK-DAG: remark: 1 call from MPI_Sendrecv at detect.c:[[#]] on forms a graph
void some(double *out, double *in, int n, int size) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank > 2)
    for (int p = 3; p < size; ++p)
      MPI_Sendrecv(out, n, MPI_DOUBLE, p, 0, in + p * n, n, MPI_DOUBLE, p, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// CHECK-DAG: remark: MPI_Sendrecv in a loop over processes is not part of a graph: whether a process gets here depends on its rank
void masters(double *out, double *in, int n, int size) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank > 2) {
    printf("%d exchanges\n", rank);
    for (int p = 3; p < size; ++p)
      MPI_Sendrecv(out, n, MPI_DOUBLE, p, 0, in + p * n, n, MPI_DOUBLE, p, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d is done\n", rank);
  }
}

// The array of requests is known to others.
// CHECK-DAG: remark: MPI_Recv in a loop over processes is not part of a graph: the requests of MPI_Waitall next to it may be known elsewhere
void shown(double *out, double *in, int n, int size, MPI_Request *requests) {
  for (int p = 0; p < size; ++p) {
    MPI_Irecv(in + p * n, n, MPI_DOUBLE, p, 3, MPI_COMM_WORLD, &requests[p]);
    MPI_Send(out + p * n, n, MPI_DOUBLE, p, 3, MPI_COMM_WORLD);
  }
  MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
}

// What is sent changes behind the send: the message must be gone by then.
// CHECK-DAG: remark: MPI_Sendrecv in a loop over processes is not part of a graph: code around it uses the buffers between the messages
void counting(double *in, int n, int size) {
  double count = 0;
  for (int p = 0; p < size; ++p) {
    MPI_Sendrecv(&count, 1, MPI_DOUBLE, p, 0, in + p, 1, MPI_DOUBLE, p, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    count += 1;
  }
}
