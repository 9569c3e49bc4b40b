// comm-overlap of a program that has comm from the start: in comm to the end, for the MPI that is installed.
// RUN: rm -rf %t && mkdir -p %t/bin %t/include "%t/with space"
// RUN: echo '#!/bin/sh' > %t/bin/mpicc
// RUN: echo 'echo "cc -I\"%t/with space\" -I%t/include -lmpi"' >> %t/bin/mpicc
// RUN: chmod +x %t/bin/mpicc
// RUN: echo '#define OMPI_MAJOR_VERSION 5' > %t/include/mpi.h
// RUN: env -u COMM_ABI -u COMM_MPICC sh -c 'PATH=%t/bin:$PATH exec comm-opt -comm-overlap=lower=false %s' | FileCheck %s
// CHECK: module attributes {comm.abi = "openmpi5"}
// CHECK: comm.allreduce async
// CHECK: scf.for
// CHECK: comm.wait

// Other headers, an environment variable, an option; and none at all.
// RUN: echo '#define MPICH_VERSION "5.0.2"' > "%t/with space/mpi.h"
// RUN: env -u COMM_ABI COMM_MPICC=%t/bin/mpicc comm-opt -comm-overlap=lower=false %s | FileCheck %s --check-prefix=MPICH
// MPICH: comm.abi = "mpich"
// RUN: echo '#define MPI_ABI_VERSION 1' > "%t/with space/mpi.h"
// RUN: env -u COMM_ABI COMM_MPICC=%t/bin/mpicc comm-opt -comm-overlap=lower=false %s | FileCheck %s --check-prefix=STANDARD
// STANDARD: comm.abi = "mpi-abi"
// RUN: env COMM_ABI=openmpi4 COMM_MPICC=%t/bin/mpicc comm-opt -comm-overlap=lower=false %s | FileCheck %s --check-prefix=CHOSEN
// CHOSEN: comm.abi = "openmpi4"
// RUN: echo '#define LAM_VERSION 7' > "%t/with space/mpi.h"
// RUN: not env -u COMM_ABI COMM_MPICC=%t/bin/mpicc comm-opt -comm-overlap %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not env -u COMM_ABI COMM_MPICC=%t/nowhere comm-opt -comm-overlap %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not env COMM_ABI=lam COMM_MPICC=%t/bin/mpicc comm-opt -comm-overlap %s 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: none is named: set the option abi
// RUN: env COMM_MPICC=%t/bin/mpicc comm-opt -comm-overlap=abi=mpich %s | FileCheck %s --check-prefix=LOWERED
// LOWERED: call @comm.start_MPI_Allreduce
// LOWERED-NOT: comm.wait

func.func @step(%mine: memref<8xi64>, %all: memref<8xi64> {llvm.noalias}, %other: memref<?xf32> {llvm.noalias}, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = arith.constant 1.0 : f32
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %sum = comm.constant "MPI_SUM" : !comm.op
  comm.allreduce sendbuf(%mine : memref<8xi64>) recvbuf(%all : memref<8xi64>) op(%sum) comm(%world)
  scf.for %i = %zero to %n step %one {
    memref.store %x, %other[%i] : memref<?xf32>
  }
  return
}
