// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Requests that are started in a variable and copied: into growing vectors, from vector to vector, from iteration to
// iteration, swapped. A wait completes the copied requests.
// RUN: %samexx %s -o %t -n 1,2,4 --overlaps "MPI_Waitall at copied-requests.cpp:[0-9]+, which completes MPI_Irecv"
#include "Inputs/soundness.h"

#include <utility>
#include <vector>

static double values[steps];
static int left, right;

static MPI_Request receive(int *in, int tag) {
  MPI_Request request;
  MPI_Irecv(in, many, MPI_INT, left, tag, MPI_COMM_WORLD, &request);
  return request;
}
static MPI_Request send(const int *out, int tag) {
  MPI_Request request;
  MPI_Isend(out, many, MPI_INT, right, tag, MPI_COMM_WORLD, &request);
  return request;
}

NOINLINE static void pushed(int *in, int *out) {
  std::vector<MPI_Request> requests;
  MPI_Request request;
  MPI_Irecv(in, many, MPI_INT, left, 0, MPI_COMM_WORLD, &request);
  requests.push_back(request);
  MPI_Irecv(in + many, many, MPI_INT, left, 1, MPI_COMM_WORLD, &request);
  requests.push_back(request);
  MPI_Isend(out, many, MPI_INT, right, 0, MPI_COMM_WORLD, &request);
  requests.push_back(request);
  MPI_Isend(out + many, many, MPI_INT, right, 1, MPI_COMM_WORLD, &request);
  requests.push_back(request);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  work(values);
  fill(out, 2 * many, 3);
  say("pushed", total(in, 2 * many));
}

/// Only if there is a neighbor; in branches, in existing memory.
NOINLINE static void branches(int *in, int *out) {
  std::vector<MPI_Request> requests;
  requests.reserve(4);
  if (rank > 0)
    requests.push_back(receive(in, 0));
  if (rank + 1 < size)
    requests.push_back(send(out, 0));
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  work(values);
  fill(out, many, 5);
  say("branches", total(in, many));
}

/// Two requests change places: the wait for the first variable is for the second message.
NOINLINE static void swapped(int *in, int *out, bool swaps) {
  MPI_Request first = receive(in, 0), second = receive(in + many, 1), sent[2] = {send(out, 0), send(out + many, 1)};
  if (swaps)
    std::swap(first, second);
  MPI_Wait(&first, MPI_STATUS_IGNORE);
  work(values);
  say("swapped", total(swaps ? in + many : in, many));
  MPI_Wait(&second, MPI_STATUS_IGNORE);
  MPI_Waitall(2, sent, MPI_STATUSES_IGNORE);
  fill(out, 2 * many, 7);
  say("swapped, both", total(in, 2 * many));
}

/// The next iteration waits for the starts of an iteration, with other buffers.
NOINLINE static void turns(int *in, int *out) {
  std::vector<MPI_Request> before;
  for (int turn = 0; turn < 4; ++turn) {
    int *now = in + (turn & 1) * many;
    std::vector<MPI_Request> started;
    started.push_back(receive(now, turn));
    started.push_back(send(out + (turn & 1) * many, turn));
    MPI_Waitall(static_cast<int>(before.size()), before.data(), MPI_STATUSES_IGNORE);
    work(values);
    if (turn > 0) {
      say("turns", total(in + (1 - (turn & 1)) * many, many));
      fill(out + (1 - (turn & 1)) * many, many, turn);
    }
    before = started;
  }
  MPI_Waitall(static_cast<int>(before.size()), before.data(), MPI_STATUSES_IGNORE);
  say("turns, last", total(in + many, many));
}

/// One at a time, taken from the end of a vector.
NOINLINE static void taken(int *in, int *out) {
  std::vector<MPI_Request> requests;
  for (int i = 0; i < 2; ++i)
    requests.push_back(receive(in + i * many, i));
  MPI_Request sent[2] = {send(out, 0), send(out + many, 1)};
  for (int i = 1; i >= 0; --i) {
    MPI_Request last = requests.back();
    requests.pop_back();
    MPI_Wait(&last, MPI_STATUS_IGNORE);
    work(values);
    say("taken", total(in + i * many, many));
  }
  MPI_Waitall(2, sent, MPI_STATUSES_IGNORE);
  fill(out, 2 * many, 9);
}

/// Through a slot of the array that no start and no wait names.
NOINLINE static void between(int *in, int *out) {
  MPI_Request r[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL}, other;
  MPI_Irecv(in, many, MPI_INT, left, 0, MPI_COMM_WORLD, &r[2]);
  MPI_Irecv(in + many, many, MPI_INT, left, 1, MPI_COMM_WORLD, &other);
  MPI_Request sent[2] = {send(out, 0), MPI_REQUEST_NULL};
  r[0] = other;
  MPI_Wait(&r[2], MPI_STATUS_IGNORE);
  say("between, first", total(in, many));
  if (rank % 2 == 0)
    nap(50);
  sent[1] = send(out + many, 1);
  r[2] = r[0];
  MPI_Wait(&r[2], MPI_STATUS_IGNORE);
  work(values);
  say("between", total(in + many, many));
  MPI_Waitall(2, sent, MPI_STATUSES_IGNORE);
  fill(out, 2 * many, 10);
}

/// The wait is for a copy of a caller's request.
NOINLINE static void passed(const std::vector<MPI_Request> &requests, const int *in) {
  std::vector<MPI_Request> copy(requests);
  MPI_Waitall(static_cast<int>(copy.size()), copy.data(), MPI_STATUSES_IGNORE);
  work(values);
  say("passed", total(in, many));
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  left = (rank + size - 1) % size;
  right = (rank + 1) % size;
  std::vector<int> in(2 * many), out(2 * many);
  fill(out.data(), 2 * many, rank);
  pushed(in.data(), out.data());
  fill(out.data(), 2 * many, 3 * rank);
  branches(in.data(), out.data());
  for (bool swaps : {false, true}) {
    fill(out.data(), 2 * many, 5 * rank + swaps);
    swapped(in.data(), out.data(), swaps);
  }
  fill(out.data(), 2 * many, 7 * rank);
  turns(in.data(), out.data());
  fill(out.data(), 2 * many, 11 * rank);
  taken(in.data(), out.data());
  fill(out.data(), 2 * many, 12 * rank);
  between(in.data(), out.data());
  fill(out.data(), 2 * many, 13 * rank);
  passed({receive(in.data(), 0), send(out.data(), 0)}, in.data());
  MPI_Finalize();
  return 0;
}
