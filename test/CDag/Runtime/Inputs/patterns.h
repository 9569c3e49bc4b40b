/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Communication patterns spelled out as sends and receives, written once and
 * executed in three ways: with plain MPI (the reference), as a graph, and as a
 * phase.
 */
#ifndef PATTERNS_H
#define PATTERNS_H

#include "comm/cdag.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAIN, GRAPH, PHASE };

typedef struct {
  int way, rank, size;
  MPI_Comm comm;
  comm_cdag *graph;
  MPI_Request requests[4096];
  int pending;
  int error;
  /* Zero-byte messages in a graph need explicit order. */
  int last[4096], lasts, joint;
} Emitter;

#define ARENA (1 << 20)

static void fence(Emitter *e) {
  if (e->way == PLAIN) {
    MPI_Waitall(e->pending, e->requests, MPI_STATUSES_IGNORE);
    e->pending = 0;
  } else if (e->way == GRAPH) {
    e->joint = e->lasts; /* later zero-byte messages wait for all so far */
  }
}

static void signal_order(Emitter *e, int bytes, int op) {
  if (bytes == 0)
    for (int i = 0; i < e->joint; ++i)
      e->error |= comm_cdag_add_dependency(e->graph, op, e->last[i]);
  e->last[e->lasts++] = op;
}

static void send_type(Emitter *e, const void *buf, int count, MPI_Datatype type,
                      int to, int tag) {
  int op = -1, size;
  if (e->way == PLAIN)
    MPI_Isend(buf, count, type, to, tag, e->comm, &e->requests[e->pending++]);
  else if (e->way == PHASE)
    e->error |= comm_cdag_phase_send(buf, count, type, to, tag);
  else {
    e->error |= comm_cdag_add_send(e->graph, buf, count, type, to, tag, &op);
    MPI_Type_size(type, &size);
    signal_order(e, count * size, op);
  }
}

static void recv_type(Emitter *e, void *buf, int count, MPI_Datatype type,
                      int from, int tag) {
  int op = -1, size;
  if (e->way == PLAIN)
    MPI_Irecv(buf, count, type, from, tag, e->comm, &e->requests[e->pending++]);
  else if (e->way == PHASE)
    e->error |= comm_cdag_phase_recv(buf, count, type, from, tag);
  else {
    e->error |= comm_cdag_add_recv(e->graph, buf, count, type, from, tag, &op);
    MPI_Type_size(type, &size);
    signal_order(e, count * size, op);
  }
}

static void send_bytes(Emitter *e, const void *buf, int bytes, int to) {
  send_type(e, buf, bytes, MPI_BYTE, to, 7);
}
static void recv_bytes(Emitter *e, void *buf, int bytes, int from) {
  recv_type(e, buf, bytes, MPI_BYTE, from, 7);
}

static void copy_bytes(Emitter *e, const void *from, void *to, int bytes) {
  int op = -1;
  fence(e);
  if (e->way == PLAIN)
    memcpy(to, from, (size_t)bytes);
  else if (e->way == PHASE)
    e->error |= comm_cdag_phase_copy(from, to, bytes, MPI_BYTE);
  else {
    e->error |= comm_cdag_add_copy(e->graph, from, to, bytes, MPI_BYTE, &op);
    e->last[e->lasts++] = op;
  }
}

static void reduce_type(Emitter *e, const void *in, void *inout, int count,
                        MPI_Datatype type, MPI_Op mpi_op) {
  int op = -1;
  fence(e);
  if (e->way == PLAIN)
    MPI_Reduce_local(in, inout, count, type, mpi_op);
  else if (e->way == PHASE)
    e->error |= comm_cdag_phase_reduce(in, inout, count, type, mpi_op);
  else {
    e->error |=
        comm_cdag_add_reduce(e->graph, in, inout, count, type, mpi_op, &op);
    e->last[e->lasts++] = op;
  }
}

/* Every pattern works in one arena: contributions at 0, results at ARENA/4,
 * temporary memory at ARENA/2. `n` is the block's size in bytes. */
typedef void Pattern(Emitter *e, char *arena, int n);

#define IN(a) (a)
#define OUT(a) ((a) + ARENA / 4)
#define TEMP(a) ((a) + ARENA / 2)

static void bcast_linear(Emitter *e, char *a, int n) {
  if (e->rank == 0)
    for (int i = 1; i < e->size; ++i)
      send_bytes(e, IN(a), n, i);
  else
    recv_bytes(e, OUT(a), n, 0);
}

/* All but the root forward what they have received, in place. */
static void bcast_binomial(Emitter *e, char *a, int n) {
  int mask = 1;
  for (; mask < e->size; mask <<= 1)
    if (e->rank & mask) {
      recv_bytes(e, OUT(a), n, e->rank - mask);
      break;
    }
  fence(e);
  for (mask >>= 1; mask > 0; mask >>= 1)
    if (e->rank + mask < e->size)
      send_bytes(e, OUT(a), n, e->rank + mask);
}

static void gather_linear(Emitter *e, char *a, int n) {
  int root = e->size - 1;
  if (e->rank != root)
    send_bytes(e, IN(a), n, root);
  else
    for (int i = 0; i < e->size; ++i)
      if (i != root)
        recv_bytes(e, OUT(a) + i * n, n, i);
}

/* The root's own block is copied in the graph. */
static void gather_self(Emitter *e, char *a, int n) {
  if (e->rank == 0) {
    copy_bytes(e, IN(a), OUT(a), n);
    for (int i = 1; i < e->size; ++i)
      recv_bytes(e, OUT(a) + i * n, n, i);
  } else {
    send_bytes(e, IN(a), n, 0);
  }
}

static void scatter_linear(Emitter *e, char *a, int n) {
  int root = e->size / 2;
  if (e->rank == root) {
    for (int i = 0; i < e->size; ++i)
      if (i != root)
        send_bytes(e, IN(a) + i * n, n, i);
  } else {
    recv_bytes(e, OUT(a), n, root);
  }
}

static void allgather_linear(Emitter *e, char *a, int n) {
  for (int i = 0; i < e->size; ++i)
    if (i != e->rank)
      recv_bytes(e, OUT(a) + i * n, n, i);
  for (int i = 0; i < e->size; ++i)
    if (i != e->rank)
      send_bytes(e, IN(a), n, i);
}

/* Own block in its place among the results. */
static void allgather_ring(Emitter *e, char *a, int n) {
  int p = e->size, next = (e->rank + 1) % p, previous = (e->rank + p - 1) % p;
  for (int k = 0; k + 1 < p; ++k) {
    int out = (e->rank - k + p) % p, in = (e->rank - k - 1 + p) % p;
    recv_bytes(e, OUT(a) + in * n, n, previous);
    send_bytes(e, OUT(a) + out * n, n, next);
    fence(e);
  }
}

static void alltoall_linear(Emitter *e, char *a, int n) {
  for (int i = 0; i < e->size; ++i)
    if (i != e->rank) {
      recv_bytes(e, OUT(a) + i * n, n, i);
      send_bytes(e, IN(a) + i * n, n, i);
    }
}

static void alltoall_self(Emitter *e, char *a, int n) {
  copy_bytes(e, IN(a) + e->rank * n, OUT(a) + e->rank * n, n);
  alltoall_linear(e, a, n);
}

/* A transpose: columns of a matrix of ints go out, rows come in. */
static void alltoall_columns(Emitter *e, char *a, int n) {
  MPI_Datatype column;
  int rows = n / (int)sizeof(int);
  MPI_Type_vector(rows, 1, e->size, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < e->size; ++i) {
    recv_type(e, OUT(a) + i * n, rows, MPI_INT, i, 3);
    send_type(e, IN(a) + i * (int)sizeof(int), 1, column, i, 3);
  }
  fence(e);
  MPI_Type_free(&column);
}

/* One after another reduces into process 0's result, which sends it back. */
static void allreduce_linear(Emitter *e, char *a, int n) {
  int count = n / 8;
  if (e->rank == 0) {
    copy_bytes(e, IN(a), OUT(a), n);
    for (int i = 1; i < e->size; ++i) {
      recv_bytes(e, TEMP(a) + i * n, n, i);
      reduce_type(e, TEMP(a) + i * n, OUT(a), count, MPI_INT64_T, MPI_SUM);
    }
    fence(e);
    for (int i = 1; i < e->size; ++i)
      send_bytes(e, OUT(a), n, i);
  } else {
    send_bytes(e, IN(a), n, 0);
    recv_bytes(e, OUT(a), n, 0);
  }
}

static void reduce_linear(Emitter *e, char *a, int n) {
  int count = n / 8;
  if (e->rank == 0) {
    copy_bytes(e, IN(a), OUT(a), n);
    for (int i = 1; i < e->size; ++i) {
      recv_bytes(e, TEMP(a) + i * n, n, i);
      reduce_type(e, TEMP(a) + i * n, OUT(a), count, MPI_INT64_T, MPI_MAX);
    }
  } else {
    send_bytes(e, IN(a), n, 0);
  }
}

static void barrier_dissemination(Emitter *e, char *a, int n) {
  (void)a, (void)n;
  for (int k = 1; k < e->size; k <<= 1) {
    send_bytes(e, NULL, 0, (e->rank + k) % e->size);
    recv_bytes(e, NULL, 0, (e->rank - k + e->size) % e->size);
    fence(e);
  }
}

/* Every other process takes part. */
static void bcast_subset(Emitter *e, char *a, int n) {
  if (e->rank % 2)
    return;
  if (e->rank == 0)
    for (int i = 2; i < e->size; i += 2)
      send_bytes(e, IN(a), n, i);
  else
    recv_bytes(e, OUT(a), n, 0);
}

static void allgather_subset(Emitter *e, char *a, int n) {
  if (e->rank % 2)
    return;
  for (int i = 0; i < e->size; i += 2)
    if (i != e->rank) {
      recv_bytes(e, OUT(a) + i * n, n, i);
      send_bytes(e, IN(a), n, i);
    }
}

static unsigned next_random(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 16;
}

/* A broadcast among random messages, some of which forward its data. */
static void mixed(Emitter *e, char *a, int n) {
  unsigned state = 42;
  bcast_linear(e, a, n);
  fence(e);
  for (int k = 0; k < 2 * e->size; ++k) {
    int from = (int)(next_random(&state) % (unsigned)e->size);
    int to = (int)(next_random(&state) % (unsigned)e->size);
    int forward = (int)(next_random(&state) % 2);
    char *source = (forward ? OUT(a) : IN(a) + ARENA / 8);
    if (e->rank == to && to != from)
      recv_type(e, TEMP(a) + k * n, n, MPI_BYTE, from, 100 + k);
    if (e->rank == from && to != from)
      send_type(e, source, n, MPI_BYTE, to, 100 + k);
  }
}

/* Messages that two collectives depend on: they cannot start at once. */
static void collective_after_message(Emitter *e, char *a, int n) {
  int p = e->size;
  if (e->rank == p - 1)
    send_bytes(e, IN(a), n, 0);
  if (e->rank == 0) {
    recv_bytes(e, TEMP(a), n, p - 1);
    fence(e);
    copy_bytes(e, TEMP(a), OUT(a) + n, n);
  }
  fence(e);
  allgather_linear(e, OUT(a) + 4 * n, n);
  bcast_binomial(e, a + n, n);
}

/* An operator on a type that only MPI knows: run, not detected. */
static void reduce_complex(Emitter *e, char *a, int n) {
  int count = (n + 15) / 16, bytes = 16 * count;
  if (e->rank == 0) {
    copy_bytes(e, IN(a), OUT(a), bytes);
    for (int i = 1; i < e->size; ++i) {
      recv_bytes(e, TEMP(a) + i * bytes, bytes, i);
      reduce_type(e, TEMP(a) + i * bytes, OUT(a), count, MPI_C_DOUBLE_COMPLEX,
                  MPI_SUM);
    }
  } else {
    send_bytes(e, IN(a), bytes, 0);
  }
}

typedef struct {
  const char *name;
  Pattern *emit;
  const char *expect; /* "" : nothing in particular */
  int leastRanks;
} Entry;

static const Entry entries[] = {
    {"bcast-linear", bcast_linear, "bcast(", 2},
    {"bcast-binomial", bcast_binomial, "bcast(", 2},
    {"gather-linear", gather_linear, "gather(", 3},
    {"gather-self", gather_self, "gather(", 3},
    {"scatter-linear", scatter_linear, "scatter(", 3},
    {"allgather-linear", allgather_linear, "allgather(", 2},
    {"allgather-ring", allgather_ring, "allgather(", 2},
    {"alltoall-linear", alltoall_linear, "alltoall(", 3},
    {"alltoall-self", alltoall_self, "alltoall(", 3},
    {"alltoall-columns", alltoall_columns, "alltoall(", 3},
    {"allreduce-linear", allreduce_linear, "allreduce(", 2},
    {"reduce-linear", reduce_linear, "reduce(", 3},
    {"reduce-complex", reduce_complex, "", 2},
    {"barrier-dissemination", barrier_dissemination, "barrier(", 2},
    {"bcast-subset", bcast_subset, "bcast(4 ranks", 8},
    {"allgather-subset", allgather_subset, "allgather(4 ranks", 8},
    {"mixed", mixed, "bcast(", 3},
    {"collective-after-message", collective_after_message, "", 2},
};
enum { NUM_ENTRIES = sizeof entries / sizeof entries[0] };

static void fill(char *arena, int rank, unsigned seed) {
  unsigned state = seed * 977u + (unsigned)rank;
  for (int i = 0; i < ARENA; i += 4) {
    unsigned value = next_random(&state);
    memcpy(arena + i, &value, 4);
  }
}

#endif
