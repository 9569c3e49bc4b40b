// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages in ready mode, sends and receives in one call (MPI-4, 3.4, 3.10), and MPI_Testany.
#include "expect.h"
#include <stdlib.h>
#include <string.h>

static void ready(int rank, int size, int length) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  int *out = malloc(length * sizeof(int)), *in = malloc((length + 1) * sizeof(int)), count;
  MPI_Request receive, send;
  MPI_Status status;
  for (int way = 0; way < 4; ++way) {
    for (int i = 0; i < length; ++i)
      out[i] = rank * 10 + way + i;
    in[length] = -1;
    MPI_Irecv(in, length + 1, MPI_INT, before, way, MPI_COMM_WORLD, &receive);
    MPI_Barrier(MPI_COMM_WORLD); // the receiver is ready
    if (way == 0)
      MPI_Rsend(out, length, MPI_INT, next, way, MPI_COMM_WORLD);
    if (way == 1)
      MPI_Irsend(out, length, MPI_INT, next, way, MPI_COMM_WORLD, &send);
    if (way >= 2) {
      MPI_Rsend_init(out, length, MPI_INT, next, way, MPI_COMM_WORLD, &send);
      MPI_Start(&send);
    }
    if (way)
      MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT(count == length && status.MPI_SOURCE == before && status.MPI_TAG == way && in[length] == -1);
    for (int i = 0; i < length; ++i)
      EXPECT(in[i] == before * 10 + way + i);
    if (way >= 2)
      MPI_Request_free(&send);
  }
  free(out);
  free(in);
}

static void both(int rank, int size, int length) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  int *out = malloc(length * sizeof(int)), *in = malloc((length + 1) * sizeof(int)), count, flag;
  MPI_Request request;
  MPI_Status status;
  for (int way = 0; way < 4; ++way) {
    int *from = way < 2 ? out : in;
    for (int i = 0; i < length; ++i)
      from[i] = rank * 10 + way + i;
    in[length] = -1;
    if (way == 0) {
      MPI_Sendrecv(out, length, MPI_INT, next, way, in, length, MPI_INT, before, way, MPI_COMM_WORLD, &status);
    } else if (way == 1) {
      EXPECT(!MPI_Isendrecv(out, length, MPI_INT, next, way, in, length, MPI_INT, MPI_ANY_SOURCE, way, MPI_COMM_WORLD,
                            &request));
    } else if (way == 2) {
      MPI_Sendrecv_replace(in, length, MPI_INT, next, way, before, way, MPI_COMM_WORLD, &status);
    } else {
      EXPECT(!MPI_Isendrecv_replace(in, length, MPI_INT, next, way, before, way, MPI_COMM_WORLD, &request));
    }
    if (way == 1)
      MPI_Wait(&request, &status);
    if (way == 3)
      do
        MPI_Test(&request, &flag, &status);
      while (!flag);
    if (way % 2)
      EXPECT(request == MPI_REQUEST_NULL);
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT(count == length && status.MPI_SOURCE == before && status.MPI_TAG == way && in[length] == -1);
    for (int i = 0; i < length; ++i)
      EXPECT(in[i] == before * 10 + way + i);
  }
  free(out);
  free(in);
}

/// A line: its ends send to, or receive from, nobody.
static void line(int rank, int size) {
  int next = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, before = rank ? rank - 1 : MPI_PROC_NULL, value, count;
  MPI_Request request;
  MPI_Status status;
  for (int way = 0; way < 3; ++way) {
    value = -1;
    if (way == 0) {
      MPI_Isendrecv(&rank, 1, MPI_INT, next, 1, &value, 1, MPI_INT, before, 1, MPI_COMM_WORLD, &request);
    } else if (way == 1) {
      value = rank;
      MPI_Isendrecv_replace(&value, 1, MPI_INT, next, 1, before, 1, MPI_COMM_WORLD, &request);
    } else {
      value = rank;
      MPI_Sendrecv_replace(&value, 1, MPI_INT, next, 1, before, 1, MPI_COMM_WORLD, &status);
    }
    if (way < 2)
      MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT(status.MPI_SOURCE == before && count == (rank ? 1 : 0));
    EXPECT(value == (rank ? rank - 1 : way ? rank : -1));
  }
  // Every second int is replaced.
  int data[6], other = (rank + 1) % size, from = (rank + size - 1) % size;
  MPI_Datatype spread;
  MPI_Type_vector(3, 1, 2, MPI_INT, &spread);
  MPI_Type_commit(&spread);
  for (int way = 0; way < 2; ++way) {
    for (int i = 0; i < 6; ++i)
      data[i] = rank * 10 + i;
    if (way) {
      MPI_Isendrecv_replace(data, 1, spread, other, 2, from, 2, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Sendrecv_replace(data, 1, spread, other, 2, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 6; ++i)
      EXPECT(data[i] == (i % 2 ? rank : from) * 10 + i);
  }
  MPI_Type_free(&spread);
}

/// One after another, whatever comes first.
static void any(int rank, int size) {
  enum { N = 8 };
  int next = (rank + 1) % size, before = (rank + size - 1) % size, values[N], out[N], index, flag, seen = 0;
  MPI_Request in[N], sends[N];
  MPI_Status status;
  for (int i = 0; i < N; ++i)
    in[i] = MPI_REQUEST_NULL;
  MPI_Testany(N, in, &index, &flag, &status);
  EXPECT(flag && index == MPI_UNDEFINED && status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
  MPI_Testany(0, NULL, &index, &flag, &status);
  EXPECT(flag && index == MPI_UNDEFINED);
  for (int i = 1; i < N; ++i)
    MPI_Irecv(&values[i], 1, MPI_INT, before, i, MPI_COMM_WORLD, &in[i]);
  MPI_Testany(N, in, &index, &flag, &status);
  EXPECT(!flag && index == MPI_UNDEFINED);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 1; i < N; ++i) {
    out[i] = rank * 10 + i;
    MPI_Isend(&out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &sends[i]);
  }
  while (seen != (1 << N) - 2) {
    MPI_Testany(N, in, &index, &flag, &status);
    if (!flag)
      continue;
    EXPECT(index > 0 && index < N && !(seen & 1 << index) && in[index] == MPI_REQUEST_NULL);
    EXPECT(status.MPI_TAG == index && status.MPI_SOURCE == before && values[index] == before * 10 + index);
    seen |= 1 << index;
  }
  MPI_Testany(N, in, &index, &flag, MPI_STATUS_IGNORE);
  EXPECT(flag && index == MPI_UNDEFINED);
  MPI_Waitall(N - 1, sends + 1, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  ready(rank, size, 3);
  ready(rank, size, 50000);
  both(rank, size, 3);
  both(rank, size, 50000);
  line(rank, size);
  any(rank, size);
  return asExpected("exchanges");
}
