// A library of one function, around the archive whose functions it hides.
#include <mpi.h>

void installHidden(MPI_Comm comm);
__attribute__((visibility("default"))) void install(MPI_Comm comm) { installHidden(comm); }
