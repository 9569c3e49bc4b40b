// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matched probes that do not wait, and receives of what they found (MPI-4, 3.8.2, 3.8.3), of short and long messages.
#include "expect.h"
#include <stdlib.h>

/// A message that a probe has taken is not seen by others.
static void matched(int rank, int size, int length) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size, flag, count;
  int *out = malloc(length * sizeof(int)), *in = malloc((length + 1) * sizeof(int)), *other = malloc(4);
  MPI_Message message, second;
  MPI_Request sends[2], request;
  MPI_Status status;
  MPI_Improbe(before, 5, MPI_COMM_WORLD, &flag, &message, &status);
  EXPECT(!flag);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < length; ++i)
    out[i] = rank * 10 + i;
  MPI_Isend(out, length, MPI_INT, next, 5, MPI_COMM_WORLD, &sends[0]);
  int late = rank + 1000;
  MPI_Isend(&late, 1, MPI_INT, next, 5, MPI_COMM_WORLD, &sends[1]);
  do
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
  while (!flag);
  EXPECT(message != MPI_MESSAGE_NULL && message != MPI_MESSAGE_NO_PROC);
  MPI_Get_count(&status, MPI_INT, &count);
  EXPECT(status.MPI_SOURCE == before && status.MPI_TAG == 5 && count == length);
  do
    MPI_Improbe(before, 5, MPI_COMM_WORLD, &flag, &second, &status);
  while (!flag);
  MPI_Get_count(&status, MPI_INT, &count);
  EXPECT(count == 1);
  MPI_Improbe(before, 5, MPI_COMM_WORLD, &flag, &(MPI_Message){0}, &status);
  EXPECT(!flag);
  // The second one first.
  in[length] = -1;
  EXPECT(MPI_Imrecv(other, 1, MPI_INT, &second, &request) == MPI_SUCCESS && second == MPI_MESSAGE_NULL);
  MPI_Wait(&request, &status);
  EXPECT(*other == before + 1000 && status.MPI_SOURCE == before && status.MPI_TAG == 5);
  EXPECT(MPI_Imrecv(in, length + 1, MPI_INT, &message, &request) == MPI_SUCCESS && message == MPI_MESSAGE_NULL);
  MPI_Wait(&request, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  EXPECT(count == length && in[length] == -1 && status.MPI_SOURCE == before && status.MPI_TAG == 5);
  for (int i = 0; i < length; ++i)
    EXPECT(in[i] == before * 10 + i);
  MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
  free(out);
  free(in);
  free(other);
}

static void none(void) {
  int flag, value = -1, count;
  MPI_Message message;
  MPI_Request request;
  MPI_Status status;
  MPI_Improbe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &message, &status);
  EXPECT(flag && message == MPI_MESSAGE_NO_PROC && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
  MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
  EXPECT(message == MPI_MESSAGE_NULL);
  MPI_Wait(&request, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  EXPECT(count == 0 && value == -1 && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
}

/// Into every second int; and too long.
static void typed(int rank, int size) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size, out[3] = {rank, rank + 1, rank + 2}, in[6], flag;
  MPI_Datatype spread;
  MPI_Message message;
  MPI_Request send, request;
  MPI_Status status;
  MPI_Type_vector(3, 1, 2, MPI_INT, &spread);
  MPI_Type_commit(&spread);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 6; ++i)
      in[i] = -1;
    MPI_Isend(out, 3, MPI_INT, next, 6, MPI_COMM_WORLD, &send);
    do
      MPI_Improbe(before, 6, MPI_COMM_WORLD, &flag, &message, &status);
    while (!flag);
    if (round == 0) {
      MPI_Imrecv(in, 1, spread, &message, &request);
      MPI_Wait(&request, &status);
      for (int i = 0; i < 6; ++i)
        EXPECT(in[i] == (i % 2 ? -1 : before + i / 2));
    } else {
      MPI_Imrecv(in, 2, MPI_INT, &message, &request);
      EXPECT(MPI_Wait(&request, &status) == MPI_ERR_TRUNCATE && in[2] == -1);
    }
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&spread);
}

int main(int argc, char **argv) {
  int rank, size;
  begin(&argc, &argv, &rank, &size);
  matched(rank, size, 1);
  matched(rank, size, 100000);
  none();
  typed(rank, size);
  return asExpected("probes");
}
