// A message of 4 GiB and some, whose size in bytes is no int: MPI_Sendrecv_replace keeps it in a copy meanwhile. The
// buffer is one memory file of 2 MiB again and again.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, PIECE = 2 << 20, PIECES = 2048 };

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, count = -1, file = memfd_create("piece", 0);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  size_t size = (size_t)PIECE * PIECES + PAGE;
  char *buffer = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (file < 0 || buffer == MAP_FAILED || ftruncate(file, PIECE) != 0)
    return 1;
  for (size_t at = 0; at < size; at += PIECE)
    if (mmap(buffer + at, at + PIECE > size ? PAGE : PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) ==
        MAP_FAILED)
      return 1;
  buffer[0] = 5;
  MPI_Datatype page;
  MPI_Type_contiguous(PAGE, MPI_BYTE, &page);
  MPI_Type_commit(&page);
  MPI_Status status;
  int code = MPI_Sendrecv_replace(buffer, size / PAGE, page, rank, 0, rank, 0, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, page, &count);
  printf("code %d, %d of %zu pages, %d\n", code, count, size / PAGE, buffer[size - PAGE]);
  MPI_Type_free(&page);
  MPI_Finalize();
  return 0;
}
