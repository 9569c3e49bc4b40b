// The error handler of own-errhandler.cpp in a file of its own.
#include <mpi.h>

extern int errors;
extern bool throws;

static void handle(MPI_Comm *, int *, ...) {
  ++errors;
  if (throws)
    throw 7;
}
void install(MPI_Comm comm) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(comm, handler);
}
