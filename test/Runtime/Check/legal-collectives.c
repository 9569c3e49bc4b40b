// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes in flight at each process in collectives: root, in place, v and w forms, neighbors, intercommunicators; and
// bytes that are never in flight.
//
// RUN: %mpicc -g -O1 -fsanitize=address -I%comm_runtime_include %s %comm_runtime_lib -o %t
// RUN: env ASAN_OPTIONS=detect_leaks=0 %mpirun -n 1 %t > %t.1 2>&1
// RUN: FileCheck %s --match-full-lines < %t.1
// RUN: env ASAN_OPTIONS=detect_leaks=0 %mpirun -n 4 %t > %t.4 2>&1
// RUN: FileCheck %s --match-full-lines < %t.4
// CHECK-NOT: {{.}}
// CHECK: all as expected
// CHECK-NOT: {{.}}

#include <comm/check.h>
#include <sanitizer/asan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const comm_check_site site = {COMM_CHECK_ABI_VERSION, 5,      1,    0,
                                     "MPI_Icollective",      "main", "c.c"};

static int rank, ranks, wrong;
static MPI_Comm world;

enum { length = 64 };
static int *buffer;

/* Elements [from, from + number) of the buffer are poisoned, or not. */
static void expect(int line, int from, int number, int poisoned) {
  for (int i = from; i < from + number; ++i)
    if (__asan_address_is_poisoned(&buffer[i]) != poisoned) {
      printf("rank %d, line %d: element %d is %spoisoned\n", rank, line, i,
             poisoned ? "not " : "");
      ++wrong;
      return;
    }
}
#define EXPECT(from, number, poisoned) expect(__LINE__, from, number, poisoned)

static void land(void *key) {
  comm_check_finish(key);
  expect(0, 0, length, 0);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  world = MPI_COMM_WORLD;
  buffer = calloc(length, sizeof(int));
  int key;
  const int W = COMM_CHECK_WRITE, R = COMM_CHECK_READ;

  /* A block for each rank. */
  comm_check_buffer(&site, &key, buffer, 4, MPI_INT, world, 1, -1, W);
  EXPECT(0, 4 * ranks, 1);
  EXPECT(4 * ranks, length - 4 * ranks, 0);
  land(&key);
  /* Significant at the root only (MPI_Igather). */
  int root = ranks - 1;
  comm_check_buffer(&site, &key, buffer, 2, MPI_INT, world, 1, root, W);
  EXPECT(0, 2 * ranks, rank == root);
  land(&key);
  /* Read at the root, written elsewhere (MPI_Ibcast). */
  comm_check_buffer(&site, &key, buffer, 6, MPI_INT, world, 0, root, R | W);
  EXPECT(0, 6, rank != root);
  land(&key);
  /* Both (MPI_Isendrecv_replace). */
  comm_check_buffer(&site, &key, buffer, 6, MPI_INT, world, 0, -1, R | W);
  EXPECT(0, 6, 1);
  land(&key);
  /* The same bytes may be read twice at once. */
  int second;
  comm_check_buffer(&site, &key, buffer, 6, MPI_INT, world, 0, -1, R);
  comm_check_buffer(&site, &second, buffer, 6, MPI_INT, world, 0, -1, R);
  land(&key);
  land(&second);

  /* Nothing in flight. */
  comm_check_buffer(&site, &key, MPI_IN_PLACE, 6, MPI_INT, world, 0, -1, W);
  comm_check_buffer(&site, &key, MPI_BOTTOM, 6, MPI_INT, world, 0, -1, W);
  comm_check_buffer(&site, &key, NULL, 0, MPI_INT, world, 0, -1, R);
  comm_check_buffer(&site, &key, buffer, 0, MPI_INT, world, 0, -1, W);
  comm_check_buffer(&site, &key, buffer, -1, MPI_INT, world, 0, -1, W);
  comm_check_buffer(&site, &key, buffer, 6, MPI_DATATYPE_NULL, world, 0, -1, W);
  comm_check_buffer(&site, &key, buffer, 6, MPI_INT, MPI_COMM_NULL, 0, -1, W);
  EXPECT(0, length, 0);
  land(&key);
  land(&second);

  /* One count and displacement per rank: rank r has r + 1 elements at 8 r. */
  int counts[4] = {2, 4, 6, 8}, displs[4] = {0, 8, 16, 24};
  comm_check_buffer_v(&site, &key, buffer, counts, displs, MPI_INT, world, -1,
                      W);
  for (int i = 0; i < ranks; ++i) {
    EXPECT(displs[i], counts[i], 1);
    EXPECT(displs[i] + counts[i], displs[i] + 8 - displs[i] - counts[i], 0);
  }
  land(&key);
  comm_check_buffer_v(&site, &key, buffer, counts, displs, MPI_INT, world, root,
                      W);
  EXPECT(0, 2, rank == root);
  land(&key);
  /* Without displacements: packed. */
  comm_check_buffer_v(&site, &key, buffer, counts, NULL, MPI_INT, world, -1, W);
  int sum = 0;
  for (int i = 0; i < ranks; ++i)
    sum += counts[i];
  EXPECT(0, sum, 1);
  EXPECT(sum, length - sum, 0);
  land(&key);

  /* Byte displacements and types. */
  int bytes[4] = {128, 64, 32, 0}, twos[4] = {2, 0, 2, 2};
  MPI_Datatype types[4] = {MPI_INT, MPI_DATATYPE_NULL, MPI_INT, MPI_DOUBLE};
  comm_check_buffer_w(&site, &key, buffer, twos, bytes, types, world, W);
  EXPECT(32, 2, 1);
  EXPECT(34, 6, 0);
  EXPECT(16, 8, 0);
  EXPECT(8, 2, ranks > 2);
  EXPECT(0, 4, ranks > 3);
  land(&key);

  /* Neighbors of a ring: 2, whatever the number of ranks. */
  MPI_Comm ring, graph, half, across;
  int periodic = 1;
  MPI_Cart_create(world, 1, &ranks, &periodic, 0, &ring);
  comm_check_buffer(&site, &key, buffer, 4, MPI_INT, ring, 1, -1,
                    W | COMM_CHECK_NEIGHBORS);
  EXPECT(0, 8, 1);
  EXPECT(8, 8, 0);
  land(&key);
  /* From no one to oneself three times: 0 sources at rank > 0. */
  int self[3] = {0, 0, 0};
  MPI_Dist_graph_create_adjacent(world, rank == 0 ? 3 * ranks : 0,
                                 (int[12]){0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3},
                                 MPI_UNWEIGHTED, 3, self, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  comm_check_buffer(&site, &key, buffer, 2, MPI_INT, graph, 1, -1,
                    W | COMM_CHECK_NEIGHBORS);
  EXPECT(0, 6 * ranks, rank == 0);
  EXPECT(6 * ranks, length - 6 * ranks, 0);
  land(&key);

  /* Between halves of the ranks: the blocks are the remote group's. */
  if (ranks == 4) {
    int low = rank == 0;
    MPI_Comm_split(world, low, 0, &half);
    MPI_Intercomm_create(half, 0, world, low ? 1 : 0, 0, &across);
    comm_check_buffer(&site, &key, buffer, 4, MPI_INT, across, 1, -1, W);
    /* If MPI_PROC_NULL is -1, this is the meaning of root -1 here. */
    EXPECT(0, low ? 12 : 4, MPI_PROC_NULL != -1);
    EXPECT(low ? 12 : 4, 8, 0);
    land(&key);
    comm_check_buffer(&site, &key, buffer, 4, MPI_INT, across, 0,
                      low ? 0 : MPI_PROC_NULL, R | W);
    EXPECT(0, 4, low);
    land(&key);
    comm_check_buffer(&site, &key, buffer, 4, MPI_INT, across, 0,
                      low ? MPI_ROOT : 0, R | W);
    EXPECT(0, 4, !low);
    land(&key);
    MPI_Comm_free(&across);
    MPI_Comm_free(&half);
  }
  MPI_Comm_free(&ring);
  MPI_Comm_free(&graph);

  /* A buffer that is larger than its allocation stays as it is. */
  comm_check_buffer(&site, &key, buffer, length + 1, MPI_INT, world, 0, -1, W);
  comm_check_finish(&key);
  EXPECT(0, length, 0);
  if (!__asan_address_is_poisoned(buffer + length)) {
    printf("rank %d: the redzone was lost\n", rank);
    ++wrong;
  }
  free(buffer);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, world);
  if (rank == 0 && !wrong)
    printf("all as expected\n");
  MPI_Finalize();
  return 0;
}
