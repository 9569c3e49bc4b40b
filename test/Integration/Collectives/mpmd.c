// Several programs in one MPI_COMM_WORLD: one overlaps a broadcast, one does not, and Comm did not compile one.
// RUN: %mpicc -O2 -c %S/Inputs/count.c -o %t.count.o
// RUN: %commcc -O2 -Rcomm -DPLACE=here -I%S/Inputs -I%soundness %s %t.count.o -o %t.here 2>&1 | FileCheck --check-prefix=REMARK %s
// REMARK: MPI_Bcast at places.h:{{[0-9]+}} overlaps 1 loop
// RUN: %commcc -O2 -DPLACE=there -I%S/Inputs -I%soundness %s %t.count.o -o %t.there
// RUN: %mpicc -O2 -DPLACE=there -I%S/Inputs -I%soundness %s %t.count.o -o %t.foreign
//
// RUN: %brief -n 1 %t.here : -n 1 %t.there | FileCheck %s
// RUN: %brief -n 1 %t.foreign : -n 1 %t.here | FileCheck %s
// Even if the launcher only sees a script.
// RUN: echo 'test "$OMPI_COMM_WORLD_RANK" = 0 && exec %t.here; exec %t.foreign' > %t.script
// RUN: %brief -n 2 sh %t.script | FileCheck %s
// CHECK-DAG: rank 0: sum 161429191
// CHECK-DAG: rank 1: sum 161429191
// CHECK-DAG: rank 0: started 0
// CHECK-DAG: rank 1: started 0
//
// One program overlaps, found by its own name or by its user's promise that it is alone.
// RUN: %brief -n 2 %t.here | FileCheck --check-prefix=ALONE %s
// RUN: env COMM_ONE_PROGRAM=1 %brief -n 2 sh -c %t.here | FileCheck --check-prefix=ALONE %s
// RUN: env COMM_ONE_PROGRAM=0 %brief -n 2 %t.here | FileCheck %s
// ALONE-DAG: rank 0: started 2
// ALONE-DAG: rank 1: started 2
//
// On one node the nonblocking form of a broadcast does not pay; nor on communicators of one process.
// RUN: env COMM_COST=measured %commcc -O2 -DPLACE=here -I%S/Inputs -I%soundness %s %t.count.o -o %t.cheap
// RUN: %brief -n 2 %t.cheap | FileCheck %s
#include "places.h"

int main(int argc, char **argv) {
  begin(&argc, &argv);
  say("sum", PLACE(0, MPI_COMM_WORLD));
  MPI_Finalize();
  return 0;
}
