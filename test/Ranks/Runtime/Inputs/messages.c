// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Point-to-point: every mode and size, wildcards and their order, probes,
// persistent requests, cancellation, derived types, truncation. No globals: the
// test builds without the compiler side.
#include "expect.h"
#include <stdio.h>
#include <stdlib.h>

/// Around a ring, in each mode, of each size: eager and rendezvous.
static void ring(int rank, int size) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  int counts[] = {0, 1, 100, 3000, 40000};
  for (int c = 0; c < 5; ++c) {
    int n = counts[c];
    double *in = malloc((n + 1) * 8), *out = malloc((n + 1) * 8);
    for (int i = 0; i < n; ++i)
      out[i] = rank * 1000.0 + i;
    for (int mode = 0; mode < 4; ++mode) {
      MPI_Request q[2];
      MPI_Status status;
      in[n] = -1;
      MPI_Irecv(in, n, MPI_DOUBLE, before, mode, MPI_COMM_WORLD, &q[0]);
      if (mode == 0)
        MPI_Isend(out, n, MPI_DOUBLE, next, mode, MPI_COMM_WORLD, &q[1]);
      if (mode == 1)
        MPI_Issend(out, n, MPI_DOUBLE, next, mode, MPI_COMM_WORLD, &q[1]);
      if (mode == 2) {
        int bytes = n * 8 + MPI_BSEND_OVERHEAD;
        void *buffer = malloc(bytes), *detached;
        MPI_Buffer_attach(buffer, bytes);
        MPI_Ibsend(out, n, MPI_DOUBLE, next, mode, MPI_COMM_WORLD, &q[1]);
        MPI_Buffer_detach(&detached, &bytes);
        EXPECT(detached == buffer);
        free(buffer);
      }
      if (mode == 3)
        MPI_Send_init(out, n, MPI_DOUBLE, next, mode, MPI_COMM_WORLD, &q[1]);
      for (int again = 0; again < (mode == 3 ? 2 : 1); ++again) {
        if (mode == 3)
          MPI_Start(&q[1]);
        if (again)
          MPI_Irecv(in, n, MPI_DOUBLE, before, mode, MPI_COMM_WORLD, &q[0]);
        MPI_Wait(&q[1], MPI_STATUS_IGNORE);
        MPI_Wait(&q[0], &status);
        int got;
        MPI_Get_count(&status, MPI_DOUBLE, &got);
        EXPECT(got == n && status.MPI_SOURCE == before &&
               status.MPI_TAG == mode);
        for (int i = 0; i < n; ++i)
          EXPECT(in[i] == before * 1000.0 + i);
        EXPECT(in[n] == -1);
      }
      if (mode == 3)
        MPI_Request_free(&q[1]);
      EXPECT(q[0] == MPI_REQUEST_NULL && q[1] == MPI_REQUEST_NULL);
    }
    free(in);
    free(out);
  }
}

/// Rank 0 takes from all by wildcard; messages of one source keep their order.
static void wildcards(int rank, int size) {
  enum { each = 50 };
  if (rank) {
    for (int i = 0; i < each; ++i) {
      int value[600] = {i};
      // Eager and rendezvous messages take the same queue.
      MPI_Send(value, i % 7 ? 1 : 600, MPI_INT, 0, 5 + i % 2, MPI_COMM_WORLD);
    }
    return;
  }
  int *seen = calloc(size, sizeof(int));
  for (int i = 0; i < each * (size - 1); ++i) {
    MPI_Status status;
    int value[600], count;
    if (i % 3 == 0) {
      MPI_Message message;
      MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message,
                 &status);
      MPI_Get_count(&status, MPI_INT, &count);
      MPI_Mrecv(value, count, MPI_INT, &message, &status);
    } else if (i % 3 == 1) {
      MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      MPI_Recv(value, 600, MPI_INT, status.MPI_SOURCE, status.MPI_TAG,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(value, 600, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
               &status);
    }
    EXPECT(value[0] == seen[status.MPI_SOURCE]++);
    EXPECT(status.MPI_TAG == 5 + value[0] % 2);
  }
  free(seen);
}

static void families(int rank, int size) {
  enum { count = 12 };
  MPI_Request in[count], out[count];
  MPI_Status statuses[count];
  int values[count], sent[count], indices[count], done = 0, flag;
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int i = 0; i < count; ++i)
    MPI_Irecv(&values[i], 1, MPI_INT, before, i, MPI_COMM_WORLD, &in[i]);
  for (int i = 0; i < count; ++i) {
    sent[i] = 100 * rank + i;
    MPI_Isend(&sent[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &out[i]);
  }
  while (done < 4) {
    int index;
    MPI_Waitany(count, in, &index, &statuses[0]);
    EXPECT(statuses[0].MPI_TAG == index &&
           values[index] == 100 * before + index);
    ++done;
  }
  while (done < 8) {
    int some;
    MPI_Waitsome(count, in, &some, indices, statuses);
    for (int i = 0; i < some; ++i)
      EXPECT(statuses[i].MPI_TAG == indices[i]);
    done += some;
  }
  do
    MPI_Testall(count, in, &flag, statuses);
  while (!flag);
  for (int i = 0; i < count; ++i)
    EXPECT(values[i] == 100 * before + i);
  MPI_Waitall(count, out, MPI_STATUSES_IGNORE);
  // A receive that nothing matches can be cancelled.
  MPI_Request never;
  MPI_Irecv(values, 1, MPI_INT, before, 77, MPI_COMM_WORLD, &never);
  MPI_Cancel(&never);
  MPI_Wait(&never, statuses);
  MPI_Test_cancelled(statuses, &flag);
  EXPECT(flag);
}

/// A column of a matrix arrives as a row; a message too long is an error.
static void types(int rank, int size) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  enum { n = 80 };
  int *matrix = malloc(n * n * sizeof(int)), row[n];
  for (int i = 0; i < n * n; ++i)
    matrix[i] = rank * n * n + i;
  MPI_Datatype column;
  MPI_Type_vector(n, 1, n, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Sendrecv(matrix + 3, 1, column, next, 1, row, n, MPI_INT, before, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; ++i)
    EXPECT(row[i] == before * n * n + i * n + 3);
  MPI_Sendrecv(row, n, MPI_INT, next, 2, matrix + 5, 1, column, before, 2,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&column);
  int two = (before + size - 1) % size;
  for (int i = 0; i < n; ++i)
    EXPECT(matrix[i * n + 5] == two * n * n + i * n + 3);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Request request;
  MPI_Isend(row, n, MPI_INT, next, 3, MPI_COMM_WORLD, &request);
  int error = MPI_Recv(matrix, 2, MPI_INT, before, 3, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  EXPECT(error == MPI_ERR_TRUNCATE);
  EXPECT(MPI_Send(row, 1, MPI_INT, size, 0, MPI_COMM_WORLD) == MPI_ERR_RANK);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  free(matrix);
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  ring(rank, size);
  wildcards(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  families(rank, size);
  types(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("messages: %d ranks: as expected\n", size);
  MPI_Finalize();
  return 0;
}
