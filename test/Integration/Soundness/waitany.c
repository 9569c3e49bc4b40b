// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Guarantees for programs that wait for any of several requests: null requests come after all others, an iteration may
// answer the first message, may end the program before the others arrive, and need not wait for all of them. Comm waits
// for one after another where none of these is so (ArrivalOrder.cpp).
// RUN: %same %s -o %t -n 1,2,4
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  int nx, ny, rank, size, neighbors[4];
  double *now, *next, *out[4], *in[4];
} Block;

static Block makeBlock(int nx, int ny) {
  Block b = {nx, ny, 0, 0, {0}, NULL, NULL, {NULL}, {NULL}};
  int dims[2] = {0, 0}, cells = (nx + 2) * (ny + 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &b.size);
  MPI_Dims_create(b.size, 2, dims);
  int x = b.rank % dims[0], y = b.rank / dims[0];
  b.neighbors[0] = x > 0 ? b.rank - 1 : -1;
  b.neighbors[1] = x + 1 < dims[0] ? b.rank + 1 : -1;
  b.neighbors[2] = y > 0 ? b.rank - dims[0] : -1;
  b.neighbors[3] = y + 1 < dims[1] ? b.rank + dims[0] : -1;
  b.now = malloc(sizeof(double) * cells), b.next = malloc(sizeof(double) * cells);
  for (int i = 0; i < cells; ++i)
    b.now[i] = b.next[i] = (i * 7 % 13 + b.rank) / 8.0;
  for (int d = 0; d < 4; ++d)
    b.out[d] = calloc(nx + ny, sizeof(double)), b.in[d] = calloc(nx + ny, sizeof(double));
  return b;
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
      b->next[at] = 0.25 * (b->now[at - 1] + b->now[at + 1] + b->now[at - w] + b->now[at + w]);
    }
  double *swap = b->now;
  b->now = b->next, b->next = swap;
}

static inline void pack(Block *b) {
  int w = b->nx + 2;
  for (int j = 0; j < b->ny; ++j)
    b->out[0][j] = b->now[(j + 1) * w + 1], b->out[1][j] = b->now[(j + 1) * w + b->nx];
  for (int i = 0; i < b->nx; ++i)
    b->out[2][i] = b->now[w + i + 1], b->out[3][i] = b->now[b->ny * w + i + 1];
}

static inline void unpack(Block *b, int d) {
  int w = b->nx + 2;
  switch (d) {
  case 0:
    for (int j = 0; j < b->ny; ++j)
      b->now[(j + 1) * w] = b->in[0][j];
    break;
  case 1:
    for (int j = 0; j < b->ny; ++j)
      b->now[(j + 1) * w + b->nx + 1] = b->in[1][j];
    break;
  case 2:
    for (int i = 0; i < b->nx; ++i)
      b->now[i + 1] = b->in[2][i];
    break;
  case 3:
    for (int i = 0; i < b->nx; ++i)
      b->now[(b->ny + 1) * w + i + 1] = b->in[3][i];
    break;
  default:
    break;
  }
}

/// Requests of missing neighbors are null.
static inline void exchange(Block *b) {
  MPI_Request arrives[4], sent[4];
  for (int d = 0; d < 4; ++d)
    arrives[d] = sent[d] = MPI_REQUEST_NULL;
  for (int d = 0; d < 4; ++d)
    if (b->neighbors[d] >= 0)
      MPI_Irecv(b->in[d], d < 2 ? b->ny : b->nx, MPI_DOUBLE, b->neighbors[d], d ^ 1, MPI_COMM_WORLD, &arrives[d]);
  pack(b);
  for (int d = 0; d < 4; ++d)
    if (b->neighbors[d] >= 0)
      MPI_Isend(b->out[d], d < 2 ? b->ny : b->nx, MPI_DOUBLE, b->neighbors[d], d, MPI_COMM_WORLD, &sent[d]);
  for (int k = 0; k < 4; ++k) {
    int d;
    MPI_Waitany(4, arrives, &d, MPI_STATUS_IGNORE);
    if (d != MPI_UNDEFINED)
      unpack(b, d);
  }
  MPI_Waitall(4, sent, MPI_STATUSES_IGNORE);
}

static void faces(int nx, int ny) {
  Block b = makeBlock(nx, ny);
  for (int step = 0; step < 5; ++step) {
    exchange(&b);
    sweep(&b);
  }
  tell("faces", &b);
}

/// How many were null, and where.
static void undefined(int n) {
  int rank, size, undefinedTurns = 0, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Request r[6];
  int values[6] = {0};
  for (int i = 0; i < 6; ++i)
    r[i] = MPI_REQUEST_NULL;
  for (int i = 1; i < 6; i += 2)
    MPI_Irecv(&values[i], 1, MPI_INT, (rank + 1) % size, i, MPI_COMM_WORLD, &r[i]);
  for (int i = 1; i < 6; i += 2) {
    int mine = i * n + rank;
    MPI_Send(&mine, 1, MPI_INT, (rank + size - 1) % size, i, MPI_COMM_WORLD);
  }
  for (int k = 0; k < 6; ++k) {
    int i;
    MPI_Status status;
    MPI_Waitany(6, r, &i, &status);
    if (i == MPI_UNDEFINED) {
      ++undefinedTurns;
    } else {
      int count;
      MPI_Get_count(&status, MPI_INT, &count);
      sum += values[i] * status.MPI_TAG + count;
    }
  }
  printf("undefined: rank %d: %d %d\n", rank, undefinedTurns, sum);
}

/// An iteration answers: the other message is the answer to that.
static void answered(void) {
  int rank, size, a = 0, b = 0, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2)
    return;
  if (rank == 0) {
    MPI_Request r[2];
    MPI_Irecv(&a, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(&b, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r[1]);
    for (int k = 0; k < 2; ++k) {
      int i;
      MPI_Waitany(2, r, &i, MPI_STATUS_IGNORE);
      sum = sum * 10 + (i ? b : a);
      if (i == 1)
        MPI_Send(&sum, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    }
    printf("answered: %d\n", sum);
  } else if (rank == 1) {
    int two = 2, answer;
    MPI_Send(&two, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Recv(&answer, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    answer += 1;
    MPI_Send(&answer, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
}

/// The iterations in which nothing was left, and the result of the last one.
static void undefinedLast(void) {
  int rank, order[6], index = 0, active = 0, sum = 0;
  double in[6] = {0}, out[6] = {1, 2, 3, 4, 5, 6};
  MPI_Request r[6];
  MPI_Status status;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int k = 0; k < 6; ++k) {
    r[k] = MPI_REQUEST_NULL;
    if (k % 2)
      MPI_Irecv(&in[k], 1, MPI_DOUBLE, 0, k, MPI_COMM_SELF, &r[k]);
  }
  for (int k = 1; k < 6; k += 2)
    MPI_Send(&out[k], 1, MPI_DOUBLE, 0, k, MPI_COMM_SELF);
  for (int k = 0; k < 6; ++k) {
    MPI_Waitany(6, r, &index, &status);
    order[k] = index;
    if (index != MPI_UNDEFINED)
      ++active;
    else
      sum += k * active;
  }
  for (int k = 0; k < active; ++k)
    sum += 100 * (int)in[order[k]];
  int count;
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  printf("undefinedLast: rank %d: %d %d %d\n", rank, index == MPI_UNDEFINED, sum, count);
}

/// The message that ends the program comes first; the other one is sent when the sender knows.
static void stopped(void) {
  int rank, size;
  double in[2] = {0, 0}, out[2] = {1, -1}, word = 0, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2)
    return;
  if (rank == 0) {
    MPI_Request r[2];
    int i;
    for (int k = 0; k < 2; ++k)
      MPI_Irecv(&in[k], 1, MPI_DOUBLE, 1, k, MPI_COMM_WORLD, &r[k]);
    for (int k = 0; k < 2; ++k) {
      MPI_Waitany(2, r, &i, MPI_STATUS_IGNORE);
      if (in[i] < 0) {
        MPI_Send(&word, 1, MPI_DOUBLE, 1, 9, MPI_COMM_WORLD);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        printf("stopped: %g\n", sum + in[0]);
        MPI_Finalize();
        exit(0);
      }
      sum += in[i];
    }
  } else if (rank == 1) {
    MPI_Send(&out[1], 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    MPI_Recv(&word, 1, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&out[0], 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  }
}

/// Two of three messages; the first one is sent once these are there.
static void some(void) {
  int rank, size;
  double in[3] = {0}, out[3] = {1, 2, 4}, word = 0, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2)
    return;
  if (rank == 0) {
    MPI_Request r[3];
    for (int k = 0; k < 3; ++k)
      MPI_Irecv(&in[k], 1, MPI_DOUBLE, 1, k, MPI_COMM_WORLD, &r[k]);
    for (int k = 0; k < 2; ++k) {
      int i;
      MPI_Waitany(3, r, &i, MPI_STATUS_IGNORE);
      sum += in[i];
    }
    MPI_Send(&word, 1, MPI_DOUBLE, 1, 9, MPI_COMM_WORLD);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    printf("some: %g %g\n", sum, in[0]);
  } else if (rank == 1) {
    MPI_Send(&out[1], 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    MPI_Send(&out[2], 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
    MPI_Recv(&word, 1, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&out[0], 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  }
}

/// MPI_UNDEFINED may be a subscript of a pointer into the middle of an array.
static int places[1 << 16];
static __attribute__((noinline)) void countAt(int *place) {
  double in[3] = {0}, out = 1;
  MPI_Request r[3];
  for (int k = 0; k < 3; ++k)
    MPI_Irecv(&in[k], 1, MPI_DOUBLE, 0, k, MPI_COMM_SELF, &r[k]);
  for (int k = 0; k < 3; ++k)
    MPI_Send(&out, 1, MPI_DOUBLE, 0, k, MPI_COMM_SELF);
  MPI_Wait(&r[1], MPI_STATUS_IGNORE);
  for (int k = 0; k < 3; ++k) {
    int i;
    MPI_Waitany(3, r, &i, MPI_STATUS_IGNORE);
    ++place[i];
  }
  printf("countAt: %d %d %d %d\n", place[MPI_UNDEFINED], place[0], place[1], place[2]);
}

/// A narrow counter wraps around: one iteration for 257 requests. The last message comes first.
static __attribute__((noinline)) void wrapped(int n) {
  static MPI_Request r[300];
  static double in[300];
  int rank, size, word = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2)
    return;
  if (rank == 0) {
    for (int k = 0; k < n; ++k)
      MPI_Irecv(&in[k], 1, MPI_DOUBLE, 1, k, MPI_COMM_WORLD, &r[k]);
    unsigned char left = (unsigned char)n;
    do {
      int i;
      MPI_Waitany(n, r, &i, MPI_STATUS_IGNORE);
      in[i] += 1;
    } while (--left);
    MPI_Send(&word, 1, MPI_INT, 1, 1000, MPI_COMM_WORLD);
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
    printf("wrapped: %g %g\n", in[0], in[n - 1]);
  } else if (rank == 1) {
    double out = 3;
    MPI_Send(&out, 1, MPI_DOUBLE, 0, n - 1, MPI_COMM_WORLD);
    MPI_Recv(&word, 1, MPI_INT, 0, 1000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int k = 0; k < n - 1; ++k)
      MPI_Send(&out, 1, MPI_DOUBLE, 0, k, MPI_COMM_WORLD);
  }
}

/// The end of the second request sends what the first one receives. Nobody but the program completes that request.
static double word = 42;
static int query(void *state, MPI_Status *status) {
  MPI_Send(&word, 1, MPI_DOUBLE, 0, 3, MPI_COMM_SELF);
  MPI_Status_set_elements(status, MPI_INT, 1);
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}
static int forget(void *state) { return MPI_SUCCESS; }
static int cancel(void *state, int isComplete) { return MPI_SUCCESS; }
static __attribute__((noinline)) void startOwn(MPI_Request *request) {
  PMPI_Grequest_start(query, forget, cancel, NULL, request);
  PMPI_Grequest_complete(*request);
}

static __attribute__((noinline)) void own(void) {
  MPI_Request r[2];
  double in[2] = {0, 5}, sum[2] = {0};
  MPI_Irecv(in, 1, MPI_DOUBLE, 0, 3, MPI_COMM_SELF, &r[0]);
  startOwn(&r[1]);
  for (int k = 0; k < 2; ++k) {
    int i;
    MPI_Waitany(2, r, &i, MPI_STATUS_IGNORE);
    sum[i] += in[i];
  }
  printf("own: %g %g\n", sum[0], sum[1]);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  faces(40 + argc - 1, 30 + argc - 1);
  faces(2, 1);
  undefined(10 + argc);
  answered();
  undefinedLast();
  countAt(places + 40000);
  wrapped(256 + argc);
  own();
  some();
  stopped();
  MPI_Finalize();
}
