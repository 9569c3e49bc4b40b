/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Invalid graphs produce the same error on all processes, naming process and operation, and never a hang. The
// communicator remains usable.
// RUN: %mpicc -O1 -Wall -I%comm_runtime_include %s -o %t %comm_lib_dir/libCommCDagRun.a %comm_lib_dir/libCommCDag.a
// RUN: %mpirun -n 2 %t > %t.out
// RUN: FileCheck %s < %t.out
// RUN: FileCheck %s --check-prefix=END < %t.out
#include "comm/cdag.h"

#include <stdio.h>
#include <string.h>

static int rank, size;
static char a[64], b[64];

typedef int Fill(comm_cdag *g);

/* Prints one line if all processes have the same code and message. */
static void expect(const char *what, Fill *fill, int code) {
  comm_cdag *graph;
  comm_cdag_schedule *schedule = NULL;
  comm_cdag_create(MPI_COMM_WORLD, &graph);
  comm_cdag_add_name(graph, a, sizeof a, "a");
  fill(graph);
  int got = comm_cdag_compile(graph, &schedule);
  char mine[512], first[512];
  snprintf(mine, sizeof mine, "%s", comm_cdag_message(graph));
  memcpy(first, mine, sizeof first);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  int wrong = got != code || strcmp(mine, first) || schedule, all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (wrong)
    printf("wrong: %s: process %d: code %d, '%s'\n", what, rank, got, mine);
  else if (rank == 0 && !all)
    printf("%s: %s\n", what, mine);
  comm_cdag_free(&graph);
}

// CHECK: unmatched: {{.*}}process 1{{.*}}send of 8 bytes at buffer {{.*}}no matching receive
static int unmatched(comm_cdag *g) {
  if (rank == 1)
    comm_cdag_add_send(g, b, 8, MPI_BYTE, 0, 3, NULL);
  return 0;
}
// CHECK: tags: {{.*}}process {{[01]}}
static int tags(comm_cdag *g) {
  if (rank == 0)
    comm_cdag_add_recv(g, a, 8, MPI_BYTE, 1, 1, NULL);
  else if (rank == 1)
    comm_cdag_add_send(g, b, 8, MPI_BYTE, 0, 2, NULL);
  return 0;
}
// CHECK: truncation: {{.*}}process
static int truncation(comm_cdag *g) {
  if (rank == 0)
    comm_cdag_add_recv(g, a, 8, MPI_BYTE, 1, 1, NULL);
  else if (rank == 1)
    comm_cdag_add_send(g, b, 16, MPI_BYTE, 0, 1, NULL);
  return 0;
}
// CHECK: deadlock: {{.*}}process
static int deadlock(comm_cdag *g) {
  int in, out;
  if (rank > 1)
    return 0;
  comm_cdag_add_recv(g, a, 8, MPI_BYTE, 1 - rank, 0, &in);
  comm_cdag_add_send(g, b, 8, MPI_BYTE, 1 - rank, 0, &out);
  comm_cdag_add_dependency(g, out, in);
  return 0;
}
// CHECK: race: {{.*}}process 0{{.*}}a
static int race(comm_cdag *g) {
  if (rank == 0) {
    comm_cdag_add_recv(g, a, 8, MPI_BYTE, 1, 0, NULL);
    comm_cdag_add_recv(g, a + 4, 8, MPI_BYTE, 1, 1, NULL);
  } else if (rank == 1) {
    comm_cdag_add_send(g, b, 8, MPI_BYTE, 0, 0, NULL);
    comm_cdag_add_send(g, b, 8, MPI_BYTE, 0, 1, NULL);
  }
  return 0;
}
// CHECK: recording: process 1, operation 0: send to process 99, but the communicator has {{[0-9]+}}
static int recording(comm_cdag *g) {
  if (rank == 1)
    return comm_cdag_add_send(g, b, 8, MPI_BYTE, 99, 0, NULL) !=
           COMM_CDAG_ERR_RANK;
  return 0;
}
// CHECK: options: process 1: the options of the graph differ
static int options(comm_cdag *g) {
  return comm_cdag_set_option(g, COMM_CDAG_OPT_KEEP_SYNC, rank != 1);
}
static int right(comm_cdag *g) {
  if (rank == 0)
    return comm_cdag_add_send(g, a, 64, MPI_BYTE, 1, 5, NULL);
  if (rank == 1)
    return comm_cdag_add_recv(g, b, 64, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG,
                              NULL);
  return 0;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  expect("unmatched", unmatched, COMM_CDAG_ERR_UNMATCHED);
  expect("tags", tags, COMM_CDAG_ERR_UNMATCHED);
  expect("truncation", truncation, COMM_CDAG_ERR_TRUNCATION);
  expect("deadlock", deadlock, COMM_CDAG_ERR_DEADLOCK);
  expect("race", race, COMM_CDAG_ERR_RACE);
  expect("recording", recording, COMM_CDAG_ERR_RANK);
  expect("options", options, COMM_CDAG_ERR_ARG);

  comm_cdag *graph;
  comm_cdag_schedule *schedule;
  memset(a, 'x', sizeof a);
  int wrong = comm_cdag_create(MPI_COMM_WORLD, &graph) || right(graph) ||
              comm_cdag_compile(graph, &schedule) || comm_cdag_run(schedule);
  if (rank == 1)
    wrong |= memcmp(a, b, sizeof a) != 0;
  wrong |= comm_cdag_create(MPI_COMM_WORLD, NULL) != COMM_CDAG_ERR_ARG;
  wrong |= comm_cdag_add_dependency(graph, 0, 7) != COMM_CDAG_ERR_ARG;
  wrong |= comm_cdag_run(NULL) != COMM_CDAG_ERR_ARG;
  wrong |= comm_cdag_compile(graph, NULL) != COMM_CDAG_ERR_ARG;
  comm_cdag_schedule_free(&schedule);
  comm_cdag_free(&graph);
  wrong |= comm_cdag_free(&graph) != COMM_CDAG_SUCCESS;
  if (wrong)
    printf("wrong: after the errors, process %d\n", rank);
  MPI_Barrier(MPI_COMM_WORLD);
  // END-NOT: wrong
  // END: done
  if (rank == 0)
    printf("done\n");
  MPI_Finalize();
  return wrong;
}
