/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Every pattern as a graph and as a phase has the same result as plain MPI, whether the runtime
// replaces it (mode 1), keeps it (mode 0) or measures first (mode 2); and the planted collective is
// detected.
// RUN: %mpicc -O1 -Wall -I%comm_runtime_include %s -I%S/Inputs -o %t %comm_lib_dir/libCommCDagRun.a %comm_lib_dir/libCommCDag.a
// RUN: env COMM_CDAG_MODE=1 %mpirun -n 2 %t | FileCheck %s
// RUN: env COMM_CDAG_MODE=1 %mpirun -n 8 %t | FileCheck %s
// RUN: env COMM_CDAG_MODE=0 %mpirun -n 3 %t | FileCheck %s
// RUN: env COMM_CDAG_MODE=2 COMM_CDAG_TRIALS=2 %mpirun -n 4 %t | FileCheck %s
// RUN: env COMM_CDAG_MODE=1 COMM_CDAG_COMPILE=all %mpirun -n 4 %t | FileCheck %s
// CHECK-NOT: wrong
// CHECK: all patterns agree
#include "patterns.h"

/* Enough for the trials of both forms, and one run after. */
enum { RUNS = 5 };

static char *expected, *actual;

static int differs(const char *what, const char *name, int n, int run) {
  if (memcmp(expected, actual, ARENA) == 0)
    return 0;
  int at = 0;
  while (expected[at] == actual[at])
    ++at;
  printf("wrong: %s of %s, %d bytes, run %d: first at offset %d\n", name, what,
         n, run, at);
  return 1;
}

static void plain(const Entry *entry, Emitter *e, int n, unsigned seed) {
  fill(expected, e->rank, seed);
  e->way = PLAIN;
  e->pending = 0;
  entry->emit(e, expected, n);
  fence(e);
}

static int as_graph(const Entry *entry, Emitter *e, int n) {
  int wrong = 0;
  comm_cdag_schedule *schedule = NULL;
  comm_cdag_info info;
  e->way = GRAPH;
  e->lasts = e->joint = e->error = 0;
  wrong |= comm_cdag_create(e->comm, &e->graph) != 0;
  entry->emit(e, actual, n);
  wrong |= comm_cdag_add_buffer_dependencies(e->graph) != 0;
  wrong |= e->error;
  wrong |= comm_cdag_compile(e->graph, &schedule) != 0;
  if (wrong) {
    printf("wrong: %s, %d bytes: %s\n", entry->name, n,
           comm_cdag_message(e->graph));
    return 1;
  }
  if (e->size >= entry->leastRanks && n > 0 &&
      !strstr(comm_cdag_describe(schedule), entry->expect)) {
    printf("wrong: %s, %d bytes: detected '%s'\n", entry->name, n,
           comm_cdag_describe(schedule));
    wrong = 1;
  }
  for (int run = 0; run < RUNS; ++run) {
    plain(entry, e, n, (unsigned)run);
    fill(actual, e->rank, (unsigned)run);
    wrong |= comm_cdag_run(schedule) != 0;
    wrong |= differs("a graph", entry->name, n, run);
  }
  /* The same graph at another address is found in the cache. */
  comm_cdag_schedule *again = NULL;
  wrong |= comm_cdag_compile(e->graph, &again) != 0;
  wrong |= comm_cdag_get_info(again, &info) != 0;
  if (!info.cached) {
    printf("wrong: %s compiled twice\n", entry->name);
    wrong = 1;
  }
  comm_cdag_schedule_free(&again);
  comm_cdag_schedule_free(&schedule);
  comm_cdag_free(&e->graph);
  return wrong;
}

static int as_phase(const Entry *entry, Emitter *e, int n) {
  int wrong = 0;
  for (int run = 0; run < RUNS; ++run) {
    plain(entry, e, n, 100u + (unsigned)run);
    fill(actual, e->rank, 100u + (unsigned)run);
    e->way = PHASE;
    e->error = comm_cdag_phase_begin(entry->name, e->comm);
    entry->emit(e, actual, n);
    e->error |= comm_cdag_phase_end();
    if (e->error) {
      printf("wrong: %s: phase returns %d\n", entry->name, e->error);
      wrong = 1;
    }
    wrong |= differs("a phase", entry->name, n, run);
  }
  return wrong;
}

int main(int argc, char **argv) {
  static Emitter e;
  int wrong = 0, all = 0;
  MPI_Init(&argc, &argv);
  e.comm = MPI_COMM_WORLD;
  MPI_Comm_rank(e.comm, &e.rank);
  MPI_Comm_size(e.comm, &e.size);
  expected = malloc(ARENA);
  actual = malloc(ARENA);
  const int sizes[] = {8, 8192};
  for (int k = 0; k < NUM_ENTRIES; ++k)
    for (int s = 0; s < 2; ++s) {
      if (argc > 1 && strcmp(argv[1], entries[k].name))
        continue;
      wrong |= as_graph(&entries[k], &e, sizes[s]);
      wrong |= as_phase(&entries[k], &e, sizes[s]);
    }
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_MAX, e.comm);
  if (e.rank == 0)
    printf(all ? "wrong\n" : "all patterns agree\n");
  free(expected);
  free(actual);
  MPI_Finalize();
  return all != 0;
}
