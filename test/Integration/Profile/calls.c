// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All calls that a profile measures have the same names in the compilation that uses it, including one that was never
// executed; also with -flto, and in C++.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/calls.c && cd %t
// RUN: %commcc -O2 -fcomm-profile-generate=calls.json calls.c -o calls && %mpirun -n 1 ./calls
// RUN: grep -c mpi_call calls.json | FileCheck %s --check-prefix=COUNT
// COUNT: 30
// RUN: grep -v '"ranks": 0,' calls.json | FileCheck %s --check-prefix=EXECUTED
// EXECUTED-NOT: _us
// RUN: %commcc -O2 -fcomm-profile-use=calls.json calls.c -o calls 2>&1 | count 0
// RUN: cp calls.c calls.cpp && sed 's/calls\.c"/calls.cpp"/' calls.json > cpp.json
// RUN: %commcxx -O2 -fcomm-profile-use=cpp.json -c calls.cpp 2>&1 | count 0
// RUN: %if lld %{ %commcc -O2 -flto -c calls.c && %commcc -flto -fcomm-profile-generate=lto.json calls.o -o lto && %mpirun -n 1 ./lto %}
// RUN: %if lld %{ %commcc -flto -fcomm-profile-use=lto.json calls.o -o lto 2>&1 | count 0 %}
#include <mpi.h>
static void all(void *a, void *b, int *n, MPI_Datatype *t, MPI_Comm c, MPI_Op o, MPI_Status *s, MPI_File f,
                MPI_Message *m, int k) {
  MPI_Comm d;
  MPI_Request r;
  MPI_Comm_dup(c, &d);
  MPI_File_read(f, a, k, *t, s);
  MPI_File_write_all(f, a, k, *t, s);
  MPI_Allgather(a, k, *t, b, k, *t, c);
  MPI_Allgatherv(a, k, *t, b, n, n, *t, c);
  MPI_Allreduce(a, b, k, *t, o, c);
  MPI_Alltoall(a, k, *t, b, k, *t, c);
  MPI_Alltoallv(a, n, n, *t, b, n, n, *t, c);
  MPI_Alltoallw(a, n, n, t, b, n, n, t, c);
  MPI_Barrier(c);
  MPI_Bcast(a, k, *t, k, c);
  MPI_Bsend(a, k, *t, k, k, c);
  MPI_Exscan(a, b, k, *t, o, c);
  MPI_Gather(a, k, *t, b, k, *t, k, c);
  MPI_Gatherv(a, k, *t, b, n, n, *t, k, c);
  MPI_Mrecv(a, k, *t, m, s);
  MPI_Neighbor_allgather(a, k, *t, b, k, *t, c);
  MPI_Neighbor_allgatherv(a, k, *t, b, n, n, *t, c);
  MPI_Neighbor_alltoall(a, k, *t, b, k, *t, c);
  MPI_Neighbor_alltoallv(a, n, n, *t, b, n, n, *t, c);
  MPI_Recv(a, k, *t, k, k, c, s);
  MPI_Reduce(a, b, k, *t, o, k, c);
  MPI_Reduce_scatter(a, b, n, *t, o, c);
  MPI_Reduce_scatter_block(a, b, k, *t, o, c);
  MPI_Rsend(a, k, *t, k, k, c);
  MPI_Scan(a, b, k, *t, o, c);
  MPI_Scatter(a, k, *t, b, k, *t, k, c);
  MPI_Scatterv(a, n, n, *t, b, k, *t, k, c);
  MPI_Send(a, k, *t, k, k, c);
  MPI_Sendrecv(a, k, *t, k, k, b, k, *t, k, k, c, s);
  MPI_Sendrecv_replace(a, k, *t, k, k, k, k, c, s);
  MPI_Ssend(a, k, *t, k, k, c);
  MPI_Isend(a, k, *t, k, k, c, &r);
  MPI_Wait(&r, s);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc > 3) {
    char memory[256];
    MPI_Datatype type = MPI_INT;
    MPI_Status status;
    MPI_Message message = MPI_MESSAGE_NULL;
    all(memory, memory + 128, &argc, &type, MPI_COMM_WORLD, MPI_SUM, &status, MPI_FILE_NULL, &message, argc);
  }
  MPI_Finalize();
  return 0;
}
