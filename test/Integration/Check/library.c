// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Only a library that the program opens has buffers in flight: the hooks that let MPI write to them are in the program,
// because AddressSanitizer looks for them at its start.
//
// RUN: %commcc -O2 -g -fPIC -shared -DLIBRARY -fcomm-check -Rcomm %s -o %t.so 2>&1 | FileCheck %s
// CHECK: remark: MPI_Sendrecv at library.c:{{[0-9]+}} overlaps 1 loop
// RUN: %commcc -O2 -g -fcomm-check %s -o %t -ldl
// One process, whose send finds its receive and writes to the buffer at once.
// RUN: %mpirun -n 1 %t %t.so | FileCheck --check-prefix=SUM %s
// SUM: rank 0: 33.5

#include <mpi.h>

#ifdef LIBRARY
static double results[1000];

double step(double mine, int rank, int size) {
  double theirs[1];
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Sendrecv(&mine, 1, MPI_DOUBLE, right, 0, theirs, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 1000; ++i)
    results[i] = results[i] * 0.5 + i;
  return theirs[0] + results[32];
}
#else
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  double (*step)(double, int, int) = library ? (double (*)(double, int, int))dlsym(library, "step") : NULL;
  if (!step)
    MPI_Abort(MPI_COMM_WORLD, 1);
  printf("rank %d: %g\n", rank, step(1.5 + rank, rank, size));
  MPI_Finalize();
  return 0;
}
#endif
