// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One axis after another, including corners, and messages that arrive in branches: a branch that is not entered
// accesses nothing, and one that is entered may access any memory.
// RUN: %same %s -o %t -n 1,2,4
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  int nx, ny, rank, neighbors[4];
  double *now, *next, *out[4], *in[4];
  MPI_Comm comm;
  MPI_Request persistent[8];
} Block;

static void makeBlock(Block *b, int nx, int ny) {
  int size, dims[2] = {0, 0};
  MPI_Comm_rank(b->comm, &b->rank);
  MPI_Comm_size(b->comm, &size);
  MPI_Dims_create(size, 2, dims);
  int x = b->rank % dims[0], y = b->rank / dims[0];
  b->nx = nx, b->ny = ny;
  b->neighbors[0] = x > 0 ? b->rank - 1 : -1;
  b->neighbors[1] = x + 1 < dims[0] ? b->rank + 1 : -1;
  b->neighbors[2] = y > 0 ? b->rank - dims[0] : -1;
  b->neighbors[3] = y + 1 < dims[1] ? b->rank + dims[0] : -1;
  int cells = (nx + 2) * (ny + 2);
  b->now = malloc(sizeof(double) * cells), b->next = malloc(sizeof(double) * cells);
  for (int i = 0; i < cells; ++i)
    b->now[i] = b->next[i] = (i * 7 % 13 + b->rank) / 8.0;
  for (int d = 0; d < 4; ++d)
    b->out[d] = calloc(nx + ny + 4, sizeof(double)), b->in[d] = calloc(nx + ny + 4, sizeof(double));
}

static void tell(const char *name, Block *b) {
  double sum = 0;
  for (int i = 0; i < (b->nx + 2) * (b->ny + 2); ++i)
    sum += b->now[i] * (i % 17) + b->next[i] * (i % 5);
  printf("%s: rank %d: %.17g\n", name, b->rank, sum);
}

static inline void sweep(Block *b) {
  int w = b->nx + 2;
  for (int j = 1; j <= b->ny; ++j)
    for (int i = 1; i <= b->nx; ++i) {
      int at = j * w + i;
      b->next[at] = 0.2 * (b->now[at - 1] + b->now[at + 1] + b->now[at - w] + b->now[at + w] + b->now[at + w + 1]);
    }
  double *swap = b->now;
  b->now = b->next, b->next = swap;
}

//===----------------------------------------------------------------------===//
// Faces
//===----------------------------------------------------------------------===//

static inline void copyFace(Block *b, int d, int ghost, double *face, int put) {
  int w = b->nx + 2, n = 0;
  if (d < 2) {
    int i = d ? b->nx + ghost : 1 - ghost;
    for (int j = 0; j <= b->ny + 1; ++j) {
      double *cell = &b->now[j * w + i];
      if (put)
        *cell = face[n++];
      else
        face[n++] = *cell;
    }
  } else {
    int j = d == 3 ? b->ny + ghost : 1 - ghost;
    for (int i = 0; i < w; ++i) {
      double *cell = &b->now[j * w + i];
      if (put)
        *cell = face[n++];
      else
        face[n++] = *cell;
    }
  }
}

static inline void exchange(Block *b) {
  for (int axis = 0; axis < 2; ++axis) {
    MPI_Request r[4];
    int n = 0, length = (axis ? b->nx : b->ny) + 2;
    for (int d = 2 * axis; d < 2 * axis + 2; ++d)
      if (b->neighbors[d] >= 0)
        MPI_Irecv(b->in[d], length, MPI_DOUBLE, b->neighbors[d], d ^ 1, b->comm, &r[n++]);
    for (int d = 2 * axis; d < 2 * axis + 2; ++d)
      if (b->neighbors[d] >= 0) {
        copyFace(b, d, 0, b->out[d], 0);
        MPI_Isend(b->out[d], length, MPI_DOUBLE, b->neighbors[d], d, b->comm, &r[n++]);
      }
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
    for (int d = 2 * axis; d < 2 * axis + 2; ++d)
      if (b->neighbors[d] >= 0)
        copyFace(b, d, 1, b->in[d], 1);
  }
}

static void packed(int nx, int ny) {
  Block b = {.comm = MPI_COMM_WORLD};
  makeBlock(&b, nx, ny);
  for (int step = 0; step < 4; ++step) {
    exchange(&b);
    sweep(&b);
  }
  tell("packed", &b);
}

//===----------------------------------------------------------------------===//
// Persistent requests in the structure
//===----------------------------------------------------------------------===//

static void persistent(int nx, int ny) {
  Block b = {0, 0, 0, {-1, -1, -1, -1}, NULL, NULL, {NULL}, {NULL}, MPI_COMM_WORLD, {MPI_REQUEST_NULL}};
  makeBlock(&b, nx, ny);
  for (int d = 0; d < 4; ++d) {
    int peer = b.neighbors[d] < 0 ? MPI_PROC_NULL : b.neighbors[d], length = (d < 2 ? b.ny : b.nx) + 2;
    MPI_Recv_init(b.in[d], length, MPI_DOUBLE, peer, d ^ 1, b.comm, &b.persistent[d]);
    MPI_Send_init(b.out[d], length, MPI_DOUBLE, peer, d, b.comm, &b.persistent[4 + d]);
  }
  for (int step = 0; step < 4; ++step) {
    for (int d = 0; d < 4; ++d)
      copyFace(&b, d, 0, b.out[d], 0);
    MPI_Startall(8, b.persistent);
    MPI_Waitall(8, b.persistent, MPI_STATUSES_IGNORE);
    for (int d = 0; d < 4; ++d)
      if (b.neighbors[d] >= 0)
        copyFace(&b, d, 1, b.in[d], 1);
    sweep(&b);
  }
  for (int i = 0; i < 8; ++i)
    MPI_Request_free(&b.persistent[i]);
  tell("persistent", &b);
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// The received data belongs into the middle of the block, if there is a neighbor: no iteration may run earlier.
static void intoTheMiddle(int nx, int ny) {
  Block b = {.comm = MPI_COMM_WORLD};
  makeBlock(&b, nx, ny);
  int w = nx + 2, peer = b.rank ^ 1, size;
  MPI_Comm_size(b.comm, &size);
  int isThere = peer < size;
  for (int step = 0; step < 3; ++step) {
    MPI_Request r[2];
    int n = 0;
    if (isThere) {
      MPI_Irecv(b.in[0], nx, MPI_DOUBLE, peer, 0, b.comm, &r[n++]);
      MPI_Isend(b.now + w + 1, nx, MPI_DOUBLE, peer, 0, b.comm, &r[n++]);
    }
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
    if (isThere)
      for (int i = 0; i < nx; ++i)
        b.now[(ny / 2) * w + 1 + i] = b.in[0][i];
    sweep(&b);
  }
  tell("into the middle", &b);
}

/// A message says whether there is data to unpack, and how much.
static void untold(int nx, int ny) {
  Block b = {.comm = MPI_COMM_WORLD};
  makeBlock(&b, nx, ny);
  int w = nx + 2, size;
  MPI_Comm_size(b.comm, &size);
  int next = (b.rank + 1) % size, last = (b.rank + size - 1) % size;
  for (int step = 0; step < 3; ++step) {
    int mine = b.rank % 2 ? 0 : ny + 1, rows = 0;
    MPI_Request r[4];
    MPI_Irecv(&rows, 1, MPI_INT, last, 0, b.comm, &r[0]);
    MPI_Irecv(b.in[0], nx, MPI_DOUBLE, last, 1, b.comm, &r[1]);
    MPI_Isend(&mine, 1, MPI_INT, next, 0, b.comm, &r[2]);
    MPI_Isend(b.now + w + 1, nx, MPI_DOUBLE, next, 1, b.comm, &r[3]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    if (rows > 0)
      for (int i = 0; i < nx; ++i)
        b.now[rows * w + 1 + i] = b.in[0][i];
    sweep(&b);
  }
  tell("untold", &b);
}

/// A branch has a different condition than another one: the message arrives, but another row is unpacked.
static void crossed(int nx, int ny) {
  Block b = {.comm = MPI_COMM_WORLD};
  makeBlock(&b, nx, ny);
  int w = nx + 2, size;
  MPI_Comm_size(b.comm, &size);
  int next = (b.rank + 1) % size, last = (b.rank + size - 1) % size;
  for (int step = 0; step < 4; ++step) {
    int isOdd = step & 1;
    double *row = NULL;
    int length = 0;
    if (isOdd)
      row = b.now + (ny / 2) * w + 1, length = nx;
    MPI_Request r[2];
    MPI_Irecv(b.in[0], nx, MPI_DOUBLE, last, 1, b.comm, &r[0]);
    MPI_Isend(b.now + w + 1, nx, MPI_DOUBLE, next, 1, b.comm, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    if (isOdd)
      for (int i = 0; i < length; ++i)
        row[i] = b.in[0][i];
    if (!isOdd)
      for (int i = 0; i < nx; ++i)
        b.now[(ny + 1) * w + 1 + i] = b.in[0][i];
    sweep(&b);
  }
  tell("crossed", &b);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  packed(30 + argc - 1, 26);
  packed(1, 2);
  persistent(30 + argc - 1, 26);
  intoTheMiddle(30 + argc - 1, 26);
  untold(30 + argc - 1, 26);
  crossed(30 + argc - 1, 26);
  MPI_Finalize();
}
