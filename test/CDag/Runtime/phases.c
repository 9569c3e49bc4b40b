/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Phases whose graph changes from time to time on one process only, phases
// with wildcards, phases that do not match in themselves, on a communicator
// that is freed in the end: always what the calls would have done.
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

/* A sum by way of a buffer that nobody reads afterwards. */
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

static void nothing(int run) {
  int got = 0, error = comm_cdag_phase_begin("nothing", comm);
  error |= comm_cdag_phase_send(&run, 1, MPI_INT, MPI_PROC_NULL, 1);
  error |= comm_cdag_phase_recv(&got, 1, MPI_INT, MPI_PROC_NULL, 1);
  error |= comm_cdag_phase_end();
  check(!error && got == 0, "nothing", run);
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
    swapping(run);
    nothing(run);
    summing(run);
  }
  MPI_Comm_free(&comm);
  int all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    printf(all ? "wrong\n" : "done\n");
  MPI_Finalize();
  return all;
}
