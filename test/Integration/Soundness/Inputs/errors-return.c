// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes MPI return error codes, in a file of the program or in a library that Comm did not compile.
#include <mpi.h>

#ifdef FILES
int install(MPI_File file, char *byte, MPI_Request *request) { return MPI_File_iread(file, byte, 1, MPI_CHAR, request); }
#elif defined(OVER)
int MPI_Send_init(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *out) {
  return PMPI_Send_init(buffer, count, type, to, tag, comm, out);
}
#elif !defined(NONE)
void install(void) { MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); }
#endif
