// A library that one process opens, and one that the program is linked with, give the same answer.
// RUN: %mpicc -O2 -c %S/Inputs/count.c -o %t.count.o
// RUN: %commcc -O2 -shared -fPIC -DLIBRARY=there -I%S/Inputs -I%soundness %s -o %t.opened.so
// RUN: %commcc -O2 -DPLACE=here -I%S/Inputs -I%soundness %s %t.count.o -ldl -o %t
// RUN: %brief -n 2 %t %t.opened.so | FileCheck --check-prefixes=CHECK,OVERLAPS %s
// The program's calls decide, not those of the library, which was unknown when the program started.
// RUN: %commcc -O2 -shared -fPIC -DLIBRARY=here -I%S/Inputs -I%soundness %s -o %t.opened.so
// RUN: %commcc -O2 -DPLACE=there -I%S/Inputs -I%soundness %s %t.count.o -ldl -o %t
// RUN: %brief -n 2 %t %t.opened.so | FileCheck --check-prefixes=CHECK,BLOCKS %s
// A program that is linked with the library knows about it.
// RUN: %commcc -O2 -DPLACE=there -DLINKED -I%S/Inputs -I%soundness %s %t.count.o %t.opened.so -o %t
// RUN: %brief -n 2 %t | FileCheck --check-prefixes=CHECK,OVERLAPS %s
// CHECK-DAG: rank 0: sum 161429191
// CHECK-DAG: rank 1: sum 161429191
// OVERLAPS-DAG: rank 0: started 2
// BLOCKS-DAG: rank 0: started 0
#include "places.h"

#include <dlfcn.h>

#ifdef LIBRARY
long broadcast(int root, MPI_Comm comm) { return LIBRARY(root, comm); }
#else
long broadcast(int root, MPI_Comm comm);

int main(int argc, char **argv) {
  begin(&argc, &argv);
  if (rank == 0) {
    say("sum", PLACE(0, MPI_COMM_WORLD));
  } else {
#ifdef LINKED
    long (*other)(int, MPI_Comm) = broadcast;
#else
    long (*other)(int, MPI_Comm) = (long (*)(int, MPI_Comm))dlsym(dlopen(argv[1], RTLD_NOW), "broadcast");
#endif
    say("sum", other(0, MPI_COMM_WORLD));
  }
  MPI_Finalize();
  return 0;
}
#endif
