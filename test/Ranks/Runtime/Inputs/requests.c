// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Completion of several requests (MPI-4, 3.7.5, 3.7.6), persistent ones (3.9), and generalized ones (13.2).
#include "forms.h"
#include <string.h>

/// Each request is returned once, whatever the order in which messages come.
static void some(int rank, int size) {
  enum { N = 10 };
  MPI_Request in[N], out[N];
  MPI_Status statuses[N];
  int values[N], sent[N], indices[N], count, done = 0, seen[N] = {0};
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int i = 0; i < N; ++i)
    in[i] = MPI_REQUEST_NULL;
  MPI_Testsome(N, in, &count, indices, statuses);
  EXPECT(count == MPI_UNDEFINED);
  MPI_Testsome(0, NULL, &count, NULL, statuses);
  EXPECT(count == MPI_UNDEFINED);
  for (int i = 0; i < N; ++i)
    if (i != 3) // a null request among them
      MPI_Irecv(&values[i], 1, MPI_INT, before, i, MPI_COMM_WORLD, &in[i]);
  MPI_Testsome(N, in, &count, indices, MPI_STATUSES_IGNORE);
  EXPECT(count == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = N - 1; i >= 0; --i) {
    sent[i] = 100 * rank + i;
    out[i] = MPI_REQUEST_NULL;
    if (i != 3)
      MPI_Isend(&sent[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &out[i]);
  }
  while (done < N - 1) {
    MPI_Testsome(N, in, &count, indices, statuses);
    EXPECT(count >= 0);
    for (int i = 0; i < count; ++i) {
      int which = indices[i];
      EXPECT(which != 3 && !seen[which]++ && in[which] == MPI_REQUEST_NULL);
      EXPECT(statuses[i].MPI_TAG == which && statuses[i].MPI_SOURCE == before && values[which] == 100 * before + which);
    }
    done += count;
  }
  MPI_Testsome(N, in, &count, indices, statuses);
  EXPECT(count == MPI_UNDEFINED);
  MPI_Waitall(N, out, MPI_STATUSES_IGNORE);
}

/// Looking at requests does not complete them.
static void statusOnly(int rank, int size) {
  MPI_Request in[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL}, out[2];
  MPI_Status statuses[3], status;
  int values[2] = {-1, -1}, flag, index, count, indices[3], one = rank, two[2] = {rank, rank};
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Request_get_status_all(3, in, &flag, statuses);
  EXPECT(flag);
  MPI_Request_get_status_any(3, in, &index, &flag, &status);
  EXPECT(flag && index == MPI_UNDEFINED && status.MPI_SOURCE == MPI_ANY_SOURCE);
  MPI_Request_get_status_some(3, in, &count, indices, statuses);
  EXPECT(count == MPI_UNDEFINED);
  int room[2];
  MPI_Irecv(&values[0], 1, MPI_INT, before, 1, MPI_COMM_WORLD, &in[0]);
  MPI_Irecv(room, 2, MPI_INT, before, 2, MPI_COMM_WORLD, &in[2]);
  MPI_Request_get_status_all(3, in, &flag, statuses);
  EXPECT(!flag);
  MPI_Request_get_status_any(3, in, &index, &flag, &status);
  EXPECT(!flag && index == MPI_UNDEFINED);
  MPI_Request_get_status_some(3, in, &count, indices, statuses);
  EXPECT(count == 0);
  MPI_Request_get_status(in[0], &flag, &status);
  EXPECT(!flag);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Isend(two, 2, MPI_INT, next, 2, MPI_COMM_WORLD, &out[1]);
  do
    MPI_Request_get_status_any(3, in, &index, &flag, &status);
  while (!flag);
  EXPECT(index == 2 && status.MPI_TAG == 2 && status.MPI_SOURCE == before && room[1] == before);
  MPI_Get_count(&status, MPI_INT, &count);
  EXPECT(count == 2);
  MPI_Request_get_status_some(3, in, &count, indices, statuses);
  EXPECT(count == 1 && indices[0] == 2 && statuses[0].MPI_TAG == 2);
  MPI_Request_get_status_all(3, in, &flag, statuses);
  EXPECT(!flag);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Isend(&one, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &out[0]);
  do
    MPI_Request_get_status_all(3, in, &flag, statuses);
  while (!flag);
  EXPECT(statuses[0].MPI_TAG == 1 && statuses[1].MPI_SOURCE == MPI_ANY_SOURCE && statuses[2].MPI_TAG == 2);
  MPI_Request_get_status_some(3, in, &count, indices, MPI_STATUSES_IGNORE);
  EXPECT(count == 2 && indices[0] == 0 && indices[1] == 2);
  EXPECT(in[0] != MPI_REQUEST_NULL && in[2] != MPI_REQUEST_NULL);
  MPI_Waitall(3, in, statuses);
  EXPECT(statuses[0].MPI_TAG == 1 && statuses[2].MPI_TAG == 2 && values[0] == before);
  MPI_Waitall(2, out, MPI_STATUSES_IGNORE);
}

/// Persistent requests of all kinds, started together and again.
static void persistent(int rank, int size) {
  MPI_Request all[6];
  MPI_Status statuses[6];
  int next = (rank + 1) % size, before = (rank + size - 1) % size, in[3], out[3], sum, flag;
  char room[100 + 2 * MPI_BSEND_OVERHEAD];
  void *detached;
  int bytes;
  MPI_Startall(0, NULL);
  MPI_Buffer_attach(room, sizeof(room));
  for (int i = 0; i < 3; ++i)
    MPI_Recv_init(&in[i], 1, MPI_INT, before, 10 + i, MPI_COMM_WORLD, &all[i]);
  MPI_Send_init(&out[0], 1, MPI_INT, next, 10, MPI_COMM_WORLD, &all[3]);
  MPI_Bsend_init(&out[1], 1, MPI_INT, next, 11, MPI_COMM_WORLD, &all[4]);
  MPI_Allreduce_init(&out[2], &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &all[5]);
  MPI_Request last;
  MPI_Ssend_init(&out[2], 1, MPI_INT, next, 12, MPI_COMM_WORLD, &last);
  // Inactive ones are complete.
  MPI_Testall(6, all, &flag, statuses);
  EXPECT(flag);
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 3; ++i) {
      in[i] = -1;
      out[i] = 100 * round + 10 * rank + i;
    }
    EXPECT(MPI_Startall(6, all) == MPI_SUCCESS);
    MPI_Start(&last);
    MPI_Waitall(6, all, statuses);
    MPI_Wait(&last, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; ++i)
      EXPECT(in[i] == 100 * round + 10 * before + i && statuses[i].MPI_TAG == 10 + i);
    EXPECT(sum == size * (100 * round + 2) + 10 * (size * (size - 1) / 2));
    for (int i = 0; i < 6; ++i)
      EXPECT(all[i] != MPI_REQUEST_NULL);
  }
  for (int i = 0; i < 6; ++i)
    MPI_Request_free(&all[i]);
  MPI_Request_free(&last);
  MPI_Buffer_detach(&detached, &bytes);
  EXPECT(detached == room);
}

typedef struct {
  int queried, freed, cancelled, wasComplete, fails;
} Record;

static int query(void *extra, MPI_Status *status) {
  Record *record = extra;
  ++record->queried;
  MPI_Status_set_elements(status, MPI_INT, 4);
  MPI_Status_set_cancelled(status, record->cancelled);
  status->MPI_SOURCE = 17;
  status->MPI_TAG = 18;
  return record->fails ? MPI_ERR_OTHER : MPI_SUCCESS;
}
static int release(void *extra) {
  ++((Record *)extra)->freed;
  return MPI_SUCCESS;
}
static int cancel(void *extra, int complete) {
  Record *record = extra;
  ++record->cancelled;
  record->wasComplete = complete;
  return MPI_SUCCESS;
}

static void generalized(int rank, int size) {
  Record record = {0}, second = {0};
  MPI_Request requests[2], request;
  MPI_Status status, statuses[2];
  int flag, count, value = -1, index;
  EXPECT(MPI_Grequest_start(query, release, cancel, &record, &request) == MPI_SUCCESS);
  MPI_Test(&request, &flag, &status);
  EXPECT(!flag && !record.queried);
  EXPECT(MPI_Grequest_complete(request) == MPI_SUCCESS);
  EXPECT(!record.freed && request != MPI_REQUEST_NULL);
  MPI_Request_get_status(request, &flag, &status);
  EXPECT(flag && record.queried == 1 && !record.freed && status.MPI_SOURCE == 17);
  MPI_Wait(&request, &status);
  EXPECT(request == MPI_REQUEST_NULL && record.queried == 2 && record.freed == 1);
  MPI_Get_count(&status, MPI_INT, &count);
  EXPECT(status.MPI_SOURCE == 17 && status.MPI_TAG == 18 && count == 4);
  MPI_Test_cancelled(&status, &flag);
  EXPECT(!flag);
  // Cancelled before its completion, and waited for without a status: it is queried nevertheless.
  memset(&record, 0, sizeof(record));
  MPI_Grequest_start(query, release, cancel, &record, &request);
  MPI_Cancel(&request);
  EXPECT(record.cancelled == 1 && !record.wasComplete);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  EXPECT(flag && record.freed == 1);
  memset(&record, 0, sizeof(record));
  MPI_Grequest_start(query, release, cancel, &record, &request);
  MPI_Grequest_complete(request);
  MPI_Cancel(&request);
  EXPECT(record.cancelled == 1 && record.wasComplete);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(record.queried == 1 && record.freed == 1);
  // Freed first: its completion calls only what frees.
  memset(&record, 0, sizeof(record));
  MPI_Grequest_start(query, release, cancel, &record, &request);
  MPI_Request copy = request;
  MPI_Request_free(&request);
  EXPECT(request == MPI_REQUEST_NULL && !record.freed);
  MPI_Grequest_complete(copy);
  EXPECT(record.freed == 1);
  memset(&record, 0, sizeof(record));
  MPI_Grequest_start(query, release, cancel, &record, &request);
  MPI_Grequest_complete(request);
  MPI_Request_free(&request);
  EXPECT(record.freed == 1);
  // Among others; an error of the query is that of the request.
  memset(&record, 0, sizeof(record));
  MPI_Grequest_start(query, release, cancel, &record, &requests[0]);
  MPI_Irecv(&value, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &requests[1]);
  MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD);
  MPI_Waitany(2, requests, &index, &status);
  EXPECT(index == 1 && value == (rank + size - 1) % size);
  MPI_Grequest_start(query, release, cancel, &second, &requests[1]);
  second.fails = 1;
  MPI_Grequest_complete(requests[1]);
  MPI_Testall(2, requests, &flag, statuses);
  EXPECT(!flag && !record.queried && !second.queried);
  MPI_Grequest_complete(requests[0]);
  EXPECT(MPI_Waitall(2, requests, statuses) == MPI_ERR_IN_STATUS);
  EXPECT(statuses[0].MPI_ERROR == MPI_SUCCESS && statuses[1].MPI_ERROR == MPI_ERR_OTHER);
  EXPECT(record.freed == 1 && second.freed == 1 && statuses[0].MPI_TAG == 18);
}

int main(int argc, char **argv) {
  int rank, size;
  begin(&argc, &argv, &rank, &size);
  some(rank, size);
  statusOnly(rank, size);
  persistent(rank, size);
  generalized(rank, size);
  return asExpected("requests");
}
