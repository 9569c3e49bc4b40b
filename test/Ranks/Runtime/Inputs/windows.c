// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One-sided communication: each way to create a window, each operation, each kind of synchronization, derived datatypes
// on both sides, pieces of large data, attributes. No globals: the test builds without the compiler side.
#include "expect.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A ring of puts and gets between fences, in a window of each flavor.
static void fences(int rank, int size) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int flavor = 0; flavor < 2; ++flavor) {
    int *memory = NULL, *attribute, flag;
    MPI_Aint *bytes;
    MPI_Win win;
    if (flavor == 0) {
      memory = calloc(64, sizeof(int));
      MPI_Win_create(memory, 64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    } else {
      MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    }
    MPI_Win_get_attr(win, MPI_WIN_BASE, &attribute, &flag);
    EXPECT(flag && attribute == memory);
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag);
    EXPECT(flag && *bytes == 64 * sizeof(int));
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &attribute, &flag);
    EXPECT(flag && *attribute == (flavor ? MPI_WIN_FLAVOR_ALLOCATE : MPI_WIN_FLAVOR_CREATE));
    MPI_Win_get_attr(win, MPI_WIN_MODEL, &attribute, &flag);
    EXPECT(flag && *attribute == MPI_WIN_UNIFIED);
    for (int round = 0; round < 5; ++round) {
      int out[32], in[32];
      for (int i = 0; i < 32; ++i) {
        out[i] = rank * 1000 + round * 32 + i;
        memory[32 + i] = rank * 7777 + round + i;
      }
      MPI_Win_fence(round ? 0 : MPI_MODE_NOPRECEDE, win);
      MPI_Put(out, 32, MPI_INT, next, 0, 32, MPI_INT, win);
      MPI_Get(in, 32, MPI_INT, before, 32, 32, MPI_INT, win);
      MPI_Win_fence(0, win);
      for (int i = 0; i < 32; ++i)
        EXPECT(memory[i] == before * 1000 + round * 32 + i && in[i] == before * 7777 + round + i);
      MPI_Win_fence(round == 4 ? MPI_MODE_NOSUCCEED : 0, win);
    }
    MPI_Win_free(&win);
    EXPECT(win == MPI_WIN_NULL);
    if (flavor == 0)
      free(memory);
  }
}

/// All ranks add to all: sums, products that would not be associative if mixed, maxima with a location.
static void accumulates(int rank, int size) {
  struct {
    double value;
    int place;
  } pair = {(rank * 5) % size, rank}, best;
  double *memory;
  void *pairs;
  MPI_Win win, pairWin;
  MPI_Win_allocate(100 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_allocate(sizeof(pair), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &pairs, &pairWin);
  MPI_Win_fence(0, win);
  MPI_Win_fence(0, pairWin);
  double mine[100];
  for (int i = 0; i < 100; ++i)
    mine[i] = rank + i;
  for (int round = 0; round < 10; ++round)
    for (int target = 0; target < size; ++target)
      MPI_Accumulate(mine, 100, MPI_DOUBLE, target, 0, 100, MPI_DOUBLE, MPI_SUM, win);
  pair.value += 1;
  for (int target = 0; target < size; ++target)
    MPI_Accumulate(&pair, 1, MPI_DOUBLE_INT, target, 0, 1, MPI_DOUBLE_INT, MPI_MAXLOC, pairWin);
  MPI_Win_fence(0, win);
  MPI_Win_fence(0, pairWin);
  for (int i = 0; i < 100; ++i)
    EXPECT(memory[i] == 10.0 * (size * (size - 1) / 2 + i * size));
  memcpy(&best, pairs, 12);
  double most = -1;
  int where = -1;
  for (int i = 0; i < size; ++i)
    if ((i * 5) % size + 1 > most)
      most = (i * 5) % size + 1, where = i;
  EXPECT(best.value == most && best.place == where);
  // MPI_REPLACE, MPI_NO_OP and the previous value.
  double was[100];
  MPI_Win_fence(0, win);
  MPI_Get_accumulate(NULL, 0, MPI_DOUBLE, was, 100, MPI_DOUBLE, (rank + 1) % size, 0, 100, MPI_DOUBLE, MPI_NO_OP, win);
  MPI_Win_fence(0, win);
  EXPECT(was[3] == 10.0 * (size * (size - 1) / 2 + 3 * size));
  MPI_Get_accumulate(mine, 100, MPI_DOUBLE, was, 100, MPI_DOUBLE, (rank + 1) % size, 0, 100, MPI_DOUBLE, MPI_REPLACE,
                     win);
  MPI_Win_fence(0, win);
  EXPECT(memory[7] == (rank + size - 1) % size + 7 && was[0] == 10.0 * (size * (size - 1) / 2));
  MPI_Win_free(&win);
  MPI_Win_free(&pairWin);
}

/// A counter and a lock made of compare-and-swap, while the target does nothing but wait in MPI.
static void counters(int rank, int size) {
  long *memory;
  MPI_Win win;
  MPI_Win_allocate(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memory[0] = memory[1] = memory[2] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank != 0 || size == 1) {
    for (int i = 0; i < 60; ++i) {
      long one = 1, zero = 0, got = -1, value;
      MPI_Fetch_and_op(&one, &got, MPI_LONG, 0, 0, MPI_SUM, win);
      MPI_Win_flush(0, win);
      EXPECT(got >= 0 && got < 60 * size);
      if (i % 10)
        continue;
      do {
        MPI_Compare_and_swap(&one, &zero, &got, MPI_LONG, 0, 1, win);
        MPI_Win_flush(0, win);
      } while (got != 0);
      MPI_Get(&value, 1, MPI_LONG, 0, 2, 1, MPI_LONG, win);
      MPI_Win_flush(0, win);
      ++value;
      MPI_Put(&value, 1, MPI_LONG, 0, 2, 1, MPI_LONG, win);
      MPI_Win_flush(0, win);
      MPI_Accumulate(&zero, 1, MPI_LONG, 0, 1, 1, MPI_LONG, MPI_REPLACE, win);
      MPI_Win_flush(0, win);
    }
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  int workers = size == 1 ? 1 : size - 1;
  if (rank == 0)
    EXPECT(memory[0] == 60 * workers && memory[2] == 6 * workers && memory[1] == 0);
  MPI_Win_free(&win);
}

/// Exclusive locks keep a read and a write together; shared ones let several in.
static void locks(int rank, int size) {
  int *memory;
  MPI_Win win;
  MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memory[0] = memory[1] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 20; ++i) {
    int target = (rank + i) % size, value;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    MPI_Get(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win);
    MPI_Win_flush_local(target, win);
    ++value;
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win);
    MPI_Win_unlock(target, win);
    MPI_Request request;
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    MPI_Raccumulate(&(int){1}, 1, MPI_INT, target, 1, 1, MPI_INT, MPI_SUM, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Rget(&value, 1, MPI_INT, target, 1, 1, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(value >= 1 && value <= 20 * size);
    MPI_Win_unlock(target, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  EXPECT(memory[0] == 20 && memory[1] == 20);
  MPI_Win_unlock(rank, win);
  MPI_Win_free(&win);
}

/// Only neighbors synchronize; MPI_Win_wait or MPI_Win_test ends the exposure.
static void generalized(int rank, int size) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size, flag;
  int *memory;
  MPI_Win win;
  MPI_Group all, to, from;
  MPI_Win_allocate(1000 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_get_group(win, &all);
  MPI_Group_incl(all, 1, &next, &to);
  MPI_Group_incl(all, 1, &before, &from);
  for (int round = 0; round < 8; ++round) {
    int out[1000], in[1000];
    for (int i = 0; i < 1000; ++i)
      out[i] = rank * 100000 + round * 1000 + i;
    memory[999] = rank + round;
    MPI_Win_post(from, 0, win);
    MPI_Win_start(to, 0, win);
    MPI_Put(out, 999, MPI_INT, next, 0, 999, MPI_INT, win);
    MPI_Get(in, 1, MPI_INT, next, 999, 1, MPI_INT, win);
    MPI_Win_complete(win);
    EXPECT(in[0] == next + round);
    if (round % 2)
      MPI_Win_wait(win);
    else
      do
        MPI_Win_test(win, &flag);
      while (!flag);
    for (int i = 0; i < 999; ++i)
      EXPECT(memory[i] == before * 100000 + round * 1000 + i);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  MPI_Win_free(&win);
}

/// A transposed matrix: a column type at the target, and structures with gaps at both sides.
static void derived(int rank, int size) {
  enum { N = 24 };
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double *memory, out[N * N], in[N * N];
  MPI_Datatype column, sub, gapped;
  int sizes[2] = {N, N}, part[2] = {3, 5}, start[2] = {2, 4};
  MPI_Type_vector(N, 1, N, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_DOUBLE, &sub);
  MPI_Type_commit(&sub);
  MPI_Win win;
  MPI_Win_allocate(N * N * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int i = 0; i < N * N; ++i)
    out[i] = rank * 1000 + i, memory[i] = -1;
  MPI_Win_fence(0, win);
  for (int i = 0; i < N; ++i)
    MPI_Put(out + i * N, N, MPI_DOUBLE, next, i, 1, column, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      EXPECT(memory[i * N + j] == before * 1000 + j * N + i);
  memset(in, 0, sizeof(in));
  MPI_Get(in, 1, column, next, 3, 1, column, win);
  MPI_Get(in + 1, 1, sub, next, 0, 1, sub, win);
  MPI_Win_fence(0, win);
  EXPECT(in[N] == rank * 1000 + 3 * N + 1 && in[1 + 2 * N + 4] == rank * 1000 + 4 * N + 2);
  MPI_Win_fence(0, win);
  for (int i = 0; i < N * N; ++i)
    memory[i] = i;
  MPI_Win_fence(0, win);
  MPI_Accumulate(out, 15, MPI_DOUBLE, next, 0, 1, sub, MPI_SUM, win);
  MPI_Accumulate(out, N, MPI_DOUBLE, next, 1, 1, column, MPI_PROD, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j) {
      int at = (i + 2) * N + j + 4;
      EXPECT(memory[at] == at + before * 1000 + i * 5 + j);
    }
  EXPECT(memory[5 * N + 1] == (5 * N + 1) * (before * 1000.0 + 5));
  EXPECT(memory[5 * N + 2] == 5 * N + 2);
  // {int, char, gap}: two basic types; the gap at the target stays.
  struct Gapped {
    int number;
    char letter, gap[3];
  } records[3], *there = (struct Gapped *)memory;
  int lengths[2] = {1, 1};
  MPI_Aint places[2] = {0, 4};
  MPI_Datatype types[2] = {MPI_INT, MPI_CHAR}, raw;
  MPI_Type_create_struct(2, lengths, places, types, &raw);
  MPI_Type_create_resized(raw, 0, 8, &gapped);
  MPI_Type_commit(&gapped);
  MPI_Type_free(&raw);
  for (int i = 0; i < 3; ++i) {
    memset(&records[i], 'x', sizeof(records[i]));
    records[i].number = rank + i;
    records[i].letter = 'a' + i;
  }
  MPI_Win_fence(0, win);
  memset(memory, 0, 100);
  MPI_Win_fence(0, win);
  MPI_Put(records, 3, gapped, next, 1, 3, gapped, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < 3; ++i)
    EXPECT(there[i + 1].number == before + i && there[i + 1].letter == 'a' + i && there[i + 1].gap[1] == 0);
  // Pairs with a gap inside: {short, gap, int}.
  struct {
    short value;
    int place;
  } least[4], *lowest = (void *)memory;
  for (int i = 0; i < 4; ++i) {
    least[i].value = rank - i;
    least[i].place = rank * 10 + i;
  }
  MPI_Win_fence(0, win);
  for (int i = 0; i < 4; ++i) {
    lowest[i].value = 30000;
    lowest[i].place = -1;
  }
  MPI_Win_fence(0, win);
  for (int target = 0; target < size; ++target)
    MPI_Accumulate(least, 4, MPI_SHORT_INT, target, 0, 4, MPI_SHORT_INT, MPI_MINLOC, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < 4; ++i)
    EXPECT(lowest[i].value == -i && lowest[i].place == i);
  MPI_Type_free(&column);
  MPI_Type_free(&sub);
  MPI_Type_free(&gapped);
  MPI_Win_free(&win);
}

/// A datatype of each constructor, of two or three old ones; locations do not overlap.
static MPI_Datatype construct(int kind, MPI_Datatype old) {
  MPI_Datatype type = MPI_DATATYPE_NULL, types[2] = {old, old};
  MPI_Aint lower, extent;
  MPI_Type_get_extent(old, &lower, &extent);
  int lengths[2] = {1, 2}, places[2] = {3, 0}, sizes[2] = {2, 3}, subsizes[2] = {2, 1}, starts[2] = {0, 1};
  MPI_Aint bytes[2] = {3 * extent + 4, 0};
  int kinds[1] = {MPI_DISTRIBUTE_CYCLIC}, arguments[1] = {1}, many[1] = {2}, whole[1] = {5};
  switch (kind) {
  case 0:
    MPI_Type_contiguous(2, old, &type);
    break;
  case 1:
    MPI_Type_vector(2, 1, 2, old, &type);
    break;
  case 2:
    MPI_Type_create_hvector(2, 1, extent + 8, old, &type);
    break;
  case 3:
    MPI_Type_indexed(2, lengths, places, old, &type);
    break;
  case 4:
    MPI_Type_create_hindexed(2, lengths, bytes, old, &type);
    break;
  case 5:
    MPI_Type_create_indexed_block(2, 2, places, old, &type);
    break;
  case 6:
    MPI_Type_create_hindexed_block(2, 2, bytes, old, &type);
    break;
  case 7:
    MPI_Type_create_struct(2, lengths, bytes, types, &type);
    break;
  case 8:
    MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, old, &type);
    break;
  case 9:
    MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, old, &type);
    break;
  case 10:
    MPI_Type_create_darray(2, 1, 1, whole, kinds, arguments, many, MPI_ORDER_C, old, &type);
    break;
  case 11:
    MPI_Type_dup(old, &type);
    break;
  case 12:
    MPI_Type_create_resized(old, 0, extent + 12, &type);
    break;
  }
  return type;
}

/// Data in each of them is received as MPI_Unpack would place it.
static void constructors(int rank, int size) {
  enum { ROOM = 2000, KINDS = 13 };
  int next = (rank + 1) % size, *memory, expected[ROOM], out[200];
  MPI_Win win;
  MPI_Win_allocate(2 * sizeof(expected), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int i = 0; i < 200; ++i)
    out[i] = i + 1;
  for (int kinds = 0; kinds < KINDS * KINDS; ++kinds) {
    MPI_Datatype inner = construct(kinds / KINDS, MPI_INT), outer = construct(kinds % KINDS, inner);
    MPI_Type_commit(&outer);
    int bytes, position = 0;
    MPI_Type_size(outer, &bytes);
    memset(expected, 0, sizeof(expected));
    memset(memory, 0, 2 * sizeof(expected));
    MPI_Unpack(out, 2 * bytes, &position, expected, 2, outer, MPI_COMM_SELF);
    MPI_Win_fence(0, win);
    MPI_Put(out, 2 * bytes / 4, MPI_INT, next, 0, 2, outer, win);
    MPI_Accumulate(out, 2 * bytes / 4, MPI_INT, next, sizeof(expected), 2, outer, MPI_SUM, win);
    MPI_Win_fence(0, win);
    EXPECT(!memcmp(memory, expected, sizeof(expected)) || (printf("put: constructors %d\n", kinds), 0));
    EXPECT(!memcmp(memory + ROOM, expected, sizeof(expected)) || (printf("sum: constructors %d\n", kinds), 0));
    MPI_Type_free(&inner);
    MPI_Type_free(&outer);
  }
  MPI_Win_free(&win);
}

/// More than one message holds.
static void large(int rank, int size) {
  enum { N = 700001 };
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double *memory, *out = malloc(N * sizeof(double)), *in = calloc(N, sizeof(double));
  MPI_Win win;
  MPI_Win_allocate(N * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int i = 0; i < N; ++i)
    out[i] = rank + i;
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  MPI_Put_c(out, N, MPI_DOUBLE, next, 0, N, MPI_DOUBLE, win);
  MPI_Win_flush(next, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Get(in, N, MPI_DOUBLE, next, 0, N, MPI_DOUBLE, win);
  MPI_Win_flush_local_all(win);
  EXPECT(!memcmp(in, out, N * sizeof(double)));
  for (int i = 0; i < N; i += 997)
    EXPECT(memory[i] == before + i);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Accumulate(out, N, MPI_DOUBLE, next, 0, N, MPI_DOUBLE, MPI_SUM, win);
  MPI_Win_flush_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(win);
  for (int i = 0; i < N; i += 997)
    EXPECT(memory[i] == 2.0 * (before + i));
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  free(out);
  free(in);
}

/// Memory that comes later, and addresses of the target.
static void dynamic(int rank, int size) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Win win;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  int *memory = malloc(40 * sizeof(int));
  MPI_Win_attach(win, memory, 40 * sizeof(int));
  MPI_Aint mine, theirs;
  MPI_Get_address(memory, &mine);
  MPI_Sendrecv(&mine, 1, MPI_AINT, before, 0, &theirs, 1, MPI_AINT, next, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win);
  MPI_Put(&rank, 1, MPI_INT, next, MPI_Aint_add(theirs, 39 * sizeof(int)), 1, MPI_INT, win);
  MPI_Win_unlock(next, win);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT(memory[39] == before);
  MPI_Win_detach(win, memory);
  // Two regions that touch are one for who accesses; data with a gap lie in two that do not.
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  EXPECT(MPI_Win_detach(win, memory) == MPI_ERR_RMA_ATTACH);
  EXPECT(MPI_Win_attach(win, memory, 0) == MPI_SUCCESS);
  EXPECT(MPI_Win_detach(win, memory) == MPI_SUCCESS);
  EXPECT(MPI_Win_detach(win, memory) == MPI_ERR_RMA_ATTACH);
  MPI_Win_attach(win, memory, 5 * sizeof(int));
  MPI_Win_attach(win, memory + 5, 5 * sizeof(int));
  MPI_Win_attach(win, memory + 20, 10 * sizeof(int));
  MPI_Datatype apart;
  MPI_Type_vector(2, 2, 20, MPI_INT, &apart);
  MPI_Type_commit(&apart);
  MPI_Barrier(MPI_COMM_WORLD);
  int values[4] = {rank, rank + 1, rank + 2, rank + 3};
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win);
  EXPECT(MPI_Put(values, 4, MPI_INT, next, MPI_Aint_add(theirs, 3 * sizeof(int)), 4, MPI_INT, win) == MPI_SUCCESS);
  EXPECT(MPI_Put(values, 4, MPI_INT, next, MPI_Aint_add(theirs, 7 * sizeof(int)), 1, apart, win) == MPI_SUCCESS);
  MPI_Win_unlock(next, win);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT(memory[3] == before && memory[6] == before + 3);
  EXPECT(memory[7] == before && memory[8] == before + 1 && memory[27] == before + 2 && memory[28] == before + 3);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  EXPECT(MPI_Put(values, 4, MPI_INT, rank, MPI_Aint_add(mine, 8 * sizeof(int)), 4, MPI_INT, win) == MPI_ERR_RMA_RANGE);
  EXPECT(MPI_Put(values, 4, MPI_INT, rank, MPI_Aint_add(mine, 9 * sizeof(int)), 1, apart, win) == MPI_ERR_RMA_RANGE);
  MPI_Win_unlock(rank, win);
  MPI_Type_free(&apart);
  MPI_Win_free(&win);
  free(memory);
}

/// Ranks of a process see each other's memory, one after another.
static void shared(int rank) {
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  int me, many, unit;
  MPI_Comm_rank(node, &me);
  MPI_Comm_size(node, &many);
  int *mine, *first;
  MPI_Aint bytes;
  MPI_Win win;
  MPI_Win_allocate_shared((me + 1) * sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &win);
  MPI_Win_shared_query(win, 0, &bytes, &unit, &first);
  EXPECT(bytes == sizeof(int) && unit == sizeof(int) && mine == first + me * (me + 1) / 2);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  __atomic_store_n(&mine[0], rank + 1, __ATOMIC_RELEASE);
  MPI_Win_sync(win);
  // A rank that only waits for memory lets the others run.
  int *last = first + (many - 1) * many / 2;
  while (__atomic_load_n(last, __ATOMIC_ACQUIRE) == 0)
    MPI_Win_sync(win);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Comm_free(&node);
}

static int countDeletion(MPI_Win win, int keyval, void *value, void *state) {
  (void)win, (void)keyval, (void)value;
  ++*(int *)state;
  return MPI_SUCCESS;
}

static void onError(MPI_Win *win, int *code, ...) {
  // The window's name is where the test looks.
  (void)win;
  *code = *code;
}

static void carried(int rank, int size) {
  int *memory, keyval, deletions = 0, flag, length;
  char name[MPI_MAX_OBJECT_NAME], *value;
  MPI_Win win;
  MPI_Info info, used;
  MPI_Info_create(&info);
  MPI_Info_set(info, "no_locks", "true");
  MPI_Info_set(info, "unknown", "1");
  MPI_Win_allocate(16, 4, info, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_get_info(win, &used);
  char text[10];
  MPI_Info_get(used, "no_locks", 9, text, &flag);
  EXPECT(flag && !strcmp(text, "true"));
  MPI_Info_get(used, "unknown", 9, text, &flag);
  EXPECT(!flag);
  MPI_Info_free(&info);
  MPI_Info_free(&used);
  MPI_Win_set_name(win, "mine");
  MPI_Win_get_name(win, name, &length);
  EXPECT(length == 4 && !strcmp(name, "mine"));
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, countDeletion, &keyval, &deletions);
  MPI_Win_set_attr(win, keyval, name);
  MPI_Win_get_attr(win, keyval, &value, &flag);
  EXPECT(flag && value == name);
  MPI_Errhandler handler, got;
  MPI_Win_create_errhandler(onError, &handler);
  MPI_Win_set_errhandler(win, handler);
  MPI_Win_get_errhandler(win, &got);
  EXPECT(got == handler);
  int x = 0;
  EXPECT(MPI_Put(&x, 1, MPI_INT, size, 0, 1, MPI_INT, win) == MPI_ERR_RANK);
  MPI_Errhandler_free(&handler);
  MPI_Errhandler_free(&got);
  // Errors have MPI's class, and change nothing.
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  memory[0] = memory[3] = 5;
  EXPECT(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win) == MPI_ERR_RMA_SYNC);
  EXPECT(MPI_Win_unlock(0, win) == MPI_ERR_RMA_SYNC);
  EXPECT(MPI_Win_flush(0, win) == MPI_ERR_RMA_SYNC);
  EXPECT(MPI_Win_complete(win) == MPI_ERR_RMA_SYNC);
  EXPECT(MPI_Win_wait(win) == MPI_ERR_RMA_SYNC);
  EXPECT(MPI_Win_lock(7, 0, 0, win) == MPI_ERR_LOCKTYPE);
  EXPECT(MPI_Win_fence(MPI_MODE_NOCHECK, win) == MPI_ERR_ASSERT);
  EXPECT(MPI_Win_attach(win, memory, 4) == MPI_ERR_RMA_FLAVOR);
  MPI_Win_fence(0, win);
  int two[2] = {1, 2};
  double real = 1;
  MPI_Request request;
  for (int target = 0; target < size; ++target) {
    EXPECT(MPI_Put(two, 2, MPI_INT, target, 3, 2, MPI_INT, win) == MPI_ERR_RMA_RANGE);
    EXPECT(MPI_Put(two, 2, MPI_INT, target, 0, 1, MPI_INT, win) == MPI_ERR_TRUNCATE);
    EXPECT(MPI_Put(two, -1, MPI_INT, target, 0, 1, MPI_INT, win) == MPI_ERR_COUNT);
    EXPECT(MPI_Put(two, 1, MPI_DATATYPE_NULL, target, 0, 1, MPI_INT, win) == MPI_ERR_TYPE);
    EXPECT(MPI_Put(two, 1, MPI_INT, target, -1, 1, MPI_INT, win) == MPI_ERR_DISP);
    EXPECT(MPI_Put(two, 1, MPI_INT, target, LONG_MAX / 2, 1, MPI_INT, win) == MPI_ERR_DISP);
    EXPECT(MPI_Put(two, 1, MPI_INT, target, LONG_MAX / 4, 1, MPI_INT, win) == MPI_ERR_RMA_RANGE);
    EXPECT(MPI_Accumulate(&real, 1, MPI_DOUBLE, target, 0, 2, MPI_INT, MPI_SUM, win) == MPI_ERR_TYPE);
    EXPECT(MPI_Accumulate(&real, 1, MPI_DOUBLE, target, 0, 1, MPI_DOUBLE, MPI_BAND, win) == MPI_ERR_OP);
    EXPECT(MPI_Compare_and_swap(&real, &real, &real, MPI_DOUBLE, target, 0, win) == MPI_ERR_TYPE);
    EXPECT(MPI_Rput(two, 1, MPI_INT, target, 0, 1, MPI_INT, win, &request) == MPI_ERR_RMA_SYNC);
  }
  EXPECT(MPI_Put(two, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win) == MPI_SUCCESS);
  MPI_Win_fence(0, win);
  EXPECT(memory[0] == 5 && memory[3] == 5);
  MPI_Win_free(&win);
  EXPECT(deletions == 1);
  MPI_Win_free_keyval(&keyval);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT(MPI_Win_free(&win) == MPI_ERR_WIN);
  EXPECT(MPI_Win_create(memory, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win) == MPI_ERR_SIZE);
  EXPECT(MPI_Win_create(memory, 1, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &win) == MPI_ERR_DISP);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1) { // the lock that the others wait for is never released
    int *memory;
    MPI_Win win;
    MPI_Win_allocate(16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    if (!strcmp(argv[1], "detached")) {
      MPI_Win_free(&win);
      MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
      MPI_Win_lock(MPI_LOCK_SHARED, size - 1, 0, win);
      if (rank == 0)
        MPI_Put(&rank, 1, MPI_INT, size - 1, 4096, 1, MPI_INT, win);
      MPI_Win_unlock(size - 1, win);
      MPI_Win_free(&win);
    }
    if (rank == 0)
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, size - 1, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0)
      MPI_Win_lock(MPI_LOCK_SHARED, size - 1, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  fences(rank, size);
  accumulates(rank, size);
  counters(rank, size);
  locks(rank, size);
  generalized(rank, size);
  derived(rank, size);
  constructors(rank, size);
  large(rank, size);
  dynamic(rank, size);
  shared(rank);
  carried(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("windows: %d ranks: as expected\n", size);
  MPI_Finalize();
  return 0;
}
