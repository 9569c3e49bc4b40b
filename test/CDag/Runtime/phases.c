/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Phases whose graph sometimes changes on one process only, phases with wildcards, phases that do not
// match in themselves, on a communicator that is finally freed: the result is always that of the plain
// calls.
// RUN: %mpicc -O1 -Wall -I%comm_runtime_include %s -o %t %comm_lib_dir/libCommCDagRun.a %comm_lib_dir/libCommCDag.a
// RUN: rm -f %t.report
// RUN: env COMM_CDAG_MODE=1 COMM_CDAG_REPORT=%t.report %mpirun -n 4 %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t.report
// RUN: env COMM_CDAG_TRIALS=2 %mpirun -n 3 %t | FileCheck %s
// CHECK-NOT: wrong
// CHECK: done
// REPORT-DAG: "site": "changing", "ranks": 4, {{.*}} "detected": "bcast(4 ranks, 8 bytes)", "decision": "replaced, as asked"
// REPORT-DAG: "site": "wildcard", "ranks": 4, "decision": "original", "reason": "a wildcard
// REPORT-DAG: "site": "crossing", "ranks": 4, {{.*}} "decision": "original: not a graph in itself", "reason": "{{.+}}"
// REPORT-DAG: "site": "growing", "ranks": 4, "decision": "original", "reason": "a new graph almost each time
// REPORT-DAG: "site": "one-sided", "ranks": 4, {{.*}} "detected": "alltoall(4 ranks, 16 bytes)", "decision": "replaced, as asked"
// REPORT-DAG: "site": "puts", "ranks": 4, "messages": 4, "kept_messages": 4
// REPORT-DAG: "site": "summing", "ranks": 4, {{.*}} "detected": "allreduce(4 ranks, 8 bytes)", "decision": "replaced, as asked"
#include "comm/cdag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, wrong;
static MPI_Comm comm;

static void check(int ok, const char *what, int run) {
  if (!ok) {
    wrong = 1;
    printf("wrong: %s, process %d, run %d\n", what, rank, run);
  }
}

/* A broadcast from 0; every third time process 0 sends to the last process
 * from another buffer, which only process 0 can know. */
static void changing(int run) {
  long data = 1000 + run, other = -run, got = 0;
  int special = run % 3 == 2;
  int error = comm_cdag_phase_begin("changing", comm);
  if (rank == 0)
    for (int i = 1; i < size; ++i)
      error |= comm_cdag_phase_send(special && i == size - 1 ? &other : &data,
                                    1, MPI_LONG, i, 0);
  else
    error |= comm_cdag_phase_recv(&got, 1, MPI_LONG, 0, 0);
  error |= comm_cdag_phase_end();
  check(!error, "changing: an error", run);
  if (rank)
    check(got == (special && rank == size - 1 ? -run : 1000 + run), "changing",
          run);
}

static void wildcard(int run) {
  int all[64] = {0}, mine = rank + run, sum = 0;
  int error = comm_cdag_phase_begin("wildcard", comm);
  if (rank == 0)
    for (int i = 1; i < size; ++i)
      error |= comm_cdag_phase_recv(&all[i], 1, MPI_INT, MPI_ANY_SOURCE, 9);
  else
    error |= comm_cdag_phase_send(&mine, 1, MPI_INT, 0, 9);
  error |= comm_cdag_phase_end();
  check(!error, "wildcard: an error", run);
  for (int i = 1; i < size; ++i)
    sum += all[i] - i - run;
  if (rank == 0)
    check(sum == 0, "wildcard", run);
}

/* The receive of a phase's message is outside of the phase. */
static void crossing(int run) {
  int value = run, got = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 1)
    MPI_Irecv(&got, 1, MPI_INT, 0, 4, comm, &request);
  int error = comm_cdag_phase_begin("crossing", comm);
  if (rank == 0)
    error |= comm_cdag_phase_send(&value, 1, MPI_INT, 1, 4);
  error |= comm_cdag_phase_end();
  check(!error, "crossing: an error", run);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 1)
    check(got == run, "crossing", run);
}

/* A broadcast of another size each time. */
static void growing(int run) {
  static char out[4096], in[4096];
  int n = 8 + run;
  memset(out, run, sizeof out);
  memset(in, -1, sizeof in);
  int error = comm_cdag_phase_begin("growing", comm);
  for (int i = 1; i < size; ++i)
    if (rank == 0)
      error |= comm_cdag_phase_send(out, n, MPI_BYTE, i, 1);
    else if (rank == i)
      error |= comm_cdag_phase_recv(in, n, MPI_BYTE, 0, 1);
  error |= comm_cdag_phase_end();
  check(!error, "growing: an error", run);
  if (rank)
    check(in[0] == run && in[n - 1] == run && in[n] == -1, "growing", run);
}

/* A value goes around the ring: received, then sent from the same memory. Calls
 * that are the same as last time are started as they come (wildcards: nothing
 * is decided); now and then there are more laps, none, or another buffer, which
 * is known in the middle only. */
static void relaying(int run) {
  static int hops[4], lone;
  int laps = run % 7 == 3 ? 3 : run % 7 == 5 ? 0 : 2;
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  memset(hops, -1, sizeof hops);
  hops[0] = rank ? -1 : run;
  lone = -2;
  int error = comm_cdag_phase_begin("relaying", comm);
  for (int lap = 0; lap < laps; ++lap) {
    int *in = rank ? &hops[lap] : run % 11 == 6 && lap == 1 ? &lone : &hops[lap + 1];
    if (rank)
      error |= comm_cdag_phase_recv(in, 1, MPI_INT, before, MPI_ANY_TAG);
    error |= comm_cdag_phase_send(&hops[lap], 1, MPI_INT, next, lap);
    if (!rank)
      error |= comm_cdag_phase_recv(in, 1, MPI_INT, before, MPI_ANY_TAG);
    if (in == &lone)
      error |= comm_cdag_phase_copy(&lone, &hops[lap + 1], 1, MPI_INT);
  }
  error |= comm_cdag_phase_end();
  check(!error, "relaying: an error", run);
  for (int lap = 0; lap < laps; ++lap)
    check(hops[lap] == run, "relaying", run);
  check(rank || laps == 0 || hops[laps] == run, "relaying: the last", run);
}

/* Receives into the buffer that is being sent: the order counts. */
static void swapping(int run) {
  int value = 100 * run + rank;
  int to = (rank + 1) % size, from = (rank + size - 1) % size;
  int error = comm_cdag_phase_begin("swapping", comm);
  error |= comm_cdag_phase_send(&value, 1, MPI_INT, to, 1);
  error |= comm_cdag_phase_recv(&value, 1, MPI_INT, from, 1);
  error |= comm_cdag_phase_end();
  check(!error, "swapping: an error", run);
  check(value == 100 * run + from, "swapping", run);
}

/* A sum with a buffer that is not read afterwards. */
static void summing(int run) {
  static int64_t parts[64];
  int64_t mine = 10 * run + rank, sum = 0;
  int error = comm_cdag_phase_begin("summing", comm);
  error |= comm_cdag_phase_temporary(parts, sizeof parts);
  if (rank == 0) {
    error |= comm_cdag_phase_copy(&mine, &sum, 1, MPI_INT64_T);
    for (int i = 1; i < size; ++i) {
      error |= comm_cdag_phase_recv(&parts[i], 1, MPI_INT64_T, i, 1);
      error |= comm_cdag_phase_reduce(&parts[i], &sum, 1, MPI_INT64_T, MPI_SUM);
    }
    for (int i = 1; i < size; ++i)
      error |= comm_cdag_phase_send(&sum, 1, MPI_INT64_T, i, 2);
  } else {
    error |= comm_cdag_phase_send(&mine, 1, MPI_INT64_T, 0, 1);
    error |= comm_cdag_phase_recv(&sum, 1, MPI_INT64_T, 0, 2);
  }
  error |= comm_cdag_phase_end();
  check(!error, "summing: an error", run);
  check(sum == 10 * run * size + size * (size - 1) / 2, "summing", run);
}

/* A transpose by gets, and a ring of puts, between fences. */
static void one_sided(int run) {
  static int out[64], in[64], ring[2];
  MPI_Win window, ring_window;
  for (int i = 0; i < 64; ++i) {
    out[i] = 1000 * run + 100 * rank + i;
    in[i] = -1;
  }
  ring[0] = ring[1] = -1;
  MPI_Win_create(out, sizeof out, sizeof(int), MPI_INFO_NULL, comm, &window);
  MPI_Win_create(ring, sizeof ring, 1, MPI_INFO_NULL, comm, &ring_window);
  for (int again = 0; again < 3; ++again) {
    int error = comm_cdag_phase_begin("one-sided", comm);
    error |= comm_cdag_phase_window(window);
    for (int i = 0; i < size; ++i)
      error |= comm_cdag_phase_get(&in[4 * i], 4, MPI_INT, i, 4 * rank, window);
    error |= comm_cdag_phase_end();
    check(!error, "one-sided: an error", run);
    for (int i = 0; i < 4 * size; ++i)
      check(in[i] == 1000 * run + 100 * (i / 4) + 4 * rank + i % 4,
            "one-sided gets", run);
    for (int i = 0; i < 64; ++i)
      in[i] = -1;
    error = comm_cdag_phase_begin("puts", comm);
    error |= comm_cdag_phase_window(window);
    error |= comm_cdag_phase_window(ring_window);
    error |= comm_cdag_phase_put(&out[again], 1, MPI_INT, (rank + 1) % size, 4,
                                 ring_window);
    error |= comm_cdag_phase_end();
    check(!error, "puts: an error", run);
    check(ring[0] == -1 && ring[1] == 1000 * run +
                                          100 * ((rank + size - 1) % size) +
                                          again,
          "puts", run);
  }
  MPI_Win_free(&window);
  MPI_Win_free(&ring_window);
}

static void nothing(int run) {
  int got = 0, error = comm_cdag_phase_begin("nothing", comm);
  error |= comm_cdag_phase_send(&run, 1, MPI_INT, MPI_PROC_NULL, 1);
  error |= comm_cdag_phase_recv(&got, 1, MPI_INT, MPI_PROC_NULL, 1);
  error |= comm_cdag_phase_end();
  check(!error && got == 0, "nothing", run);
}

/* Between the two halves: phases work, graphs say that they do not. */
static void crossing_groups(void) {
  MPI_Comm between;
  int world, mine, theirs = -1, remote;
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  int last = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &last);
  /* The leader of each half is its first process: the last of the world. */
  int leader = (last - 1) % 2 == world % 2 ? last - 2 : last - 1;
  MPI_Intercomm_create(comm, 0, MPI_COMM_WORLD, leader, 1, &between);
  MPI_Comm_remote_size(between, &remote);
  mine = world;
  int partner = rank < remote ? rank : MPI_PROC_NULL;
  for (int run = 0; run < 3; ++run) {
    int error = comm_cdag_phase_begin("between", between);
    error |= comm_cdag_phase_send(&mine, 1, MPI_INT, partner, 2);
    error |= comm_cdag_phase_recv(&theirs, 1, MPI_INT, partner, 2);
    error |= comm_cdag_phase_end();
    check(!error, "between: an error", run);
    if (partner != MPI_PROC_NULL)
      check(theirs >= 0 && theirs % 2 != world % 2, "between", run);
  }
  comm_cdag *graph;
  check(comm_cdag_create(between, &graph) == COMM_CDAG_ERR_ARG,
        "a graph between groups", 0);
  MPI_Comm_free(&between);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  check(comm_cdag_phase_end() != MPI_SUCCESS, "an end without a begin", 0);
  for (int run = 0; run < 30; ++run) {
    changing(run);
    wildcard(run);
    crossing(run);
    growing(run);
    relaying(run);
    swapping(run);
    nothing(run);
    summing(run);
    one_sided(run);
  }
  MPI_Comm_free(&comm);

  /* Half of the processes, in reverse order. */
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int run = 0; run < 10; ++run) {
    if (size > 1)
      changing(run);
    swapping(run);
    summing(run);
  }
  crossing_groups();
  MPI_Comm_free(&comm);
  int all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    printf(all ? "wrong\n" : "done\n");
  MPI_Finalize();
  return all;
}
