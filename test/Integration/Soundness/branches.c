// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocking calls in branches, whose waits leave them. Long messages: nothing arrives before its wait, and nothing is
// sent.
// RUN: %same %s -o %t -n 1,2,4 --overlaps "MPI_(Send|Recv) at branches.c:[0-9]+"
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/soundness.h"

static double values[steps];
static int left, right;

NOINLINE static void tell(const MPI_Status *status) { say("tag", status->MPI_TAG); }

/// Code after the branch needs the message, or its status: without a receive they are unchanged.
NOINLINE static void reads(int *in, int *out, int from, int to) {
  MPI_Status status = {.MPI_TAG = 77};
  if (to >= 0)
    MPI_Send(out, many, MPI_INT, to, 5, MPI_COMM_WORLD);
  if (from >= 0)
    MPI_Recv(in, many, MPI_INT, from, 5, MPI_COMM_WORLD, &status);
  work(values); // overlaps
  tell(&status);
  say("read", total(in, many) + (long)values[steps - 1]);
}

/// The sent buffer is overwritten after the branch.
NOINLINE static void overwritten(int *in, int *out, int from, int to) {
  // CHECK-DAG: branches.c:[[#@LINE+2]]:{{[0-9]+}}: remark: MPI_Recv at branches.c:[[#@LINE+2]] overlaps
  if (from >= 0)
    MPI_Recv(in, few, MPI_INT, from, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (to >= 0)
    MPI_Send(out, many, MPI_INT, to, 7, MPI_COMM_WORLD);
  work(values);
  fill(out, many, 3);
}

/// Its receiver is late.
NOINLINE static void late(int *in, int *out, int from, int to) {
  if (to >= 0)
    MPI_Send(out, few, MPI_INT, to, 6, MPI_COMM_WORLD);
  nap(20);
  if (from >= 0)
    MPI_Recv(in, many, MPI_INT, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("late", total(in, many));
}

/// Code after the call in the same branch.
NOINLINE static void inside(int *in, int *out, int from, int to) {
  if (to >= 0) {
    MPI_Send(out, many, MPI_INT, to, 8, MPI_COMM_WORLD);
    out[many - 1] = -1;
    out[0] = -2;
  }
  work(values);
  if (from >= 0) {
    MPI_Recv(in, many, MPI_INT, from, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    in[0] += in[many - 1];
  }
  work(values);
  say("inside", total(in, many) + (long)values[steps - 1]);
}

/// The received data is sent on in the same branch.
NOINLINE static void forward(int *in, int from, int to) {
  if (from >= 0 && to >= 0) {
    MPI_Recv(in, many, MPI_INT, from, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(in, many, MPI_INT, to, 12, MPI_COMM_WORLD);
  } else if (to >= 0) {
    nap(20);
    MPI_Send(in, many, MPI_INT, to, 12, MPI_COMM_WORLD);
  } else if (from >= 0) {
    MPI_Recv(in, many, MPI_INT, from, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  work(values);
  say("forward", total(in, many) + (long)values[steps - 1]);
}

/// The wait comes before the next iteration, which uses both buffers.
NOINLINE static void turns(int *in, int *out, int from, int to) {
  for (int turn = 0; turn < 3; ++turn) {
    if (from >= 0)
      MPI_Recv(in, many, MPI_INT, from, turn, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (to >= 0)
      MPI_Send(out, many, MPI_INT, to, turn, MPI_COMM_WORLD);
    work(values);
    out[turn * many / 4] += in[many / 2] + turn + (int)values[turn];
    in[turn] += 1;
  }
  say("turns", total(in, many) + total(out, many));
}

/// The program's own requests, in all iterations except the last: the computation reads only the sent data.
// CHECK-DAG: remark: MPI_Irecv at branches.c:[[#@LINE+9]] overlaps
NOINLINE static void ring(void) {
  int *in = calloc(many, sizeof(int)), *out = malloc(many * sizeof(int));
  long sum = 0;
  fill(out, many, 5 * rank);
  int to = (rank + 1) % size, from = (rank + size - 1) % size;
  for (int turn = 0; turn < size + 1; ++turn) {
    if (turn < size) {
      MPI_Request requests[2];
      MPI_Irecv(in, many, MPI_INT, from, turn, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(out, many, MPI_INT, to, turn, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < many; ++i)
      sum = 3 * sum + out[i];
    int *other = in;
    in = out;
    out = other;
  }
  say("ring", sum);
  free(in);
  free(out);
}

/// The function ends in the branch.
NOINLINE static int ends(int *out, int to) {
  if (to >= 0) {
    MPI_Send(out, many, MPI_INT, to, 9, MPI_COMM_WORLD);
    return 1;
  }
  work(values);
  return 0;
}

/// Nested branches, with messages in the opposite direction in the other arm.
NOINLINE static void nested(int *in, int *out, int *other, int up, int down) {
  MPI_Status status;
  if (rank % 2 == 0) {
    if (up >= 0) {
      MPI_Send(out, many, MPI_INT, up, 1, MPI_COMM_WORLD);
      MPI_Recv(in, many, MPI_INT, up, 2, MPI_COMM_WORLD, &status);
    }
    if (down >= 0) {
      MPI_Send(out + many, many, MPI_INT, down, 2, MPI_COMM_WORLD);
      MPI_Recv(other, many, MPI_INT, down, 1, MPI_COMM_WORLD, &status);
    }
  } else {
    if (down >= 0) {
      MPI_Recv(other, many, MPI_INT, down, 1, MPI_COMM_WORLD, &status);
      MPI_Send(out + many, many, MPI_INT, down, 2, MPI_COMM_WORLD);
    }
    if (up >= 0) {
      MPI_Recv(in, many, MPI_INT, up, 2, MPI_COMM_WORLD, &status);
      MPI_Send(out, many, MPI_INT, up, 1, MPI_COMM_WORLD);
    }
  }
  work(values);
  say("nested", total(in, many) + 3 * total(other, many) + (long)values[steps - 1]);
  fill(out, 2 * many, 11);
}

/// Ghost rows, if there are neighbors: some iterations of the stencil do not need them.
// CHECK-DAG: remark: splits the loop at branches.c:[[#@LINE+10]]
NOINLINE static void rows(double *restrict v, double *restrict u, int m, int n, int up, int down) {
  if (up >= 0)
    MPI_Send(&u[n], n, MPI_DOUBLE, up, 3, MPI_COMM_WORLD);
  if (down >= 0)
    MPI_Recv(&u[(m + 1) * n], n, MPI_DOUBLE, down, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (down >= 0)
    MPI_Send(&u[m * n], n, MPI_DOUBLE, down, 4, MPI_COMM_WORLD);
  if (up >= 0)
    MPI_Recv(u, n, MPI_DOUBLE, up, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      v[i * n + j] = u[(i - 1) * n + j] + 2 * u[i * n + j] + 3 * u[(i + 1) * n + j];
}

/// A program that does not even initialize MPI on request.
NOINLINE static void optional(int *in, int *out, int isParallel) {
  if (isParallel) {
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Sendrecv(out, few, MPI_INT, to, 0, in, few, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  work(values);
  say("optional", total(in, few));
}

int main(int argc, char **argv) {
  int *in = calloc(2 * many, sizeof(int)), *out = malloc(2 * many * sizeof(int)), *other = calloc(many, sizeof(int));
  optional(in, out, 0);
  begin(&argc, &argv);
  int up = rank < size - 1 ? rank + 1 : -1, down = rank - 1;
  fill(out, 2 * many, 1000 * rank);
  optional(in, out, 1);
  // Pairs: one process sends, the other one receives.
  int partner = rank ^ 1;
  left = rank % 2 && partner < size ? partner : -1;
  right = rank % 2 == 0 && partner < size ? partner : -1;
  reads(in, out, left, right);
  turns(in, out, left, right);
  inside(in, out, left, right);
  fill(out, many, rank);
  if (rank % 2 == 0)
    overwritten(in, out, right, right);
  else
    late(in, out, left, left);
  fill(out, many, rank);
  if (right >= 0) {
    say("ends", ends(out, right));
    fill(out, many, 1);
  } else if (left >= 0) {
    nap(20);
    MPI_Recv(in, many, MPI_INT, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say("ends", total(in, many));
  }
  nested(in, out, other, up, down);
  fill(in, many, 7 * rank);
  forward(in, down, up);
  ring();
  for (int m = 1; m < 6; ++m)
    for (int n = 1; n < 5; ++n) {
      double u[8 * 5], v[8 * 5] = {0};
      unsigned long sum = 0;
      for (int i = 0; i < 8 * 5; ++i)
        u[i] = (i * 37 + rank * 11) % 101 / 7.0;
      rows(v, u, m, n, up, down);
      for (int i = 0; i < 8 * 5; ++i)
        sum = sum * 31 + (unsigned long)(v[i] * 1000);
      printf("rank %d: %d %d %lx\n", rank, m, n, sum);
    }
  MPI_Finalize();
  return 0;
}
