// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffered sends (MPI-4.1, 3.6): what is sent may change at once, and flushing waits until the buffer is free again.
#include "expect.h"
#include <stdlib.h>

int main(int argc, char **argv) {
  enum { N = 3000 };
  int rank, size, bytes = 2 * (N * sizeof(int) + MPI_BSEND_OVERHEAD), got, flag = 0;
  begin(&argc, &argv, &rank, &size);
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  int *out = malloc(N * sizeof(int)), *in = malloc(N * sizeof(int));
  char *room = malloc(bytes);
  void *detached = NULL;
  MPI_Request request;
  MPI_Status status;
  // Without a buffer there is nothing to wait for.
  EXPECT(MPI_Buffer_flush() == MPI_SUCCESS);
  EXPECT(MPI_Buffer_attach(room, bytes) == MPI_SUCCESS);
  for (int round = 0; round < 3; ++round) {
    for (int part = 0; part < 2; ++part) {
      for (int i = 0; i < N; ++i)
        out[i] = rank + 10 * round + part + i;
      if (part == 0) {
        MPI_Bsend_c(out, N, MPI_INT, next, round, MPI_COMM_WORLD);
      } else {
        MPI_Ibsend_c(out, N, MPI_INT, next, round, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
    }
    // Both messages wait in the buffer, unless they have arrived; the flush ends when they have.
    if (round == 1) {
      EXPECT(MPI_Buffer_iflush(&request) == MPI_SUCCESS && request != MPI_REQUEST_NULL);
      MPI_Test(&request, &flag, &status);
    }
    for (int part = 0; part < 2; ++part) {
      MPI_Recv(in, N, MPI_INT, before, round, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_INT, &got);
      EXPECT(got == N);
      for (int i = 0; i < N; ++i)
        EXPECT(in[i] == before + 10 * round + part + i);
    }
    if (round == 1) {
      EXPECT(MPI_Wait(&request, &status) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
    } else {
      EXPECT(MPI_Buffer_flush() == MPI_SUCCESS);
    }
  }
  MPI_Buffer_detach(&detached, &got);
  EXPECT(detached == room && got == bytes);
  MPI_Buffer_iflush(&request);
  MPI_Wait(&request, &status);
  // MPI's own buffer, of any size.
  EXPECT(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0) == MPI_SUCCESS);
  EXPECT(MPI_Buffer_attach(room, bytes) == MPI_ERR_BUFFER);
  for (int i = 0; i < N; ++i)
    out[i] = rank + i;
  EXPECT(MPI_Bsend(out, N, MPI_INT, next, 9, MPI_COMM_WORLD) == MPI_SUCCESS);
  out[0] = -1;
  MPI_Recv(in, N, MPI_INT, before, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < N; ++i)
    EXPECT(in[i] == before + i);
  MPI_Buffer_detach(&detached, &got);
  EXPECT(detached == MPI_BUFFER_AUTOMATIC);
  EXPECT(MPI_Bsend(out, N, MPI_INT, next, 9, MPI_COMM_WORLD) == MPI_ERR_BUFFER);
  free(room);
  free(in);
  free(out);
  return asExpected("buffers");
}
