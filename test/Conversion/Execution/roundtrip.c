// A program behaves the same after each of its MPI calls was raised and lowered.
// REQUIRES: openmpi
// RUN: %mpicc -O2 -g -S -emit-llvm %s -o %t.ll
// RUN: mlir-translate --import-llvm %t.ll -o %t.mlir
// RUN: comm-opt %t.mlir --mlir-print-debuginfo -raise-mpi-to-comm -o %t.comm.mlir
// RUN: FileCheck %s --check-prefix=RAISED --input-file=%t.comm.mlir
// RUN: comm-opt %t.comm.mlir --mlir-print-debuginfo -convert-comm-to-llvm -o %t.lowered.mlir
// RUN: mlir-translate --mlir-to-llvmir %t.lowered.mlir -o %t.lowered.ll
// RUN: %mpicc -O1 %t.ll -o %t.before
// RUN: %mpicc -O1 %t.lowered.ll -o %t.after
// RUN: %mpirun -n 2 %t.before > %t.before.txt
// RUN: %mpirun -n 2 %t.after > %t.after.txt
// RUN: diff %t.before.txt %t.after.txt
// RUN: FileCheck %s --input-file=%t.after.txt
// RAISED-NOT: call @MPI_
// RAISED: call @MPI_Get_count
// RAISED-NOT: call @MPI_
// CHECK: sum 3, max 2, from 1 tag 5 count 2, gathered 100 101, flag 1, error 0

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int rank, size, gathered[2], flag = 0, index;
  double in, sum, max, ghost[2] = {0, 0}, mine[2];
  MPI_Request requests[2];
  MPI_Status status;
  MPI_Comm comm;
  MPI_Message message;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
  in = max = rank + 1;
  mine[0] = mine[1] = 10 * rank;
  MPI_Allreduce(&in, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, &max, 1, MPI_DOUBLE, MPI_MAX, comm);
  MPI_Irecv(ghost, 2, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests[0]);
  MPI_Isend(mine, 2, MPI_DOUBLE, 1 - rank, 5, comm, &requests[1]);
  MPI_Wait(&requests[0], &status);
  while (!flag)
    MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
  int source = status.MPI_SOURCE, tag = status.MPI_TAG, count;
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  MPI_Sendrecv_replace(mine, 2, MPI_DOUBLE, 1 - rank, 1, 1 - rank, 1, comm, MPI_STATUS_IGNORE);
  if (rank == 0) {
    MPI_Mprobe(1, 7, comm, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&index, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  } else {
    MPI_Ssend(&rank, 1, MPI_INT, 0, 7, comm);
  }
  int value = 100 + rank;
  int error = MPI_Gather(&value, 1, MPI_INT, gathered, 1, MPI_INT, 0, comm);
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
  if (rank == 0)
    printf("sum %g, max %g, from %d tag %d count %d, gathered %d %d, flag %d, error %d\n", sum, max, source, tag, count,
           gathered[0], gathered[1], flag, error);
  return MPI_Finalize();
}
