// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each function that reads or writes a file (MPI-4, 14.4): blocking, nonblocking, collective, split, at an offset, at
// the rank's own pointer and at the shared one, with both widths of counts. What is written in one way is read in all.
#include "expect.h"
#include <stdlib.h>
#include <string.h>

static void await(MPI_Request *request, MPI_Status *status) {
  EXPECT(MPI_Wait(request, status) == MPI_SUCCESS && *request == MPI_REQUEST_NULL);
}

enum { AtWays = 10, OwnWays = 10, SharedWays = 4, OrderedWays = 4 };

static void writeAt(MPI_File file, int way, MPI_Offset at, const void *data, int n, MPI_Datatype type,
                    MPI_Status *status) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (way == 0)
    EXPECT(!MPI_File_write_at(file, at, data, n, type, status));
  if (way == 1)
    EXPECT(!MPI_File_write_at_c(file, at, data, n, type, status));
  if (way == 2)
    EXPECT(!MPI_File_write_at_all(file, at, data, n, type, status));
  if (way == 3)
    EXPECT(!MPI_File_write_at_all_c(file, at, data, n, type, status));
  if (way == 4)
    EXPECT(!MPI_File_iwrite_at(file, at, data, n, type, &request));
  if (way == 5)
    EXPECT(!MPI_File_iwrite_at_c(file, at, data, n, type, &request));
  if (way == 6)
    EXPECT(!MPI_File_iwrite_at_all(file, at, data, n, type, &request));
  if (way == 7)
    EXPECT(!MPI_File_iwrite_at_all_c(file, at, data, n, type, &request));
  if (way == 8)
    EXPECT(!MPI_File_write_at_all_begin(file, at, data, n, type));
  if (way == 9)
    EXPECT(!MPI_File_write_at_all_begin_c(file, at, data, n, type));
  if (way >= 8)
    EXPECT(!MPI_File_write_at_all_end(file, data, status));
  else if (way >= 4)
    await(&request, status);
}

static void readAt(MPI_File file, int way, MPI_Offset at, void *data, int n, MPI_Datatype type, MPI_Status *status) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (way == 0)
    EXPECT(!MPI_File_read_at(file, at, data, n, type, status));
  if (way == 1)
    EXPECT(!MPI_File_read_at_c(file, at, data, n, type, status));
  if (way == 2)
    EXPECT(!MPI_File_read_at_all(file, at, data, n, type, status));
  if (way == 3)
    EXPECT(!MPI_File_read_at_all_c(file, at, data, n, type, status));
  if (way == 4)
    EXPECT(!MPI_File_iread_at(file, at, data, n, type, &request));
  if (way == 5)
    EXPECT(!MPI_File_iread_at_c(file, at, data, n, type, &request));
  if (way == 6)
    EXPECT(!MPI_File_iread_at_all(file, at, data, n, type, &request));
  if (way == 7)
    EXPECT(!MPI_File_iread_at_all_c(file, at, data, n, type, &request));
  if (way == 8)
    EXPECT(!MPI_File_read_at_all_begin(file, at, data, n, type));
  if (way == 9)
    EXPECT(!MPI_File_read_at_all_begin_c(file, at, data, n, type));
  if (way >= 8)
    EXPECT(!MPI_File_read_at_all_end(file, data, status));
  else if (way >= 4)
    await(&request, status);
}

static void writeOwn(MPI_File file, int way, const void *data, int n, MPI_Datatype type, MPI_Status *status) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (way == 0)
    EXPECT(!MPI_File_write(file, data, n, type, status));
  if (way == 1)
    EXPECT(!MPI_File_write_c(file, data, n, type, status));
  if (way == 2)
    EXPECT(!MPI_File_write_all(file, data, n, type, status));
  if (way == 3)
    EXPECT(!MPI_File_write_all_c(file, data, n, type, status));
  if (way == 4)
    EXPECT(!MPI_File_iwrite(file, data, n, type, &request));
  if (way == 5)
    EXPECT(!MPI_File_iwrite_c(file, data, n, type, &request));
  if (way == 6)
    EXPECT(!MPI_File_iwrite_all(file, data, n, type, &request));
  if (way == 7)
    EXPECT(!MPI_File_iwrite_all_c(file, data, n, type, &request));
  if (way == 8)
    EXPECT(!MPI_File_write_all_begin(file, data, n, type));
  if (way == 9)
    EXPECT(!MPI_File_write_all_begin_c(file, data, n, type));
  if (way >= 8)
    EXPECT(!MPI_File_write_all_end(file, data, status));
  else if (way >= 4)
    await(&request, status);
}

static void readOwn(MPI_File file, int way, void *data, int n, MPI_Datatype type, MPI_Status *status) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (way == 0)
    EXPECT(!MPI_File_read(file, data, n, type, status));
  if (way == 1)
    EXPECT(!MPI_File_read_c(file, data, n, type, status));
  if (way == 2)
    EXPECT(!MPI_File_read_all(file, data, n, type, status));
  if (way == 3)
    EXPECT(!MPI_File_read_all_c(file, data, n, type, status));
  if (way == 4)
    EXPECT(!MPI_File_iread(file, data, n, type, &request));
  if (way == 5)
    EXPECT(!MPI_File_iread_c(file, data, n, type, &request));
  if (way == 6)
    EXPECT(!MPI_File_iread_all(file, data, n, type, &request));
  if (way == 7)
    EXPECT(!MPI_File_iread_all_c(file, data, n, type, &request));
  if (way == 8)
    EXPECT(!MPI_File_read_all_begin(file, data, n, type));
  if (way == 9)
    EXPECT(!MPI_File_read_all_begin_c(file, data, n, type));
  if (way >= 8)
    EXPECT(!MPI_File_read_all_end(file, data, status));
  else if (way >= 4)
    await(&request, status);
}

static void writeShared(MPI_File file, int way, const void *data, int n, MPI_Status *status) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (way == 0)
    EXPECT(!MPI_File_write_shared(file, data, n, MPI_INT, status));
  if (way == 1)
    EXPECT(!MPI_File_write_shared_c(file, data, n, MPI_INT, status));
  if (way == 2)
    EXPECT(!MPI_File_iwrite_shared(file, data, n, MPI_INT, &request));
  if (way == 3)
    EXPECT(!MPI_File_iwrite_shared_c(file, data, n, MPI_INT, &request));
  if (way >= 2)
    await(&request, status);
}

static void readShared(MPI_File file, int way, void *data, int n, MPI_Status *status) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (way == 0)
    EXPECT(!MPI_File_read_shared(file, data, n, MPI_INT, status));
  if (way == 1)
    EXPECT(!MPI_File_read_shared_c(file, data, n, MPI_INT, status));
  if (way == 2)
    EXPECT(!MPI_File_iread_shared(file, data, n, MPI_INT, &request));
  if (way == 3)
    EXPECT(!MPI_File_iread_shared_c(file, data, n, MPI_INT, &request));
  if (way >= 2)
    await(&request, status);
}

static void writeOrdered(MPI_File file, int way, const void *data, int n, MPI_Status *status) {
  if (way == 0)
    EXPECT(!MPI_File_write_ordered(file, data, n, MPI_INT, status));
  if (way == 1)
    EXPECT(!MPI_File_write_ordered_c(file, data, n, MPI_INT, status));
  if (way == 2)
    EXPECT(!MPI_File_write_ordered_begin(file, data, n, MPI_INT));
  if (way == 3)
    EXPECT(!MPI_File_write_ordered_begin_c(file, data, n, MPI_INT));
  if (way >= 2)
    EXPECT(!MPI_File_write_ordered_end(file, data, status));
}

static void readOrdered(MPI_File file, int way, void *data, int n, MPI_Status *status) {
  if (way == 0)
    EXPECT(!MPI_File_read_ordered(file, data, n, MPI_INT, status));
  if (way == 1)
    EXPECT(!MPI_File_read_ordered_c(file, data, n, MPI_INT, status));
  if (way == 2)
    EXPECT(!MPI_File_read_ordered_begin(file, data, n, MPI_INT));
  if (way == 3)
    EXPECT(!MPI_File_read_ordered_begin_c(file, data, n, MPI_INT));
  if (way >= 2)
    EXPECT(!MPI_File_read_ordered_end(file, data, status));
}

static int countOf(MPI_Status *status, MPI_Datatype type) {
  int count;
  MPI_Get_count(status, type, &count);
  return count;
}

static int value(int rank, int way, int i) { return rank * 10000 + way * 100 + i; }

/// The writes of all ranks are visible to all.
static void publish(MPI_File file) {
  EXPECT(!MPI_File_sync(file));
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT(!MPI_File_sync(file));
}

enum { N = 30 };

static void explicitly(MPI_File file, int rank, int size) {
  int out[N], in[2 * N];
  MPI_Status status;
  MPI_Datatype spread;
  MPI_Type_vector(N, 1, 2, MPI_INT, &spread);
  MPI_Type_commit(&spread);
  EXPECT(!MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  for (int way = 0; way < AtWays; ++way) {
    for (int i = 0; i < N; ++i)
      out[i] = value(rank, way, i);
    writeAt(file, way, (MPI_Offset)(way * size + rank) * N, out, N, MPI_INT, &status);
    EXPECT(countOf(&status, MPI_INT) == N);
    // Some ranks may write nothing.
    writeAt(file, way, 0, out, 0, MPI_INT, &status);
    EXPECT(countOf(&status, MPI_INT) == 0);
  }
  publish(file);
  int other = (rank + 1) % size;
  for (int way = 0; way < AtWays; ++way)
    for (int written = 0; written < AtWays; ++written) {
      memset(in, -1, sizeof(in));
      readAt(file, way, (MPI_Offset)(written * size + other) * N, in, 1, spread, &status);
      EXPECT(countOf(&status, spread) == 1 && countOf(&status, MPI_INT) == N);
      for (int i = 0; i < 2 * N - 1; ++i)
        EXPECT(in[i] == (i % 2 ? -1 : value(other, written, i / 2)));
    }
  for (int way = 0; way < AtWays; ++way) {
    // Beyond the end there is nothing.
    readAt(file, way, (MPI_Offset)AtWays * size * N - 2, in, N, MPI_INT, &status);
    EXPECT(countOf(&status, MPI_INT) == 2 && in[1] == value(size - 1, AtWays - 1, N - 1));
    readAt(file, way, (MPI_Offset)AtWays * size * N, in, N, MPI_INT, &status);
    EXPECT(countOf(&status, MPI_INT) == 0);
  }
  MPI_Offset at;
  MPI_File_get_position(file, &at);
  EXPECT(at == 0);
  MPI_Type_free(&spread);
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Each rank sees every `size`-th block, as one sequence.
static void own(MPI_File file, int rank, int size) {
  int out[2 * N], in[N];
  MPI_Status status;
  MPI_Offset at;
  MPI_Datatype block, mine, spread, got, element;
  MPI_Type_contiguous(N, MPI_INT, &block);
  MPI_Type_create_resized(block, 0, size * N * sizeof(int), &mine);
  MPI_Type_commit(&mine);
  MPI_Type_vector(N, 1, 2, MPI_INT, &spread);
  MPI_Type_commit(&spread);
  EXPECT(!MPI_File_set_view(file, rank * N * sizeof(int), MPI_INT, mine, "native", MPI_INFO_NULL));
  // The view keeps its type, which a program may ask for after it has freed its own handle.
  MPI_Type_free(&mine);
  MPI_Type_free(&block);
  char representation[MPI_MAX_DATAREP_STRING];
  MPI_File_get_view(file, &at, &element, &got, representation);
  MPI_Aint lower, extent;
  int bytes, ints, addresses, types, combiner;
  MPI_Type_size(got, &bytes);
  MPI_Type_get_extent(got, &lower, &extent);
  MPI_Type_get_envelope(got, &ints, &addresses, &types, &combiner);
  EXPECT(bytes == N * (int)sizeof(int) && extent == (MPI_Aint)(size * N * sizeof(int)) && element == MPI_INT &&
         combiner == MPI_COMBINER_RESIZED);
  MPI_Type_free(&got);
  for (int way = 0; way < OwnWays; ++way) {
    for (int i = 0; i < 2 * N; ++i)
      out[i] = i % 2 ? -1 : value(rank, way, i / 2);
    writeOwn(file, way, out, 1, spread, &status);
    EXPECT(countOf(&status, spread) == 1);
    MPI_File_get_position(file, &at);
    EXPECT(at == (way + 1) * N);
  }
  publish(file);
  for (int way = 0; way < OwnWays; ++way) {
    EXPECT(!MPI_File_seek(file, 0, MPI_SEEK_SET));
    for (int written = 0; written < OwnWays; ++written) {
      readOwn(file, way, in, N, MPI_INT, &status);
      EXPECT(countOf(&status, MPI_INT) == N);
      for (int i = 0; i < N; ++i)
        EXPECT(in[i] == value(rank, written, i));
      MPI_File_get_position(file, &at);
      EXPECT(at == (written + 1) * N);
    }
  }
  MPI_Type_free(&spread);
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Records that belong to no rank: each is read once, in each way.
static void shared(MPI_File file, int rank, int size) {
  int record[3], seen[2] = {0}, sums[2];
  MPI_Status status;
  MPI_Offset at;
  EXPECT(!MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  for (int way = 0; way < SharedWays; ++way) {
    record[0] = rank;
    record[1] = way;
    record[2] = rank * SharedWays + way;
    writeShared(file, way, record, 3, &status);
    EXPECT(countOf(&status, MPI_INT) == 3);
  }
  publish(file);
  MPI_File_get_position_shared(file, &at);
  EXPECT(at == 3 * SharedWays * size);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  for (int way = 0; way < SharedWays; ++way) {
    readShared(file, way, record, 3, &status);
    EXPECT(countOf(&status, MPI_INT) == 3 && record[2] == record[0] * SharedWays + record[1]);
    seen[0] += record[2];
    seen[1] += record[2] * record[2];
  }
  MPI_Allreduce(seen, sums, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < size * SharedWays; ++i) {
    sums[0] -= i;
    sums[1] -= i * i;
  }
  EXPECT(sums[0] == 0 && sums[1] == 0);
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Parts of different lengths, in the order of ranks.
static void ordered(MPI_File file, int rank, int size) {
  int out[N], in[N], each = size * (size - 1) / 2;
  MPI_Status status;
  MPI_Offset at;
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  for (int way = 0; way < OrderedWays; ++way) {
    for (int i = 0; i < rank; ++i)
      out[i] = value(rank, way, i);
    writeOrdered(file, way, out, rank, &status);
    EXPECT(countOf(&status, MPI_INT) == rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_get_position_shared(file, &at);
    EXPECT(at == (way + 1) * each);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  publish(file);
  for (int way = 0; way < OrderedWays; ++way) {
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    for (int written = 0; written < OrderedWays; ++written) {
      readOrdered(file, way, in, rank, &status);
      EXPECT(countOf(&status, MPI_INT) == rank);
      for (int i = 0; i < rank; ++i)
        EXPECT(in[i] == value(rank, written, i));
    }
  }
  // It is one sequence.
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < r; ++i) {
      MPI_File_read_at(file, each + r * (r - 1) / 2 + i, in, 1, MPI_INT, &status);
      EXPECT(in[0] == value(r, 1, i));
    }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void questions(MPI_File file) {
  MPI_Group group, world;
  MPI_Datatype shifted;
  MPI_Aint extent;
  MPI_Count large;
  int result;
  EXPECT(!MPI_File_get_group(file, &group));
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_compare(group, world, &result);
  EXPECT(result == MPI_IDENT);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  MPI_Type_create_resized(MPI_DOUBLE, -8, 40, &shifted);
  EXPECT(!MPI_File_get_type_extent(file, shifted, &extent) && extent == 40);
  EXPECT(!MPI_File_get_type_extent_c(file, shifted, &large) && large == 40);
  MPI_Type_free(&shifted);
  MPI_Offset at;
  MPI_Datatype element, type;
  char representation[MPI_MAX_DATAREP_STRING];
  EXPECT(!MPI_File_set_view(file, 8, MPI_INT, MPI_INT, "internal", MPI_INFO_NULL));
  MPI_File_get_view(file, &at, &element, &type, representation);
  EXPECT(at == 8 && element == MPI_INT && type == MPI_INT && !strcmp(representation, "internal"));
}

/// A device without space: the error is the file's, whose handler returns, and comes when the operation completes.
static void noSpace(void) {
  MPI_File file;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int x = 1, flag;
  if (MPI_File_open(MPI_COMM_SELF, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &file))
    return;
  EXPECT(MPI_File_write_at(file, 0, &x, 1, MPI_INT, statuses) == MPI_ERR_NO_SPACE);
  EXPECT(!MPI_File_write_at_all_begin(file, 0, &x, 1, MPI_INT));
  EXPECT(MPI_File_write_at_all_end(file, &x, statuses) == MPI_ERR_NO_SPACE);
  EXPECT(!MPI_File_iwrite_at(file, 0, &x, 1, MPI_INT, &requests[0]));
  EXPECT(MPI_Wait(&requests[0], statuses) == MPI_ERR_NO_SPACE);
  EXPECT(!MPI_File_iwrite_at_all(file, 0, &x, 1, MPI_INT, &requests[0]));
  EXPECT(MPI_Test(&requests[0], &flag, statuses) == MPI_ERR_NO_SPACE && flag);
  EXPECT(!MPI_File_iwrite_at(file, 0, &x, 1, MPI_INT, &requests[0]));
  MPI_Isend(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &requests[1]);
  EXPECT(MPI_Waitall(2, requests, statuses) == MPI_ERR_IN_STATUS);
  EXPECT(statuses[0].MPI_ERROR == MPI_ERR_NO_SPACE && statuses[1].MPI_ERROR == MPI_SUCCESS);
  MPI_File_close(&file);
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT(size <= 8);
  MPI_File file;
  EXPECT(!MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                        MPI_INFO_NULL, &file));
  explicitly(file, rank, size);
  own(file, rank, size);
  shared(file, rank, size);
  ordered(file, rank, size);
  questions(file);
  EXPECT(!MPI_File_close(&file));
  noSpace();
  return asExpected("accesses");
}
