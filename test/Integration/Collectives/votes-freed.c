// A communicator may be freed while a call on it is in flight, and a wait may not be seen: the votes stay as long as
// somebody knows them. (Code as comm-opt makes it, with the promise that calls are uniform.)
// REQUIRES: openmpi
// DEFINE: %{include} = -I%comm_src_root/runtime/lib/overlap -I%comm_obj_root/runtime/lib/overlap
// RUN: %mpicc -O1 -g -fsanitize=address -DCOMM_HANDLES_ARE_POINTERS %{include} %s %comm_src_root/runtime/lib/overlap/Votes.c %comm_lib_dir/libCommOverlapPointer.a -o %t
// RUN: env ASAN_OPTIONS=detect_leaks=0 %brief -n 2 env COMM_ONE_PROGRAM=1 OMPI_COMM_WORLD_LOCAL_SIZE=1 %t | FileCheck %s
// CHECK: sum 30000
#include <mpi.h>
#include <stdio.h>

int comm_start_promised_MPI_Allgather(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm,
                                      MPI_Request *) __asm__("comm.start_promised_MPI_Allgather");
int comm_call_MPI_Wait(MPI_Request *, MPI_Status *) __asm__("comm.call_MPI_Wait");

int main(int argc, char **argv) {
  int rank, in = 1, out[2], sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 300; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int k = 0; k < 50; ++k) {
      MPI_Request request = MPI_REQUEST_NULL;
      comm_start_promised_MPI_Allgather(&in, 1, MPI_INT, out, 1, MPI_INT, comm, &request);
      if (k == 49)
        MPI_Comm_free(&comm);
      if (k % 10 == 3)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      else
        comm_call_MPI_Wait(&request, MPI_STATUS_IGNORE);
      sum += out[0] + out[1];
    }
  }
  if (rank == 0)
    printf("sum %d\n", sum);
  MPI_Finalize();
  return 0;
}
