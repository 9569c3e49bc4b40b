// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members that exist only depending on another one, that a message writes, or that other code writes between two loads:
// the program's accesses to a structure prove nothing about them.
// RUN: %same %s -o %t -n 1,2,4
#include "Inputs/cells.h"

#include <stddef.h>
#include <sys/mman.h>

//===----------------------------------------------------------------------===//
// The structure that is a prefix of another one
//===----------------------------------------------------------------------===//

typedef struct {
  int kind, cells;
  double *values;
} Base;

typedef struct {
  Base base;
  double *ghosts;
  int number;
} Derived;

/// A page's last bytes, before a page that may not be accessed.
static void *atPageEnd(size_t bytes) {
  long page = sysconf(_SC_PAGESIZE);
  char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE))
    MPI_Abort(MPI_COMM_WORLD, 1);
  return pages + page - bytes;
}

/// Only a derived one has ghosts.
NOINLINE static void derived(Base *b, double *u, int n) {
  MPI_Request q = MPI_REQUEST_NULL;
  int next = (rank + 1) % size, last = (rank + size - 1) % size;
  if (b->kind == 1)
    MPI_Irecv(((Derived *)b)->ghosts, ((Derived *)b)->number, MPI_DOUBLE, last, 5, MPI_COMM_WORLD, &q);
  MPI_Send(u, b->kind == 1 ? n : 0, MPI_DOUBLE, b->kind == 1 ? next : MPI_PROC_NULL, 5, MPI_COMM_WORLD);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  for (int i = 0; i < b->cells; ++i) {
    b->values[i] = b->values[i] * 0.5 + u[i];
    if (b->kind == 1 && i < ((Derived *)b)->number)
      b->values[i] += ((Derived *)b)->ghosts[i];
  }
}

/// The guard is read as the longer type: this says nothing about members after the base.
NOINLINE static double asked(Base *b, double *u, double *ghosts) {
  Derived *d = (Derived *)b;
  double sum = 0;
  MPI_Sendrecv(u, 6, MPI_DOUBLE, (rank + 1) % size, 4, ghosts, 6, MPI_DOUBLE, (rank + size - 1) % size, 4,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (d->base.kind == 1)
    for (int i = 0; i < d->number; ++i)
      sum += d->ghosts[i];
  return sum + ghosts[1];
}

//===----------------------------------------------------------------------===//
// Members that arrive
//===----------------------------------------------------------------------===//

typedef struct {
  int n, m;
  double *values, *others;
  int count, extra;
} Block;

/// Numbers next to pointers, by a datatype that names them, and as characters.
NOINLINE static void arrives(Block *b, MPI_Datatype numbers, int bytes, double *out) {
  MPI_Request q;
  int next = (rank + 1) % size, last = (rank + size - 1) % size;
  Block sent = {3 + rank, 5, NULL, NULL, 4, 7};
  int lengths = bytes ? (int)sizeof(int) * 2 : 1;
  MPI_Irecv(b, lengths, bytes ? MPI_BYTE : numbers, last, 6, MPI_COMM_WORLD, &q);
  double *values = b->values; // not part of the received data
  if (rank == 0)
    nap(5);
  MPI_Send(&sent, lengths, bytes ? MPI_BYTE : numbers, next, 6, MPI_COMM_WORLD);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  for (int i = 0; i < b->n; ++i)
    for (int j = 0; j < b->m; ++j)
      out[i * 8 + j] = values[j] + b->values[i] * b->count;
}

/// A size is stored, and received.
NOINLINE static void stored(Block *b, double *out) {
  int next = (rank + 1) % size, last = (rank + size - 1) % size, mine = 2 + rank;
  b->n = 1;
  b->count = 1;
  MPI_Request q;
  MPI_Irecv(&b->n, 1, MPI_INT, last, 7, MPI_COMM_WORLD, &q);
  if (rank == 0)
    nap(5);
  MPI_Send(&mine, 1, MPI_INT, next, 7, MPI_COMM_WORLD);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  MPI_Comm_rank(MPI_COMM_WORLD, &b->count);
  for (int i = 0; i < b->n; ++i)
    out[i] = b->values[i] + b->count;
}

//===----------------------------------------------------------------------===//
// Other code writes
//===----------------------------------------------------------------------===//

/// Through a pointer to one of them, while a receive is in flight and after it.
NOINLINE static void written(Block *b, int *size_, double **place, double *ghosts, double *out) {
  int next = (rank + 1) % size, last = (rank + size - 1) % size;
  MPI_Request q;
  MPI_Irecv(ghosts, 8, MPI_DOUBLE, last, 8, MPI_COMM_WORLD, &q);
  int before = b->n;
  *size_ = before + 2;
  MPI_Send(b->values, 8, MPI_DOUBLE, next, 8, MPI_COMM_WORLD);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  b->values = b->others;
  *place = ghosts;
  for (int i = 0; i < b->n; ++i)
    out[i] = b->values[i] + before;
}

/// A loop changes members that its guard and its body load.
NOINLINE static void inLoop(Block *b, double *ghosts, double *out) {
  int next = (rank + 1) % size, last = (rank + size - 1) % size;
  MPI_Sendrecv(b->values, 8, MPI_DOUBLE, next, 9, ghosts, 8, MPI_DOUBLE, last, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < b->n; ++i) {
    for (int j = 0; j < b->m; ++j)
      out[i * 8 + j] = b->values[j] + ghosts[j];
    if (i == b->n / 2)
      b->m -= 1, b->values = b->others;
  }
}

//===----------------------------------------------------------------------===//
// Not a member, or not yet
//===----------------------------------------------------------------------===//

typedef struct {
  double *values;
  struct Pair {
    int n;
    float f;
  } pair;
  double *others;
  int count;
} Mixed;

/// Two members are copied as one number of eight bytes, half of which is received.
NOINLINE static struct Pair copied(Mixed *m, float mine, double *u) {
  struct Pair pair;
  u[0] += m->values[0];
  MPI_Sendrecv(&mine, 1, MPI_FLOAT, (rank + 1) % size, 11, &m->pair.f, 1, MPI_FLOAT, (rank + size - 1) % size, 11,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 8; ++i)
    u[i] *= 0.5;
  memcpy(&pair, &m->pair, sizeof pair);
  return pair;
}

/// A pool is a structure, and then holds received data.
NOINLINE static long reused(void *pool, double *u) {
  Mixed *m = pool;
  m->values = u;
  say("pool", (long)m->values[1]);
  double *cells = pool;
  MPI_Sendrecv(u, 4, MPI_DOUBLE, (rank + 1) % size, 12, cells, 4, MPI_DOUBLE, (rank + size - 1) % size, 12,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i < 8; ++i)
    u[i] *= 0.5;
  long bits;
  memcpy(&bits, cells, sizeof bits);
  return bits;
}

static struct {
  double *values;
  int number, flag;
} global;

/// LLVM loads the number whatever the flag is, while it is being received.
NOINLINE static int speculated(int mine) {
  MPI_Request q;
  MPI_Irecv(&global.number, 1, MPI_INT, (rank + size - 1) % size, 13, MPI_COMM_WORLD, &q);
  int early = global.flag ? global.number : 0;
  if (rank == 0)
    nap(5);
  MPI_Send(&mine, 1, MPI_INT, (rank + 1) % size, 13, MPI_COMM_WORLD);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  return early + global.number;
}

/// The wait writes its status, and MPI_Imrecv its message.
NOINLINE static int outputs(MPI_Status *status, MPI_Message *message, double *u, double *ghosts) {
  MPI_Request q, sent;
  int last = (rank + size - 1) % size, found = 0;
  MPI_Irecv(ghosts, 8, MPI_DOUBLE, last, 14, MPI_COMM_WORLD, &q);
  MPI_Send(u, 8, MPI_DOUBLE, (rank + 1) % size, 14, MPI_COMM_WORLD);
  found += status->MPI_TAG;
  MPI_Wait(&q, status);
  found += 100 * status->MPI_TAG;
  MPI_Isend(u, 8, MPI_DOUBLE, (rank + 1) % size, 15, MPI_COMM_WORLD, &sent);
  MPI_Mprobe(last, 15, MPI_COMM_WORLD, message, MPI_STATUS_IGNORE);
  found += (*message == MPI_MESSAGE_NULL) * 10000;
  MPI_Imrecv(ghosts, 8, MPI_DOUBLE, message, &q);
  found += (*message == MPI_MESSAGE_NULL) * 100000;
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  return found;
}

/// An operator of the program gives the structure back.
static Mixed *given;
static void giveBack(void *in, void *inout, int *length, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *length; ++i)
    ((int *)inout)[i] += ((int *)in)[i];
  if (given)
    munmap((void *)((size_t)given & -(size_t)sysconf(_SC_PAGESIZE)), sysconf(_SC_PAGESIZE));
  given = NULL;
}

NOINLINE static double operated(Mixed *m, MPI_Op operator, double *u, double *ghosts, int isKept) {
  int one = 1, all = 0;
  double sum = m->count;
  MPI_Reduce_local(&one, &all, 1, MPI_INT, operator);
  MPI_Sendrecv(u, 8, MPI_DOUBLE, (rank + 1) % size, 16, ghosts, 8, MPI_DOUBLE, (rank + size - 1) % size, 16,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (isKept)
    sum += m->values[0];
  return sum + all + ghosts[0];
}

//===----------------------------------------------------------------------===//
// Sizes before numbers
//===----------------------------------------------------------------------===//

typedef struct {
  int rows, columns;
} Shape;

/// The shape arrives, or does not, with the cells: by one message of integers.
NOINLINE static void shaped(Shape *shape, int *buffer, int n, double *u, double *v) {
  int next = (rank + 1) % size, last = (rank + size - 1) % size, numbers[64] = {3, 4, 5, 6};
  int rows = shape->rows;
  MPI_Request q;
  MPI_Irecv(buffer, n, MPI_INT, last, 10, MPI_COMM_WORLD, &q);
  if (rank == 0)
    nap(5);
  MPI_Send(numbers, n, MPI_INT, next, 10, MPI_COMM_WORLD);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  for (int i = 0; i < shape->rows; ++i)
    for (int j = 0; j < shape->columns; ++j)
      v[i * 8 + j] = u[i * 8 + j] * 0.5 + rows;
}

//===----------------------------------------------------------------------===//
// Arrays without a type from clang
//===----------------------------------------------------------------------===//

typedef struct {
  char name[16];
  int n, m, k, l;
} Header;

/// Letters and numbers that are received as doubles; the pointers follow them.
NOINLINE static void headed(Header *h, const double *sent, int which, double *out) {
  int next = (rank + 1) % size, last = (rank + size - 1) % size;
  double *u = ((double **)(h + 1))[which];
  int before = h->n;
  MPI_Sendrecv(sent, 4, MPI_DOUBLE, next, 8, h, 4, MPI_DOUBLE, last, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < h->n; ++i)
    out[i] = u[i] + before;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  double *u = make(64, 1), *v = make(64, 2), *w = make(64, 3), *out = make(64, 4);
  Base *base = atPageEnd(sizeof *base);
  *base = (Base){0, 8, v};
  Derived whole = {{1, 8, v}, w, 6};
  for (int turn = 0; turn < 3; ++turn) {
    derived(base, u, 6);
    derived(&whole.base, u, 6);
  }
  say("derived", digits(v, 64) ^ digits(w, 64));
  double sums[2] = {asked(base, u, v), asked(&whole.base, u, v)};
  say("asked", digits(sums, 2));

  int lengths[] = {2, 2};
  MPI_Aint places[] = {0, offsetof(Block, count)};
  MPI_Datatype types[] = {MPI_INT, MPI_INT}, numbers;
  MPI_Type_create_struct(2, lengths, places, types, &numbers);
  MPI_Type_commit(&numbers);
  Block block = {1, 1, u, w, 1, 1};
  arrives(&block, numbers, 0, out);
  say("arrives", digits(out, 64) + block.extra);
  arrives(&block, numbers, 1, out);
  say("as characters", digits(out, 64));
  MPI_Type_free(&numbers);
  stored(&block, out);
  say("stored", digits(out, 64));
  written(&block, &block.n, &block.values, v, out);
  say("written", digits(out, 64));
  block = (Block){6, 5, u, w, 1, 1};
  inLoop(&block, v, out);
  say("in loop", digits(out, 64));

  Mixed mixed = {u, {5, 6}, w, 3}, *pool = malloc(sizeof *pool);
  struct Pair pair = copied(&mixed, rank + 20.5f, out);
  say("copied", pair.n + (long)(pair.f * 10));
  say("reused", reused(pool, v));
  free(pool);
  global.number = 3;
  say("speculated", speculated(100 + rank));
  struct {
    Header header;
    double *values[2];
  } headers[] = {{{"sent", 4 + rank % 3, 5, 6, 7}, {u, v}}, {{"to be", 1, 2, 3, 4}, {v, u}}};
  double sent[4];
  memcpy(sent, &headers[0].header, sizeof sent);
  memset(out, 0, 64 * sizeof *out);
  headed(&headers[1].header, sent, rank % 2, out);
  say("headed", digits(out, 64));
  MPI_Status status;
  MPI_Message message;
  status.MPI_TAG = 2;
  say("outputs", outputs(&status, &message, u, v));
  MPI_Op operator;
  MPI_Op_create(giveBack, 1, &operator);
  given = atPageEnd(sizeof *given);
  *given = mixed;
  double left = operated(given, operator, u, v, argc > 100);
  say("operated", digits(&left, 1));
  MPI_Op_free(&operator);

  int numbersIn[64] = {1, 2, 1, 2};
  Shape apart = {2, 3}, *within = (Shape *)(numbersIn + 1);
  shaped(&apart, numbersIn, 16, u, out);
  say("apart", digits(out, 64));
  shaped(within, numbersIn, 16, u, out);
  say("within", digits(out, 64));
  Shape arriving = {1, 1};
  shaped(&arriving, &arriving.rows, 1, u, out);
  say("arriving", digits(out, 64));
  MPI_Finalize();
  return 0;
}
