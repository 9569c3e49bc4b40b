// Processes of another job run another program: spawned and merged, through an inter-communicator, connected by name.
// RUN: %commcc -O2 -I%S/Inputs -I%soundness %s -o %t.parent
// RUN: %commcc -O2 -DCHILD -I%S/Inputs -I%soundness %s -o %t.child
// RUN: %mpicc -O2 -DCHILD -I%S/Inputs -I%soundness %s -o %t.foreign
// RUN: %brief -n 1 %t.parent %t.child | FileCheck %s
// RUN: %brief -n 1 %t.parent %t.foreign | FileCheck %s
// CHECK-DAG: parent: merged 161429191
// CHECK-DAG: parent: between 161429191
// CHECK-DAG: parent: connected 161429191
// CHECK-DAG: child: merged 161429191
// CHECK-DAG: child: between 161429191
// CHECK-DAG: child: connected 161429191
#include "places.h"

#ifdef CHILD
#define PLACE there
#define NAME "child"
#else
#define PLACE here
#define NAME "parent"
#endif

static void tell(const char *what, long sum) { printf(NAME ": %s %ld\n", what, sum); }

int main(int argc, char **argv) {
  begin(&argc, &argv);
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm other, merged, connected;
#ifdef CHILD
  MPI_Comm_get_parent(&other);
  int root = 0;
#else
  MPI_Comm_spawn(argv[1], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other, MPI_ERRCODES_IGNORE);
  int root = MPI_ROOT;
#endif
  tell("between", PLACE(root, other));
  MPI_Intercomm_merge(other, root == 0, &merged);
  tell("merged", PLACE(0, merged));
#ifdef CHILD
  MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, other, MPI_STATUS_IGNORE);
  MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &connected);
#else
  MPI_Open_port(MPI_INFO_NULL, port);
  MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, other);
  MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &connected);
#endif
  tell("connected", PLACE(root, connected));
  MPI_Comm_free(&merged);
  MPI_Comm_disconnect(&connected);
  MPI_Comm_disconnect(&other);
  MPI_Finalize();
  return 0;
}
