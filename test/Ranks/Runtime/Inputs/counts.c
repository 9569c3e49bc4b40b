// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forms with large counts (MPI-4, 2.5.8) of messages, types and operators, here with small ones.
#include "affine.h"
#include "forms.h"

enum { N = 500 };

static void fill(int *out, int rank, int tag) {
  for (int i = 0; i < N; ++i)
    out[i] = rank * 1000 + tag * 100000 + i;
}

static void messages(int rank, int size) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size, out[N], in[N], flag, tag = 0;
  char room[N * sizeof(int) + MPI_BSEND_OVERHEAD];
  int bytes;
  void *detached;
  MPI_Request receive, send;
  MPI_Status status;
  MPI_Count count;
  MPI_Buffer_attach(room, sizeof(room));
  for (tag = 0; tag < 12; ++tag) {
    fill(out, rank, tag);
    if (tag < 8)
      MPI_Irecv_c(in, N, MPI_INT, before, tag, MPI_COMM_WORLD, &receive);
    else
      MPI_Recv_init_c(in, N, MPI_INT, before, tag, MPI_COMM_WORLD, &receive);
    if (tag >= 8)
      MPI_Start(&receive);
    MPI_Barrier(MPI_COMM_WORLD); // there is a receive for each send in ready mode
    send = MPI_REQUEST_NULL;
    if (tag == 0)
      MPI_Send_c(out, N, MPI_INT, next, tag, MPI_COMM_WORLD);
    if (tag == 1)
      MPI_Ssend_c(out, N, MPI_INT, next, tag, MPI_COMM_WORLD);
    if (tag == 2)
      MPI_Rsend_c(out, N, MPI_INT, next, tag, MPI_COMM_WORLD);
    if (tag == 3)
      MPI_Bsend_c(out, N, MPI_INT, next, tag, MPI_COMM_WORLD);
    if (tag == 4)
      MPI_Isend_c(out, N, MPI_INT, next, tag, MPI_COMM_WORLD, &send);
    if (tag == 5)
      MPI_Issend_c(out, N, MPI_INT, next, tag, MPI_COMM_WORLD, &send);
    if (tag == 6)
      MPI_Irsend_c(out, N, MPI_INT, next, tag, MPI_COMM_WORLD, &send);
    if (tag == 7)
      MPI_Ibsend_c(out, N, MPI_INT, next, tag, MPI_COMM_WORLD, &send);
    if (tag == 8)
      MPI_Send_init_c(out, N, MPI_INT, next, tag, MPI_COMM_WORLD, &send);
    if (tag == 9)
      MPI_Ssend_init_c(out, N, MPI_INT, next, tag, MPI_COMM_WORLD, &send);
    if (tag == 10)
      MPI_Rsend_init_c(out, N, MPI_INT, next, tag, MPI_COMM_WORLD, &send);
    if (tag == 11)
      MPI_Bsend_init_c(out, N, MPI_INT, next, tag, MPI_COMM_WORLD, &send);
    if (tag >= 8)
      MPI_Start(&send);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, &status);
    MPI_Get_count_c(&status, MPI_INT, &count);
    EXPECT(count == N && status.MPI_SOURCE == before && status.MPI_TAG == tag);
    MPI_Get_elements_c(&status, MPI_INT, &count);
    EXPECT(count == N);
    for (int i = 0; i < N; ++i)
      EXPECT(in[i] == before * 1000 + tag * 100000 + i);
    if (tag >= 8) {
      MPI_Request_free(&send);
      MPI_Request_free(&receive);
    }
  }
  MPI_Buffer_detach(&detached, &bytes);
  MPI_Isend_c(out, 0, MPI_INT, next, 20, MPI_COMM_WORLD, &send);
  MPI_Recv_c(in, N, MPI_INT, before, 20, MPI_COMM_WORLD, &status);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Get_count_c(&status, MPI_INT, &count);
  EXPECT(count == 0);
  MPI_Test_cancelled(&status, &flag);
  EXPECT(!flag);
}

static void extents(void) {
  MPI_Datatype spread, shifted, large, larger;
  MPI_Count size, lower, extent;
  MPI_Type_vector(3, 1, 2, MPI_INT, &spread);
  MPI_Type_create_resized(spread, -8, 48, &shifted);
  MPI_Type_size_c(shifted, &size);
  EXPECT(size == 12);
  MPI_Type_get_extent_c(shifted, &lower, &extent);
  EXPECT(lower == -8 && extent == 48);
  MPI_Type_get_true_extent_c(shifted, &lower, &extent);
  EXPECT(lower == 0 && extent == 20);
  MPI_Type_contiguous(1 << 30, MPI_LONG, &large);
  MPI_Type_contiguous(1 << 20, large, &larger);
  MPI_Type_size_c(larger, &size);
  EXPECT(size == (MPI_Count)1 << 53);
  MPI_Type_get_extent_c(larger, &lower, &extent);
  EXPECT(lower == 0 && extent == (MPI_Count)1 << 53);
  int small;
  MPI_Type_size(larger, &small);
  EXPECT(small == MPI_UNDEFINED);
  MPI_Type_free(&spread);
  MPI_Type_free(&shifted);
  MPI_Type_free(&large);
  MPI_Type_free(&larger);
}

static void operators(int rank, int size) {
  MPI_Op op;
  MPI_Datatype pair;
  int commutes;
  long in[6], out[6], wanted[6];
  MPI_Count three = 3;
  EXPECT(MPI_Op_create_c(composeMany, 0, &op) == MPI_SUCCESS);
  MPI_Op_commutative(op, &commutes);
  EXPECT(!commutes);
  MPI_Type_contiguous(2, MPI_LONG, &pair);
  MPI_Type_commit(&pair);
  for (int i = 0; i < 6; ++i) {
    in[i] = i % 2 ? rank + i : rank + 2;
    wanted[i] = i % 2 ? 0 : 1;
  }
  for (int r = size - 1; r >= 0; --r) {
    long map[6] = {r + 2, r + 1, r + 2, r + 3, r + 2, r + 5};
    composeMany(map, wanted, &three, &pair);
  }
  MPI_Allreduce(in, out, 3, pair, op, MPI_COMM_WORLD);
  for (int i = 0; i < 6; ++i)
    EXPECT(out[i] == wanted[i]);
  // In place, at a root, as a scan, and without communication.
  MPI_Reduce(rank == size - 1 ? MPI_IN_PLACE : in, in, 3, pair, op, size - 1, MPI_COMM_WORLD);
  if (rank == size - 1)
    for (int i = 0; i < 6; ++i)
      EXPECT(in[i] == wanted[i]);
  for (int i = 0; i < 6; ++i)
    in[i] = i % 2 ? rank + i : rank + 2;
  MPI_Scan(in, out, 3, pair, op, MPI_COMM_WORLD);
  if (rank == size - 1)
    for (int i = 0; i < 6; ++i)
      EXPECT(out[i] == wanted[i]);
  long a[2] = {2, 3}, b[2] = {5, 7};
  MPI_Reduce_local(a, b, 1, pair, op);
  EXPECT(b[0] == 10 && b[1] == 17);
  MPI_Op_free(&op);
  MPI_Type_free(&pair);
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  messages(rank, size);
  extents();
  operators(rank, size);
  return asExpected("counts");
}
