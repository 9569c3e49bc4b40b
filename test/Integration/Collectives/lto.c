// A file with -flto that Comm leaves alone makes the same query as others.
// REQUIRES: lld
// RUN: %commcc -O2 -c -DPART=1 -I%S/Inputs -I%soundness %s -o %t.1.o
// RUN: %commcc -O2 -flto -c -DPART=2 -I%S/Inputs -I%soundness %s -o %t.2.o
// RUN: %commcc -O2 -flto=thin -c -DPART=2 -I%S/Inputs -I%soundness %s -o %t.thin.o
// RUN: %mpicc -O2 -c %S/Inputs/count.c -o %t.count.o
// RUN: %commcc -flto -fuse-ld=lld %t.1.o %t.2.o %t.count.o -o %t.full
// RUN: %brief -n 2 %t.full | FileCheck %s
// RUN: %commcc -flto=thin -fuse-ld=lld -Wl,--gc-sections %t.1.o %t.thin.o %t.count.o -o %t.thin
// RUN: %brief -n 2 %t.thin | FileCheck %s
// CHECK-DAG: rank 0: sum 161429191
// CHECK-DAG: rank 1: sum 161429191
// CHECK-DAG: rank 0: started 2
// CHECK-DAG: rank 1: started 2
#include "places.h"

#if PART == 1
long other(int root, MPI_Comm comm);

int main(int argc, char **argv) {
  begin(&argc, &argv);
  say("sum", rank == 0 ? here(0, MPI_COMM_WORLD) : other(0, MPI_COMM_WORLD));
  MPI_Finalize();
  return 0;
}
#else
long other(int root, MPI_Comm comm) { return there(root, comm); }
#endif
