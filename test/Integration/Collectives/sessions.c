// The processes of communicators are unknown in a program that may create sessions: collectives stay blocking,
// whichever of its two names the function is called by.
// RUN: %mpicc -O2 -c %S/Inputs/count.c -o %t.count.o
// RUN: %mpicc -O2 -c -DSTUB -I%S/Inputs -I%soundness %s -o %t.stub.o
// RUN: %commcc -O2 -DSESSION_INIT=MPI_Session_init -I%S/Inputs -I%soundness %s %t.count.o %t.stub.o -o %t
// RUN: %brief -n 2 %t | FileCheck %s
// RUN: %commcc -O2 -DSESSION_INIT=PMPI_Session_init -I%S/Inputs -I%soundness %s %t.count.o %t.stub.o -o %t.pmpi
// RUN: %brief -n 2 %t.pmpi | FileCheck %s
// CHECK-DAG: rank 0: sum 161429191
// CHECK-DAG: rank 1: sum 161429191
// CHECK-DAG: rank 0: started 0
// CHECK-DAG: rank 1: started 0
// Without sessions they are nonblocking.
// RUN: %commcc -O2 -I%S/Inputs -I%soundness %s %t.count.o -o %t.none
// RUN: %brief -n 2 %t.none | FileCheck %s --check-prefix=NONE
// NONE-DAG: rank 0: started 2
#include "places.h"

// MPI libraries before MPI 4 have no sessions.
#if defined(STUB) && MPI_VERSION < 4
int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, void **session);
int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, void **session) { return *session = 0, MPI_SUCCESS; }
int PMPI_Session_init(MPI_Info info, MPI_Errhandler handler, void **session);
int PMPI_Session_init(MPI_Info info, MPI_Errhandler handler, void **session) { return *session = 0, MPI_SUCCESS; }
#elif !defined(STUB)
#if MPI_VERSION < 4
typedef void *MPI_Session;
#ifdef SESSION_INIT
int SESSION_INIT(MPI_Info info, MPI_Errhandler handler, MPI_Session *session);
#endif
#endif

int main(int argc, char **argv) {
  begin(&argc, &argv);
  say("sum", here(0, MPI_COMM_WORLD));
#ifdef SESSION_INIT
  MPI_Session session;
  if (argc > 9) // the possibility is enough
    SESSION_INIT(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
#endif
  MPI_Finalize();
  return 0;
}
#endif
