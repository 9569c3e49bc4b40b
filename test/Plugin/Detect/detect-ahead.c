// Which graphs are proved to be collectives, for any number of processes, and which are not, and why. Each function that
// is left is one step away from one that is not.
// RUN: commcc -O2 -fcomm-detect=ahead -fcomm-mode=off -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not="known at compile time" --implicit-check-not="for any number of processes"
// RUN: llvm-nm --undefined-only %t.o | FileCheck %s --check-prefix=CALLS
// RUN: commcc -O2 -fcomm-detect=run-time -fcomm-mode=off -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=RUNTIME --implicit-check-not="known at compile time" --implicit-check-not="for any number of processes"
// RUNTIME: {{forms?}} a graph
// RUN: not commcc -fcomm-detect=later -c %s 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: invalid value 'later' for -fcomm-detect; valid values are off, ahead, run-time, all

// CALLS-NOT: comm_cdag
// CALLS: MPI_Allgather
// CALLS: MPI_Alltoall
// CALLS: MPI_Bcast
// CALLS: MPI_Gather
// CALLS: MPI_Scatter
// CALLS-NOT: comm_cdag

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD
#define ME                                                                                                             \
  int rank, size;                                                                                                      \
  MPI_Comm_rank(WORLD, &rank);                                                                                         \
  MPI_Comm_size(WORLD, &size)
#define IGNORE MPI_STATUS_IGNORE

//===-- Broadcasts --===//

// CHECK-DAG: remark: the messages from detect-ahead.c:[[@LINE+5]] on are MPI_Bcast, for any number of processes
void bcast(double *data) {
  ME;
  if (rank == 0)
    for (int p = 1; p < size; ++p)
      MPI_Send(data, 8, MPI_DOUBLE, p, 0, WORLD);
  else
    MPI_Recv(data, 8, MPI_DOUBLE, 0, 0, WORLD, IGNORE);
}

// CHECK-DAG: remark: the messages from detect-ahead.c:[[@LINE+6]] on are MPI_Bcast, for any number of processes
void bcast_of_the_last(double *data) {
  ME;
  if (rank == size - 1)
    for (int p = 0; p < size; ++p)
      if (p != size - 1)
        MPI_Send(data, 8, MPI_DOUBLE, p, 0, WORLD);
  if (rank != size - 1)
    MPI_Recv(data, 8, MPI_DOUBLE, size - 1, 0, WORLD, IGNORE);
}

// CHECK-DAG: remark: MPI_{{Send|Recv}} at detect-ahead.c:[[#]] is not part of a collective that is known at compile time: the root may differ between processes
void bcast_of_an_unknown(double *data, int root) {
  ME;
  if (rank == root)
    for (int p = 0; p < size; ++p) {
      if (p != root)
        MPI_Send(data, 8, MPI_DOUBLE, p, 0, WORLD);
    }
  else
    MPI_Recv(data, 8, MPI_DOUBLE, root, 0, WORLD, IGNORE);
}

// CHECK-DAG: remark: MPI_Send at detect-ahead.c:[[@LINE+5]] is not part of a collective that is known at compile time: its count may differ between processes, which a collective with a root does not allow
void bcast_of_unknown_length(double *data, int n) {
  ME;
  if (rank == 0)
    for (int p = 1; p < size; ++p)
      MPI_Send(data, n, MPI_DOUBLE, p, 0, WORLD);
  else
    MPI_Recv(data, n, MPI_DOUBLE, 0, 0, WORLD, IGNORE);
}

// CHECK-DAG: remark: MPI_Send at detect-ahead.c:[[@LINE+5]] is not part of a collective that is known at compile time: its loop leaves out a process other than its own
void bcast_from_the_second_on(double *data) {
  ME;
  if (rank == 0)
    for (int p = 0; p < size - 1; ++p)
      MPI_Send(data, 8, MPI_DOUBLE, p, 0, WORLD);
  else
    MPI_Recv(data, 8, MPI_DOUBLE, 0, 0, WORLD, IGNORE);
}

// CHECK-DAG: remark: MPI_{{Send|Recv}} at detect-ahead.c:[[#]] is not part of a collective that is known at compile time: the trip count of a loop in it is not known in terms of the size
void bcast_to_every_other(double *data) {
  ME;
  if (rank == 0)
    for (int p = 1; p < size; p += 2)
      MPI_Send(data, 8, MPI_DOUBLE, p, 0, WORLD);
  else
    MPI_Recv(data, 8, MPI_DOUBLE, 0, 0, WORLD, IGNORE);
}

// CHECK-DAG: remark: MPI_Send at detect-ahead.c:[[@LINE+5]] is not part of a collective that is known at compile time: its tag differs from that of its other end
void bcast_of_two_tags(double *data) {
  ME;
  if (rank == 0)
    for (int p = 1; p < size; ++p)
      MPI_Send(data, 8, MPI_DOUBLE, p, 0, WORLD);
  else
    MPI_Recv(data, 8, MPI_DOUBLE, 0, 1, WORLD, IGNORE);
}

// CHECK-DAG: remark: MPI_Send at detect-ahead.c:[[@LINE+5]] is not part of a collective that is known at compile time: its count differs from that of its other end
void bcast_of_less(double *data) {
  ME;
  if (rank == 0)
    for (int p = 1; p < size; ++p)
      MPI_Send(data, 4, MPI_DOUBLE, p, 0, WORLD);
  else
    MPI_Recv(data, 8, MPI_DOUBLE, 0, 0, WORLD, IGNORE);
}

// CHECK-DAG: remark: MPI_Send at detect-ahead.c:[[@LINE+5]] is not part of a collective that is known at compile time: its datatype differs from that of its other end
void bcast_as_other_type(double *data) {
  ME;
  if (rank == 0)
    for (int p = 1; p < size; ++p)
      MPI_Send(data, 8, MPI_LONG, p, 0, WORLD);
  else
    MPI_Recv(data, 8, MPI_DOUBLE, 0, 0, WORLD, IGNORE);
}

// CHECK-DAG: remark: MPI_Send at detect-ahead.c:[[@LINE+5]] is not part of a collective that is known at compile time: its count may be 0
void signal_all(double *data) {
  ME;
  if (rank == 0)
    for (int p = 1; p < size; ++p)
      MPI_Send(data, 0, MPI_DOUBLE, p, 0, WORLD);
  else
    MPI_Recv(data, 0, MPI_DOUBLE, 0, 0, WORLD, IGNORE);
}

//===-- Gathers and scatters --===//

// CHECK-DAG: remark: the messages from detect-ahead.c:[[@LINE+5]] on are MPI_Gather, for any number of processes
void gather(double *mine, double *all) {
  ME;
  if (rank == 0)
    for (int p = 1; p < size; ++p)
      MPI_Recv(all + p * 8, 8, MPI_DOUBLE, p, 0, WORLD, IGNORE);
  else
    MPI_Send(mine, 8, MPI_DOUBLE, 0, 0, WORLD);
}

// CHECK-DAG: remark: the messages from detect-ahead.c:[[@LINE+5]] on are MPI_Gather, for any number of processes
void gather_with_a_tag_for_each(double *mine, double *all) {
  ME;
  if (rank == 0)
    for (int p = size - 1; p > 0; --p)
      MPI_Recv(all + p * 8, 8, MPI_DOUBLE, p, 100 + p, WORLD, IGNORE);
  else
    MPI_Send(mine, 8, MPI_DOUBLE, 0, 100 + rank, WORLD);
}

// CHECK-DAG: remark: MPI_Recv at detect-ahead.c:[[@LINE+5]] is not part of a collective that is known at compile time: its blocks are not contiguous in the order of processes
void gather_with_gaps(double *mine, double *all) {
  ME;
  if (rank == 0)
    for (int p = 1; p < size; ++p)
      MPI_Recv(all + p * 9, 8, MPI_DOUBLE, p, 0, WORLD, IGNORE);
  else
    MPI_Send(mine, 8, MPI_DOUBLE, 0, 0, WORLD);
}

// CHECK-DAG: remark: MPI_Recv at detect-ahead.c:[[@LINE+5]] is not part of a collective that is known at compile time: its blocks are not contiguous in the order of processes
void gather_backwards(double *mine, double *all) {
  ME;
  if (rank == 0)
    for (int p = 1; p < size; ++p)
      MPI_Recv(all + (size - p) * 8, 8, MPI_DOUBLE, p, 0, WORLD, IGNORE);
  else
    MPI_Send(mine, 8, MPI_DOUBLE, 0, 0, WORLD);
}

// CHECK-DAG: remark: MPI_Recv at detect-ahead.c:[[@LINE+5]] is not part of a collective that is known at compile time: all of its messages use the same memory
void gather_of_the_last(double *mine, double *all) {
  ME;
  if (rank == 0)
    for (int p = 1; p < size; ++p)
      MPI_Recv(all, 8, MPI_DOUBLE, p, 0, WORLD, IGNORE);
  else
    MPI_Send(mine, 8, MPI_DOUBLE, 0, 0, WORLD);
}

// The root's own block is sent in a message as well.
// CHECK-DAG: remark: the messages from detect-ahead.c:[[@LINE+7]] on are MPI_Gather, for any number of processes
void gather_from_itself(double *restrict mine, double *restrict all) {
  ME;
  MPI_Request request;
  MPI_Isend(mine, 8, MPI_DOUBLE, 0, 0, WORLD, &request);
  if (rank == 0)
    for (int p = 0; p < size; ++p)
      MPI_Recv(all + p * 8, 8, MPI_DOUBLE, p, 0, WORLD, IGNORE);
  MPI_Wait(&request, IGNORE);
}

// CHECK-DAG: remark: the messages from detect-ahead.c:[[@LINE+5]] on are MPI_Scatter, for any number of processes
void scatter(double *all, double *mine) {
  ME;
  if (rank == 0)
    for (int p = 1; p < size; ++p)
      MPI_Send(all + p * 8, 8, MPI_DOUBLE, p, 0, WORLD);
  else
    MPI_Recv(mine, 8, MPI_DOUBLE, 0, 0, WORLD, IGNORE);
}

// Two collectives of one phase, in order.
// CHECK-DAG: remark: the messages from detect-ahead.c:[[@LINE+6]] on are MPI_Gather, for any number of processes
// CHECK-DAG: remark: the messages from detect-ahead.c:[[@LINE+6]] on are MPI_Gather, for any number of processes
void gather_two(double *restrict a, int *restrict b, double *restrict as, int *restrict bs) {
  ME;
  if (rank == 0)
    for (int p = 1; p < size; ++p) {
      MPI_Recv(as + p * 8, 8, MPI_DOUBLE, p, 0, WORLD, IGNORE);
      MPI_Recv(bs + p, 1, MPI_INT, p, 1, WORLD, IGNORE);
    }
  else {
    MPI_Send(a, 8, MPI_DOUBLE, 0, 0, WORLD);
    MPI_Send(b, 1, MPI_INT, 0, 1, WORLD);
  }
}

// CHECK-DAG: remark: MPI_Recv at detect-ahead.c:[[@LINE+6]] is not part of a collective that is known at compile time: it may touch what another collective of the same loop does
void gather_two_perhaps_into_one(double *a, int *b, double *as, int *bs) {
  ME;
  if (rank == 0)
    for (int p = 1; p < size; ++p) {
      MPI_Recv(as + p * 8, 8, MPI_DOUBLE, p, 0, WORLD, IGNORE);
      MPI_Recv(bs + p, 1, MPI_INT, p, 1, WORLD, IGNORE);
    }
  else {
    MPI_Send(a, 8, MPI_DOUBLE, 0, 0, WORLD);
    MPI_Send(b, 1, MPI_INT, 0, 1, WORLD);
  }
}

//===-- Exchanges --===//

// A count that every process has for itself is the same in all, or else a message would be longer than its receive.
// CHECK-DAG: remark: the messages from detect-ahead.c:[[@LINE+4]] on are MPI_Alltoall, for any number of processes
void alltoall(double *restrict out, double *restrict in, int n) {
  ME;
  for (int p = 0; p < size; ++p)
    MPI_Sendrecv(out + p * n, n, MPI_DOUBLE, p, 0, in + p * n, n, MPI_DOUBLE, p, 0, WORLD, IGNORE);
}

// CHECK-DAG: remark: MPI_Recv at detect-ahead.c:[[#]] is not part of a collective that is known at compile time: it may write what is sent
void alltoall_perhaps_in_place(double *out, double *in, int n) {
  ME;
  for (int p = 0; p < size; ++p)
    MPI_Sendrecv(out + p * n, n, MPI_DOUBLE, p, 0, in + p * n, n, MPI_DOUBLE, p, 0, WORLD, IGNORE);
}

// The same with all messages in flight together: then MPI forbids that their buffers overlap.
// CHECK-DAG: remark: the messages from detect-ahead.c:[[#]] on are MPI_Alltoall, for any number of processes
void alltoall_in_flight(double *out, double *in, int n, MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  MPI_Request *requests = malloc(2 * size * sizeof(MPI_Request));
  for (int p = 0; p < size; ++p)
    MPI_Irecv(in + p * n, n, MPI_DOUBLE, p, 3, comm, &requests[p]);
  for (int p = 0; p < size; ++p)
    MPI_Isend(out + p * n, n, MPI_DOUBLE, p, 3, comm, &requests[size + p]);
  MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE);
  free(requests);
}

// CHECK-DAG: remark: the messages from detect-ahead.c:[[@LINE+5]] on are MPI_Alltoall, for any number of processes
void alltoall_pairwise(double *restrict out, double *restrict in) {
  ME;
  for (int i = 0; i < size; ++i) {
    int to = (rank + i) % size, from = (rank - i + size) % size;
    MPI_Sendrecv(out + to * 4, 4, MPI_DOUBLE, to, i, in + from * 4, 4, MPI_DOUBLE, from, i, WORLD, IGNORE);
  }
}

// The own block is copied, before the phase or after it.
// CHECK-DAG: remark: the messages from detect-ahead.c:[[@LINE+6]] on are MPI_Alltoall, for any number of processes
void alltoall_copied_before(double *restrict out, double *restrict in) {
  ME;
  memcpy(in + rank * 4, out + rank * 4, 4 * sizeof(double));
  for (int i = 1; i < size; ++i) {
    int to = (rank + i) % size, from = (rank - i + size) % size;
    MPI_Sendrecv(out + to * 4, 4, MPI_DOUBLE, to, 0, in + from * 4, 4, MPI_DOUBLE, from, 0, WORLD, IGNORE);
  }
}

// CHECK-DAG: remark: the messages from detect-ahead.c:[[@LINE+5]] on are MPI_Alltoall, for any number of processes
void alltoall_copied_after(double *restrict out, double *restrict in, int n) {
  ME;
  for (int p = 0; p < size; ++p)
    if (p != rank)
      MPI_Sendrecv(out + p * n, n, MPI_DOUBLE, p, 0, in + p * n, n, MPI_DOUBLE, p, 0, WORLD, IGNORE);
  memcpy(in + rank * n, out + rank * n, n * sizeof(double));
}

// The copy is of another block.
// CHECK-DAG: remark: MPI_Send at detect-ahead.c:[[@LINE+6]] is not part of a collective that is known at compile time: MPI has no such collective that skips the process's own block
void alltoall_copied_elsewhere(double *restrict out, double *restrict in, int n) {
  ME;
  memcpy(in + rank * n, out, n * sizeof(double));
  for (int p = 0; p < size; ++p)
    if (p != rank)
      MPI_Sendrecv(out + p * n, n, MPI_DOUBLE, p, 0, in + p * n, n, MPI_DOUBLE, p, 0, WORLD, IGNORE);
}

// Of processes 0, 1 and 2, which is rank ^ 1 of 2?
// CHECK-DAG: remark: MPI_Recv at detect-ahead.c:[[#]] is not part of a collective that is known at compile time: the beginning of its buffer is not known in terms of rank and size
void alltoall_by_bits(double *restrict out, double *restrict in) {
  ME;
  for (int i = 0; i < size; ++i)
    MPI_Sendrecv(out + (rank ^ i) * 4, 4, MPI_DOUBLE, rank ^ i, 0, in + (rank ^ i) * 4, 4, MPI_DOUBLE, rank ^ i, 0,
                 WORLD, IGNORE);
}

// CHECK-DAG: remark: MPI_Send at detect-ahead.c:[[#]] is not part of a collective that is known at compile time: its count is not the same for all processes
void alltoall_of_ranks(double *restrict out, double *restrict in) {
  ME;
  for (int p = 0; p < size; ++p)
    MPI_Sendrecv(out + p * rank, rank, MPI_DOUBLE, p, 0, in + p * rank, rank, MPI_DOUBLE, p, 0, WORLD, IGNORE);
}

// CHECK-DAG: remark: MPI_Send at detect-ahead.c:[[#]] is not part of a collective that is known at compile time: its tag may differ between processes
void alltoall_of_unknown_tag(double *restrict out, double *restrict in, int tag) {
  ME;
  for (int p = 0; p < size; ++p)
    MPI_Sendrecv(out + p, 1, MPI_DOUBLE, p, tag, in + p, 1, MPI_DOUBLE, p, tag, WORLD, IGNORE);
}

// How many processes there are is what the caller says.
// CHECK-DAG: remark: MPI_Recv at detect-ahead.c:[[#]] is not part of a collective that is known at compile time: a condition in it is not known in terms of rank and size
void alltoall_of_some(double *restrict out, double *restrict in, int count) {
  for (int p = 0; p < count; ++p)
    MPI_Sendrecv(out + p, 1, MPI_DOUBLE, p, 0, in + p, 1, MPI_DOUBLE, p, 0, WORLD, IGNORE);
}

// CHECK-DAG: remark: the messages from detect-ahead.c:[[@LINE+5]] on are MPI_Allgather, for any number of processes
void allgather_in_place(double *all, int n) {
  ME;
  for (int p = 0; p < size; ++p)
    if (p != rank)
      MPI_Sendrecv(all + rank * n, n, MPI_DOUBLE, p, 0, all + p * n, n, MPI_DOUBLE, p, 0, WORLD, IGNORE);
}

// CHECK-DAG: remark: the messages from detect-ahead.c:[[@LINE+4]] on are MPI_Allgather, for any number of processes
void allgather(double *restrict mine, double *restrict all, int n) {
  ME;
  for (int p = 0; p < size; ++p)
    MPI_Sendrecv(mine, n, MPI_DOUBLE, p, 0, all + p * n, n, MPI_DOUBLE, p, 0, WORLD, IGNORE);
}

// Nobody copies the own block, so nobody may write it.
// CHECK-DAG: remark: MPI_Recv at detect-ahead.c:[[@LINE+5]] is not part of a collective that is known at compile time: an allgather would write the block of the process itself, too
void allgather_of_others(double *restrict mine, double *restrict all, int n) {
  ME;
  for (int p = 0; p < size; ++p)
    if (p != rank)
      MPI_Sendrecv(mine, n, MPI_DOUBLE, p, 0, all + p * n, n, MPI_DOUBLE, p, 0, WORLD, IGNORE);
}

//===-- Rings --===//

// CHECK-DAG: remark: the messages from detect-ahead.c:[[@LINE+6]] on are MPI_Allgather, for any number of processes
void ring(double *all, int n) {
  ME;
  int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int step = 0; step < size - 1; ++step) {
    int out = (rank + size - step) % size, in = (left + size - step) % size;
    MPI_Sendrecv(all + out * n, n, MPI_DOUBLE, right, 5, all + in * n, n, MPI_DOUBLE, left, 5, WORLD, IGNORE);
  }
}

// Blocks from step to step, to the left, and no remainders.
// CHECK-DAG: remark: the messages from detect-ahead.c:[[@LINE+6]] on are MPI_Allgather, for any number of processes
void ring_to_the_left(double *all, int n) {
  ME;
  int right = rank + 1 == size ? 0 : rank + 1, left = rank == 0 ? size - 1 : rank - 1;
  int out = rank, in = right;
  for (int step = 1; step < size; ++step) {
    MPI_Sendrecv(all + out * n, n, MPI_DOUBLE, left, step, all + in * n, n, MPI_DOUBLE, right, step, WORLD, IGNORE);
    out = in;
    in = (in + 1) % size;
  }
}

// CHECK-DAG: remark: MPI_Send at detect-ahead.c:[[@LINE+6]] is not part of a collective that is known at compile time: it is not a ring with one step for each other process
void ring_of_one_step_more(double *all, int n) {
  ME;
  int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int step = 0; step < size; ++step) {
    int out = (rank + size - step) % size, in = (left + size - step) % size;
    MPI_Sendrecv(all + out * n, n, MPI_DOUBLE, right, 5, all + in * n, n, MPI_DOUBLE, left, 5, WORLD, IGNORE);
  }
}

// What is passed on is always the own block.
// CHECK-DAG: remark: MPI_Send at detect-ahead.c:[[@LINE+6]] is not part of a collective that is known at compile time: it is not a ring that passes on one block after another
void ring_of_own_blocks(double *restrict all, int n) {
  ME;
  int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int step = 0; step < size - 1; ++step) {
    int in = (left + size - step) % size;
    MPI_Sendrecv(all + rank * n, n, MPI_DOUBLE, right, 5, all + in * n, n, MPI_DOUBLE, left, 5, WORLD, IGNORE);
  }
}
