// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of small communication, each followed by some computation. Each form (FORM) is compiled once, and all are
// linked into one program, so that they alternate in the same processes.
#include "small.h"

#define JOIN(a, b) a##_##b
#define NAME(kernel, form) JOIN(kernel, form)
#define KERNEL(kernel) void NAME(kernel, FORM)(const struct setting *s, int times)

static int in[MOST], out[MOST];
static double values[256];

/// A loop with an unknown trip count; inlined, so that an interval can contain it.
static inline __attribute__((always_inline)) void compute(long rounds) {
  for (long round = 0; round < rounds; ++round)
    values[round & 255] = values[round & 255] * 0.5 + 1;
}

KERNEL(allreduce) {
  for (int i = 0; i < times; ++i) {
    MPI_Allreduce(in, out, s->elements, MPI_INT, MPI_MAX, s->comm);
    compute(s->rounds);
    in[0] = out[0] & 7;
  }
}

KERNEL(bcast) {
  for (int i = 0; i < times; ++i) {
    MPI_Bcast(in, s->elements, MPI_INT, 0, s->comm);
    compute(s->rounds);
    out[0] += in[0];
  }
}

KERNEL(reduce) {
  for (int i = 0; i < times; ++i) {
    MPI_Reduce(in, out, s->elements, MPI_INT, MPI_MAX, 0, s->comm);
    compute(s->rounds);
    out[1] += out[0];
  }
}

KERNEL(alltoall) {
  for (int i = 0; i < times; ++i) {
    MPI_Alltoall(in, s->elements, MPI_INT, out, s->elements, MPI_INT, s->comm);
    compute(s->rounds);
    in[0] = out[0] & 7;
  }
}

KERNEL(allgather) {
  for (int i = 0; i < times; ++i) {
    MPI_Allgather(in, s->elements, MPI_INT, out, s->elements, MPI_INT, s->comm);
    compute(s->rounds);
    in[0] = out[0] & 7;
  }
}

KERNEL(constant_allreduce) { // everything except the computation is known at compile time
  for (int i = 0; i < times; ++i) {
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_MAX, s->comm);
    compute(s->rounds);
    in[0] = out[0] & 7;
  }
}

KERNEL(sendrecv) {
  for (int i = 0; i < times; ++i) {
    MPI_Sendrecv(in, s->elements, MPI_INT, s->right, 0, out, s->elements, MPI_INT, s->left, 0, s->comm,
                 MPI_STATUS_IGNORE);
    compute(s->rounds);
    in[0] = out[0] & 7;
  }
}

KERNEL(pingpong) {
  for (int i = 0; i < times; ++i) {
    if (s->rank % 2 == 0) {
      MPI_Send(in, s->elements, MPI_INT, s->partner, 0, s->comm);
      compute(s->rounds);
      MPI_Recv(out, s->elements, MPI_INT, s->partner, 0, s->comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(out, s->elements, MPI_INT, s->partner, 0, s->comm, MPI_STATUS_IGNORE);
      compute(s->rounds);
      MPI_Send(in, s->elements, MPI_INT, s->partner, 0, s->comm);
    }
    in[0] = out[0] & 7;
  }
}

KERNEL(pipeline) { // each rank receives, computes, and sends
  for (int i = 0; i < times; ++i) {
    if (s->rank > 0)
      MPI_Recv(in, s->elements, MPI_INT, s->rank - 1, 0, s->comm, MPI_STATUS_IGNORE);
    compute(s->rounds);
    if (s->rank + 1 < s->size)
      MPI_Send(in, s->elements, MPI_INT, s->rank + 1, 0, s->comm);
  }
}
