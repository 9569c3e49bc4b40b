// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recorded requests in functions where the record could be mistaken: a cycle that is not a loop, a dead object, a
// variable that is nowhere, a handle that MPI has reused.
// RUN: %samexx %s -o %t -n 2
#include "Inputs/soundness.h"

#include <vector>

#define INLINE inline __attribute__((always_inline))
using Requests = std::vector<MPI_Request>;

enum { n = 1000 };
static double *results;

/// Work that reads the buffer: too early if a wait was late.
static INLINE long look(const double *values) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    results[i] = values[i] * 2;
  for (int i = 0; i < n; ++i)
    sum += results[i];
  return static_cast<long>(sum);
}
static INLINE void receive(Requests &requests, double *buffer, int count, int from, int tag) {
  requests.push_back(MPI_REQUEST_NULL);
  MPI_Irecv(buffer, count, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, &requests.back());
}
static INLINE void send(Requests &requests, double *buffer, int count, int to, int tag) {
  requests.push_back(MPI_REQUEST_NULL);
  MPI_Isend(buffer, count, MPI_DOUBLE, to, tag, MPI_COMM_WORLD, &requests.back());
}
/// As if of another file.
static NOINLINE void touch(void *pointer) { asm volatile("" : : "r"(pointer) : "memory"); }

/// Two entries of one cycle. Each iteration has another buffer.
static NOINLINE void entered(int from, int last, double *in, double *out, double *x, int peer, Requests &requests) {
  int i = 0;
  requests.clear();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank)
    nap(50);
  if (from & 1)
    goto second;
first:
  send(requests, out, n, peer, 4);
  receive(requests, x, 0, peer, 5);
  send(requests, out, 0, peer, 5);
  i += n;
second:
  receive(requests, in + i, n, peer, i < last ? 3 : 4);
  if (i < last)
    goto first;
  send(requests, out, n, peer, 3);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  say("entered", look(in));
}

struct Block {
  double fill[1 << 17]; // so large that its pages are unmapped with it
  double *buffer;
  int count;
};

static NOINLINE void gone(bool isFirst, double *in, double *out, double *x, int peer, Requests &requests) {
  auto *block = new Block, *other = new Block;
  block->buffer = in;
  block->count = n;
  touch(block);
  requests.clear();
  MPI_Barrier(MPI_COMM_WORLD);
  receive(requests, block->buffer, block->count, peer, 3);
  send(requests, out, n, peer, 3);
  delete (isFirst ? block : other);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  long sum = look(x);
  say("gone", sum + look(in));
  delete (isFirst ? other : block);
}

extern "C" {
extern int absent __attribute__((weak));
}

static NOINLINE void nowhere(bool isThere, double *in, double *out, double *x, int peer, Requests &requests) {
  requests.clear();
  MPI_Barrier(MPI_COMM_WORLD);
  receive(requests, in, n, peer, 3);
  if (isThere) {
    touch(requests.data());
    send(requests, out, absent, peer, 3);
  } else {
    send(requests, out, n, peer, 3);
    send(requests, out, 0, MPI_PROC_NULL, 3);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  long sum = look(x);
  say("nowhere", sum + look(in));
}

struct Slots {
  MPI_Request requests[8];
};

/// The first wait leaves one of two requests, whose handle equals that of a completed recorded one.
static NOINLINE void again(Slots *slots, int started, int waited, double *in, double *out, double *x, int peer,
                           Requests &requests) {
  auto *before = static_cast<double *>(calloc(2 * n, sizeof(double)));
  requests.clear();
  MPI_Barrier(MPI_COMM_WORLD);
  receive(requests, before, n, peer, 1);
  receive(requests, before + n, n, peer, 2);
  MPI_Send(out, n, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD);
  MPI_Send(out, n, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  for (int i = 0; i < started; ++i)
    MPI_Irecv(in + i * n, n, MPI_DOUBLE, peer, 3 + i, MPI_COMM_WORLD, &slots->requests[i]);
  MPI_Send(out, n, MPI_DOUBLE, peer, 3, MPI_COMM_WORLD);
  MPI_Waitall(waited, slots->requests, MPI_STATUSES_IGNORE);
  if (rank)
    nap(50);
  MPI_Send(out + n, n, MPI_DOUBLE, peer, 4, MPI_COMM_WORLD);
  MPI_Waitall(started - waited, slots->requests + waited, MPI_STATUSES_IGNORE);
  long sum = look(in + n);
  say("again", sum + look(x));
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  results = new double[n];
  std::vector<double> in(4 * n, -1), out(4 * n), x(n);
  Requests requests;
  for (int i = 0; i < 4 * n; ++i)
    out[i] = i;
  int peer = rank ^ 1;
  entered(argc, argc * n - 1, in.data(), out.data(), x.data(), peer, requests);
  in.assign(4 * n, -1);
  gone(argc > 0, in.data(), out.data(), x.data(), peer, requests);
  in.assign(4 * n, -1);
  nowhere(&absent != nullptr, in.data(), out.data(), x.data(), peer, requests);
  auto *slots = new Slots;
  for (MPI_Request &each : slots->requests)
    each = MPI_REQUEST_NULL;
  for (int turn = 0; turn < 2; ++turn) {
    in.assign(4 * n, -1);
    again(slots, 1 + argc, argc, in.data(), out.data(), x.data(), peer, requests);
  }
  MPI_Finalize();
  return 0;
}
