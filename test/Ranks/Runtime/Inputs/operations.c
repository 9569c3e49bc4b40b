// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forms of one-sided operations with requests and with large counts (MPI-4, 12.3), and of making and asking windows
// (MPI-4, 12.2).
#include "forms.h"
#include <stdlib.h>
#include <string.h>

enum { N = 16 };

/// Operations of each rank on the next one, whose memory no other rank accesses.
static void operations(MPI_Comm comm, MPI_Win win, int *memory) {
  int rank, size, out[4], in[4], old[4];
  MPI_Request request;
  MPI_Datatype spread;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Type_vector(4, 1, 2, MPI_INT, &spread);
  MPI_Type_commit(&spread);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  for (int i = 0; i < N; ++i)
    memory[i] = 100 * rank + i;
  MPI_Win_unlock(rank, win);
  MPI_Barrier(comm);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < 4; ++i)
    out[i] = 10 * rank + i;
  EXPECT(!MPI_Rget_c(in, 4, MPI_INT, next, 0, 4, MPI_INT, win, &request));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 4; ++i)
    EXPECT(in[i] == 100 * next + i);
  EXPECT(!MPI_Rput_c(out, 4, MPI_INT, next, 0, 4, MPI_INT, win, &request));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(request == MPI_REQUEST_NULL);
  MPI_Win_flush(next, win);
  EXPECT(!MPI_Get_c(in, 4, MPI_INT, next, 0, 4, MPI_INT, win));
  MPI_Win_flush(next, win);
  for (int i = 0; i < 4; ++i)
    EXPECT(in[i] == out[i]);
  EXPECT(!MPI_Accumulate_c(out, 4, MPI_INT, next, 0, 4, MPI_INT, MPI_SUM, win));
  EXPECT(!MPI_Raccumulate_c(out, 4, MPI_INT, next, 0, 4, MPI_INT, MPI_SUM, win, &request));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_flush(next, win);
  // The old values, which are three times the first ones, and then nothing but them.
  EXPECT(!MPI_Get_accumulate_c(out, 4, MPI_INT, old, 4, MPI_INT, next, 0, 4, MPI_INT, MPI_REPLACE, win));
  MPI_Win_flush(next, win);
  for (int i = 0; i < 4; ++i)
    EXPECT(old[i] == 3 * out[i]);
  EXPECT(!MPI_Rget_accumulate(out, 4, MPI_INT, old, 4, MPI_INT, next, 0, 4, MPI_INT, MPI_MAX, win, &request));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 4; ++i)
    EXPECT(old[i] == out[i]);
  EXPECT(!MPI_Rget_accumulate_c(NULL, 0, MPI_INT, in, 4, MPI_INT, next, 0, 4, MPI_INT, MPI_NO_OP, win, &request));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 4; ++i)
    EXPECT(in[i] == out[i]);
  // Every second int; twice for the sum.
  EXPECT(!MPI_Rput_c(out, 4, MPI_INT, next, 8, 1, spread, win, &request));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_flush(next, win);
  EXPECT(!MPI_Rget_accumulate_c(out, 4, MPI_INT, old, 4, MPI_INT, next, 8, 1, spread, MPI_SUM, win, &request));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 4; ++i)
    EXPECT(old[i] == out[i]);
  MPI_Win_flush(next, win);
  // Nothing, and to nobody: a receive buffer stays as it is.
  for (int nobody = 0; nobody < 2; ++nobody) {
    int target = nobody ? MPI_PROC_NULL : next, count = nobody ? 4 : 0;
    memset(in, -1, sizeof(in));
    EXPECT(!MPI_Rput_c(out, count, MPI_INT, target, 0, count, MPI_INT, win, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(!MPI_Rget_c(in, count, MPI_INT, target, 0, count, MPI_INT, win, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(!MPI_Raccumulate_c(out, count, MPI_INT, target, 0, count, MPI_INT, MPI_SUM, win, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(!MPI_Rget_accumulate_c(out, count, MPI_INT, in, count, MPI_INT, target, 0, count, MPI_INT, MPI_SUM, win,
                                  &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(!MPI_Rget_accumulate(out, count, MPI_INT, in, count, MPI_INT, target, 0, count, MPI_INT, MPI_SUM, win,
                                &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(!MPI_Get_c(in, count, MPI_INT, target, 0, count, MPI_INT, win));
    EXPECT(!MPI_Accumulate_c(out, count, MPI_INT, target, 0, count, MPI_INT, MPI_SUM, win));
    EXPECT(!MPI_Get_accumulate_c(out, count, MPI_INT, in, count, MPI_INT, target, 0, count, MPI_INT, MPI_SUM, win));
    for (int i = 0; i < 4; ++i)
      EXPECT(in[i] == -1);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(comm);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  for (int i = 0; i < N; ++i)
    EXPECT(memory[i] == (i < 4 ? 10 * before + i : i < 8 || i % 2 ? 100 * rank + i : 2 * (10 * before + (i - 8) / 2)));
  MPI_Win_unlock(rank, win);
  MPI_Barrier(comm);
  MPI_Type_free(&spread);
}

/// Since MPI-4.1, the memory of other windows may be asked for, too: there is none, or one can see it.
static void ask(MPI_Comm comm, MPI_Win win, int *memory) {
  int rank, size, *theirs, unit;
  MPI_Aint bytes, wide;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  memory[3] = 1000 + rank;
  MPI_Win_fence(0, win);
  for (int r = 0; r < size; ++r) {
    EXPECT(MPI_Win_shared_query_c(win, r, &bytes, &wide, &theirs) == MPI_SUCCESS);
    if (r == rank)
      EXPECT(bytes == N * sizeof(int) && theirs == memory && wide == sizeof(int));
    if (bytes)
      EXPECT(bytes == N * sizeof(int) && theirs[3] == 1000 + r && wide == sizeof(int));
  }
  EXPECT(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &theirs) == MPI_SUCCESS);
  if (bytes)
    EXPECT(theirs[3] == 1000);
  MPI_Win_fence(0, win);
}

static void created(void) {
  int *memory = malloc(N * sizeof(int)), *base, flag, *unit;
  MPI_Win win;
  EXPECT(!MPI_Win_create_c(memory, N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
  EXPECT(flag && base == memory);
  MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag);
  EXPECT(flag && *unit == sizeof(int));
  operations(MPI_COMM_WORLD, win, memory);
  ask(MPI_COMM_WORLD, win, memory);
  MPI_Win_free(&win);
  free(memory);
  EXPECT(!MPI_Win_allocate_c(N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
  operations(MPI_COMM_WORLD, win, memory);
  ask(MPI_COMM_WORLD, win, memory);
  MPI_Win_free(&win);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Aint bytes, wide;
  EXPECT(MPI_Win_shared_query_c(win, 0, &bytes, &wide, &base) == MPI_ERR_RMA_FLAVOR);
  MPI_Win_free(&win);
}

static void shared(void) {
  MPI_Comm node;
  MPI_Win win;
  int rank, size, *memory, *theirs, small;
  MPI_Aint bytes, unit;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &rank);
  MPI_Comm_size(node, &size);
  EXPECT(!MPI_Win_allocate_shared_c(N * sizeof(int), sizeof(int), MPI_INFO_NULL, node, &memory, &win));
  operations(node, win, memory);
  ask(node, win, memory);
  MPI_Win_free(&win);
  // Rank 0 has no memory; units differ.
  EXPECT(!MPI_Win_allocate_shared_c(rank ? 8 * rank : 0, rank + 1, MPI_INFO_NULL, node, &memory, &win));
  MPI_Win_fence(0, win);
  if (rank)
    memory[0] = 77 + rank;
  MPI_Win_fence(0, win);
  for (int r = 0; r < size; ++r) {
    EXPECT(!MPI_Win_shared_query_c(win, r, &bytes, &unit, &theirs) && bytes == 8 * r && unit == r + 1);
    EXPECT(!MPI_Win_shared_query(win, r, &bytes, &small, &memory) && bytes == 8 * r && small == r + 1);
    if (r)
      EXPECT(theirs[0] == 77 + r && memory == theirs);
  }
  EXPECT(!MPI_Win_shared_query_c(win, MPI_PROC_NULL, &bytes, &unit, &theirs) && bytes == (size > 1 ? 8 : 0));
  if (size > 1)
    EXPECT(theirs[0] == 78 && unit == 2);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  MPI_Comm_free(&node);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  created();
  shared();
  return asExpected("operations");
}
