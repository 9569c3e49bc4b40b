// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One process has nothing to overlap: functions that compute run as written, unless costs do not count.
// RUN: %mpicc -O2 -DCOUNTS -c %s -o %t.o
// RUN: %commcc -O2 -Rcomm %s %t.o -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %commcc -O2 -fcomm-cost=none %s %t.o -o %t.free
// REMARK: MPI_Sendrecv at {{.*}} overlaps
// RUN: %mpirun -n 1 %t | FileCheck %s --check-prefix=WRITTEN
// RUN: %mpirun -n 2 %t | FileCheck %s --check-prefix=OVERLAPS
// RUN: %mpirun -n 1 %t.free | FileCheck %s --check-prefix=OVERLAPS
// WRITTEN: rank 0: 64 receives at once, 0 started
// OVERLAPS-DAG: rank 0: 0 receives at once, 64 started
#include <mpi.h>
#include <stdio.h>

extern int atOnce, started;

#ifdef COUNTS
int atOnce, started;
int MPI_Sendrecv(const void *out, int sent, MPI_Datatype sentType, int to, int sentTag, void *in, int received,
                 MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
  ++atOnce;
  return PMPI_Sendrecv(out, sent, sentType, to, sentTag, in, received, type, from, tag, comm, status);
}
int MPI_Irecv(void *in, int received, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
  ++started;
  return PMPI_Irecv(in, received, type, from, tag, comm, request);
}
#else
static int in[8], out[8];
static double values[256];

__attribute__((noinline)) static void exchange(int right, int left, long rounds) {
  MPI_Sendrecv(out, 8, MPI_INT, right, 0, in, 8, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long round = 0; round < rounds; ++round)
    values[round & 255] = values[round & 255] * 0.5 + 1;
  out[0] = in[0] & 7;
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 64; ++i)
    exchange((rank + 1) % size, (rank + size - 1) % size, 1000 * argc);
  printf("rank %d: %d receives at once, %d started\n", rank, atOnce, started);
  MPI_Finalize();
  return 0;
}
#endif
