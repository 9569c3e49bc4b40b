// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that creates an error handler is left alone: for communicators, windows, files and sessions, with the names of
// MPI-1, PMPI and Fortran. Calls with MPI's own handlers do not count.
//
// RUN: %commcc -O2 -Rcomm -DMAKE=MPI_Comm_create_errhandler -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %commcc -O2 -Rcomm -DMAKE=PMPI_Comm_create_errhandler -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %commcc -O2 -Rcomm -DMAKE=MPI_Win_create_errhandler -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %commcc -O2 -Rcomm -DMAKE=MPI_File_create_errhandler -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %commcc -O2 -Rcomm -DMAKE=MPI_Session_create_errhandler -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %commcc -O2 -Rcomm -DMAKE=MPI_Errhandler_create -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %commcc -O2 -Rcomm -DMAKE=PMPI_Errhandler_create -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %commcc -O2 -Rcomm -DMAKE=mpi_comm_create_errhandler_ -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %commcc -O2 -Rcomm -DMAKE=mpi_errhandler_create_ -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %commcc -O2 -Rcomm -DMAKE=MPI_Comm_set_errhandler -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=SET
//
// CHECK: remark: {{.*}} makes a function of the program an error handler, which any call of MPI may run: the communication of this file stays as it is
// CHECK-NOT: overlaps 1 loop
// SET: MPI_Recv at own-handlers.c:{{[0-9]+}} overlaps 1 loop

// Without mpi.h, which declares some of them: the name decides.
typedef struct communicator *Comm;
typedef struct datatype *Datatype;
extern char ompi_mpi_comm_world, ompi_mpi_int;
int MPI_Recv(void *, int, Datatype, int, int, Comm, void *);
int MAKE(void *, void *);

static double work[1000];

void install(void *function, void *handler) { MAKE(function, handler); }

int receive(int *data) {
  MPI_Recv(data, 10, (Datatype)&ompi_mpi_int, 0, 0, (Comm)&ompi_mpi_comm_world, (void *)0);
  for (int i = 0; i < 1000; ++i)
    work[i] = work[i] * 0.5 + i;
  return data[0];
}
