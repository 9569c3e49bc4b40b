// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files: opening, each kind of pointer, views of each kind, sizes, errors. No globals: the test builds without the
// compiler side.
#include "expect.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int countOf(MPI_Status *status, MPI_Datatype type) {
  int count;
  MPI_Get_count(status, type, &count);
  return count;
}

/// Each rank its block, by offsets of its own, then by its pointer; the end of the file.
static void blocks(const char *name, int rank, int size) {
  enum { N = 1000 };
  int out[N], in[N + 50];
  MPI_File file;
  MPI_Status status;
  MPI_Offset bytes, at;
  for (int i = 0; i < N; ++i)
    out[i] = rank * N + i;
  EXPECT(!MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, MPI_INFO_NULL, &file));
  EXPECT(!MPI_File_write_at_all(file, rank * sizeof(out), out, N, MPI_INT, &status) && countOf(&status, MPI_INT) == N);
  EXPECT(!MPI_File_sync(file));
  MPI_File_get_size(file, &bytes);
  EXPECT(bytes == (MPI_Offset)(size * sizeof(out)));
  int other = (rank + 1) % size;
  EXPECT(!MPI_File_read_at(file, other * sizeof(out), in, N, MPI_INT, &status));
  for (int i = 0; i < N; ++i)
    EXPECT(in[i] == other * N + i);
  // There is nothing after the end.
  MPI_File_seek(file, -3 * (MPI_Offset)sizeof(int), MPI_SEEK_END);
  EXPECT(!MPI_File_read(file, in, 50, MPI_INT, &status) && countOf(&status, MPI_INT) == 3);
  EXPECT(in[2] == size * N - 1);
  MPI_File_get_position(file, &at);
  EXPECT(at == bytes);
  MPI_Request request;
  EXPECT(!MPI_File_iread_at(file, 0, in, 5, MPI_INT, &request));
  MPI_Wait(&request, &status);
  EXPECT(countOf(&status, MPI_INT) == 5 && in[4] == 4);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_set_size(file, 100);
  MPI_File_get_size(file, &bytes);
  EXPECT(bytes == 100);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_preallocate(file, 200);
  MPI_File_get_size(file, &bytes);
  EXPECT(bytes == 200);
  MPI_File_close(&file);
  EXPECT(file == MPI_FILE_NULL);
  // It exists now.
  EXPECT(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, MPI_INFO_NULL, &file) ==
         MPI_ERR_FILE_EXISTS);
  EXPECT(file == MPI_FILE_NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    EXPECT(!MPI_File_delete(name, MPI_INFO_NULL));
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT(MPI_File_delete(name, MPI_INFO_NULL) == MPI_ERR_NO_SUCH_FILE);
  EXPECT(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file) == MPI_ERR_NO_SUCH_FILE);
}

/// Elements dealt out in turn; a matrix whose columns are distributed over ranks; and a gap in memory.
static void views(const char *name, int rank, int size) {
  enum { N = 40 };
  MPI_File file;
  MPI_Status status;
  MPI_Datatype dealt, one, columns, spread;
  double out[N], in[2 * N];
  for (int i = 0; i < N; ++i)
    out[i] = i * size + rank;
  EXPECT(!MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                        &file));
  MPI_Type_create_resized(MPI_DOUBLE, 0, size * sizeof(double), &dealt);
  MPI_Type_commit(&dealt);
  EXPECT(!MPI_File_set_view(file, 16 + rank * sizeof(double), MPI_DOUBLE, dealt, "native", MPI_INFO_NULL));
  EXPECT(!MPI_File_write_all(file, out, N, MPI_DOUBLE, &status) && countOf(&status, MPI_DOUBLE) == N);
  MPI_Offset at, place;
  MPI_File_get_position(file, &at);
  MPI_File_get_byte_offset(file, 3, &place);
  EXPECT(at == N && place == (MPI_Offset)(16 + (rank + 3 * size) * sizeof(double)));
  MPI_File_seek(file, 0, MPI_SEEK_END);
  MPI_File_get_position(file, &at);
  EXPECT(at == N || rank); // others may still write
  MPI_File_sync(file);
  MPI_Offset displacement;
  char representation[MPI_MAX_DATAREP_STRING];
  MPI_File_get_view(file, &displacement, &one, &columns, representation);
  EXPECT(displacement == (MPI_Offset)(16 + rank * sizeof(double)) && one == MPI_DOUBLE &&
         !strcmp(representation, "native"));
  MPI_Type_free(&columns);
  // Everything, as one sequence.
  MPI_File_set_view(file, 16, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
  for (int i = 0; i < N * size; i += 7) {
    EXPECT(!MPI_File_read_at(file, i, in, 1, MPI_DOUBLE, &status) && in[0] == i);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  // A matrix of 8 rows; two columns each, from a buffer with gaps.
  int sizes[2] = {8, 2 * size}, part[2] = {8, 2}, start[2] = {0, 2 * rank};
  MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_DOUBLE, &columns);
  MPI_Type_commit(&columns);
  MPI_Type_vector(16, 1, 2, MPI_DOUBLE, &spread);
  MPI_Type_commit(&spread);
  EXPECT(!MPI_File_set_view(file, 0, MPI_DOUBLE, columns, "native", MPI_INFO_NULL));
  for (int i = 0; i < 32; ++i)
    in[i] = i % 2 ? -1 : rank * 100 + i / 2;
  EXPECT(!MPI_File_write_all(file, in, 1, spread, &status) && countOf(&status, spread) == 1);
  MPI_File_sync(file);
  MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 2 * size; ++column) {
      EXPECT(!MPI_File_read_at(file, row * 2 * size + column, in, 1, MPI_DOUBLE, &status));
      EXPECT(in[0] == column / 2 * 100 + row * 2 + column % 2);
    }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_set_view(file, 0, MPI_DOUBLE, columns, "native", MPI_INFO_NULL);
  for (int i = 0; i < 32; ++i)
    in[i] = -1;
  MPI_File_read_all_begin(file, in, 1, spread);
  MPI_File_read_all_end(file, in, &status);
  for (int i = 0; i < 31; ++i)
    EXPECT(in[i] == (i % 2 ? -1 : rank * 100 + i / 2));
  EXPECT(MPI_File_set_view(file, 0, MPI_DOUBLE, columns, "external32", MPI_INFO_NULL) == MPI_ERR_UNSUPPORTED_DATAREP);
  EXPECT(MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_INT, "native", MPI_INFO_NULL) == MPI_ERR_ARG);
  MPI_Type_free(&columns);
  MPI_Type_free(&spread);
  MPI_Type_free(&dealt);
  MPI_File_close(&file);
  EXPECT(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file) == MPI_ERR_NO_SUCH_FILE);
}

/// Parts by rank, and parts that belong to no other rank.
static void shared(const char *name, int rank, int size) {
  MPI_File file;
  MPI_Status status;
  MPI_Offset at;
  int mine[10], sum = 0, total, record[2];
  EXPECT(!MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                        &file));
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  for (int i = 0; i < 10; ++i)
    mine[i] = rank;
  EXPECT(!MPI_File_write_ordered(file, mine, rank + 1, MPI_INT, &status));
  MPI_File_get_position_shared(file, &at);
  EXPECT(at == size * (size + 1) / 2);
  MPI_File_sync(file);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  memset(mine, 0, sizeof(mine));
  EXPECT(!MPI_File_read_ordered(file, mine, rank + 1, MPI_INT, &status) && countOf(&status, MPI_INT) == rank + 1);
  for (int i = 0; i <= rank; ++i)
    EXPECT(mine[i] == rank);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  for (int i = 0; i < 8; ++i) {
    record[0] = rank;
    record[1] = i;
    EXPECT(!MPI_File_write_shared(file, record, 2, MPI_INT, &status));
  }
  MPI_File_sync(file);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  // Each record is read exactly once.
  for (int i = 0; i < 8; ++i) {
    EXPECT(!MPI_File_read_shared(file, record, 2, MPI_INT, &status) && countOf(&status, MPI_INT) == 2);
    sum += record[0] * 8 + record[1] + 1;
  }
  MPI_Allreduce(&sum, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(total == 8 * size * (8 * size + 1) / 2);
  // In atomic mode records are whole whoever writes.
  int flag, whole[500];
  MPI_File_set_atomicity(file, 1);
  MPI_File_get_atomicity(file, &flag);
  EXPECT(flag);
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 500; ++i)
      whole[i] = rank;
    MPI_File_write_at(file, 0, whole, 500, MPI_INT, &status);
    MPI_File_read_at(file, 0, whole, 500, MPI_INT, &status);
    for (int i = 1; i < 500; ++i)
      EXPECT(whole[i] == whole[0]);
  }
  MPI_File_close(&file);
}

static void onError(MPI_File *file, int *code, ...) {
  if (*file != MPI_FILE_NULL)
    *code = MPI_ERR_OTHER;
}

static void wrong(const char *name, int rank) {
  MPI_File file;
  MPI_Status status;
  MPI_Errhandler handler, got;
  int x = 0, mode;
  EXPECT(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE, MPI_INFO_NULL, &file) == MPI_ERR_AMODE);
  EXPECT(MPI_File_open(MPI_COMM_WORLD, name, rank ? MPI_MODE_RDWR : MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL,
                       &file) == MPI_ERR_NOT_SAME);
  EXPECT(MPI_File_open(MPI_COMM_WORLD, "/nowhere/at/all", MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file) ==
         MPI_ERR_NO_SUCH_FILE);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
  EXPECT(MPI_File_read(file, &x, 1, MPI_INT, &status) == MPI_ERR_ACCESS);
  EXPECT(MPI_File_write(file, &x, -1, MPI_INT, &status) == MPI_ERR_COUNT);
  EXPECT(MPI_File_write(file, &x, 1, MPI_DATATYPE_NULL, &status) == MPI_ERR_TYPE);
  EXPECT(MPI_File_write_at(file, -1, &x, 1, MPI_INT, &status) == MPI_ERR_ARG);
  EXPECT(MPI_File_write_all_end(file, &x, &status) == MPI_ERR_OTHER);
  MPI_File_create_errhandler(onError, &handler);
  MPI_File_set_errhandler(file, handler);
  MPI_File_get_errhandler(file, &got);
  EXPECT(got == handler);
  MPI_Errhandler_free(&handler);
  MPI_Errhandler_free(&got);
  MPI_File_get_amode(file, &mode);
  EXPECT(mode == (MPI_MODE_WRONLY | MPI_MODE_CREATE));
  MPI_File_close(&file);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  EXPECT(MPI_File_write(file, &x, 1, MPI_INT, &status) == MPI_ERR_READ_ONLY);
  MPI_File_close(&file);
  EXPECT(MPI_File_close(&file) == MPI_ERR_FILE);
}

/// Blocks that begin after the origin of their type, blocks without data, and ranks without any. If one view is wrong,
/// the call fails in all ranks.
static void odd(const char *name, int rank, int size) {
  MPI_File file;
  MPI_Datatype type, tile, none;
  MPI_Status status;
  MPI_Offset at;
  int out[4] = {4 * rank, 4 * rank + 1, 4 * rank + 2, 4 * rank + 3}, in;
  EXPECT(!MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                        &file));
  // Two ints of each 2 * size, with an empty block. Without the resized type, the extent is that of the data.
  int lengths[3] = {1, 0, 1};
  MPI_Aint places[3] = {8 * rank, 8 * rank + 8 * size, 8 * rank + 4};
  MPI_Type_create_hindexed(3, lengths, places, MPI_INT, &type);
  MPI_Type_create_resized(type, 0, 8 * size, &tile);
  MPI_Type_commit(&tile);
  MPI_Type_commit(&type);
  EXPECT(!MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL)); // two ints follow two ints
  EXPECT(!MPI_File_set_view(file, 0, MPI_INT, tile, "native", MPI_INFO_NULL));
  EXPECT(!MPI_File_write_all(file, out, 4, MPI_INT, &status) && countOf(&status, MPI_INT) == 4);
  MPI_File_sync(file);
  MPI_File_seek(file, 0, MPI_SEEK_END);
  MPI_File_get_position(file, &at);
  EXPECT(at == 4);
  int wrong = rank == size - 1 ? MPI_File_set_view(file, -5, MPI_INT, MPI_INT, "native", MPI_INFO_NULL)
                               : MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  EXPECT(wrong == MPI_ERR_ARG);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  for (int i = 0; i < 4 * size; ++i) {
    int half = i / (2 * size), owner = i % (2 * size) / 2;
    EXPECT(!MPI_File_read_at(file, i, &in, 1, MPI_INT, &status) && in == 4 * owner + 2 * half + i % 2);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  // The last rank takes no part.
  int number = rank == size - 1 ? 0 : 1, from = rank;
  MPI_Type_create_indexed_block(number, 1, &from, MPI_INT, &none);
  MPI_Type_create_resized(none, 0, 4 * size, &type);
  MPI_Type_commit(&type);
  EXPECT(!MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL));
  EXPECT(!MPI_File_write_all(file, out, 2 * number, MPI_INT, &status) && countOf(&status, MPI_INT) == 2 * number);
  if (!number) {
    EXPECT(MPI_File_write(file, out, 1, MPI_INT, &status) != MPI_SUCCESS);
    EXPECT(!MPI_File_read(file, &in, 1, MPI_INT, &status) && countOf(&status, MPI_INT) == 0);
    MPI_File_seek(file, 0, MPI_SEEK_END);
    MPI_File_get_position(file, &at);
    EXPECT(at == 0);
  }
  MPI_File_close(&file);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  blocks(argv[1], rank, size);
  views(argv[1], rank, size);
  odd(argv[1], rank, size);
  shared(argv[1], rank, size);
  wrong(argv[1], rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("files: %d ranks: as expected\n", size);
  MPI_Finalize();
  return 0;
}
