// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modes in which files are opened (MPI-4, 14.2.1): without seeking, at the end; and a view that begins where the shared
// file pointer is.
#include "expect.h"

enum { N = 4 };

static void writeParts(MPI_File file, int part, int rank) {
  int out[N], count;
  MPI_Status status;
  for (int i = 0; i < N; ++i)
    out[i] = 100 * part + rank;
  EXPECT(!MPI_File_write_ordered(file, out, N, MPI_INT, &status));
  MPI_Get_count(&status, MPI_INT, &count);
  EXPECT(count == N);
}

int main(int argc, char **argv) {
  int rank, size, x = 0, in[N], count, mode;
  MPI_File file;
  MPI_Offset at;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char *name = argv[1];
  EXPECT(!MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL,
                        &file));
  EXPECT(MPI_File_write(file, &x, 1, MPI_INT, &status) == MPI_ERR_UNSUPPORTED_OPERATION);
  EXPECT(MPI_File_write_at(file, 0, &x, 1, MPI_INT, &status) == MPI_ERR_UNSUPPORTED_OPERATION);
  EXPECT(MPI_File_seek(file, 0, MPI_SEEK_SET) == MPI_ERR_UNSUPPORTED_OPERATION);
  writeParts(file, 0, rank);
  EXPECT(!MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  writeParts(file, 1, rank);
  MPI_File_close(&file);
  EXPECT(!MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_APPEND | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                        &file));
  MPI_File_get_amode(file, &mode);
  EXPECT(mode == (MPI_MODE_RDWR | MPI_MODE_APPEND | MPI_MODE_DELETE_ON_CLOSE));
  MPI_Offset each = size * N * sizeof(int);
  MPI_File_get_position(file, &at);
  EXPECT(at == 2 * each);
  MPI_File_get_position_shared(file, &at);
  EXPECT(at == 2 * each);
  MPI_Barrier(MPI_COMM_WORLD);
  writeParts(file, 2, rank);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_get_size(file, &at);
  EXPECT(at == 3 * each);
  for (int part = 0; part < 3; ++part)
    for (int r = 0; r < size; ++r) {
      MPI_File_read_at(file, part * each + r * N * sizeof(int), in, N, MPI_INT, &status);
      MPI_Get_count(&status, MPI_INT, &count);
      EXPECT(count == N && in[0] == part * 100 + r && in[N - 1] == in[0]);
    }
  MPI_File_close(&file);
  return asExpected("modes");
}
