/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Linear patterns as programs write them, with plain MPI, as a graph and as a
 * phase for which the runtime chooses, and as a graph that is replaced in any
 * case, in turns. For each pattern and size process 0 prints one JSON object:
 * seconds a run of the slowest process (least and median of all runs, and the
 * median of plain over this in the same round), whether
 * the runtime chose to replace it, and the seconds of compilation.
 *
 *   linear REPETITIONS BYTES...
 */
#include "comm/cdag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static char *in, *out, *temp;
static MPI_Request requests[4096];
static int pending;

/* How an operation is emitted. */
typedef struct {
  comm_cdag *graph; /* null, and not a phase: plain MPI */
  int phase;
} Target;

static void send(Target t, const void *buf, int n, int to) {
  if (t.phase)
    comm_cdag_phase_send(buf, n, MPI_BYTE, to, 0);
  else if (t.graph)
    comm_cdag_add_send(t.graph, buf, n, MPI_BYTE, to, 0, NULL);
  else
    MPI_Isend(buf, n, MPI_BYTE, to, 0, MPI_COMM_WORLD, &requests[pending++]);
}
static void recv(Target t, void *buf, int n, int from) {
  if (t.phase)
    comm_cdag_phase_recv(buf, n, MPI_BYTE, from, 0);
  else if (t.graph)
    comm_cdag_add_recv(t.graph, buf, n, MPI_BYTE, from, 0, NULL);
  else
    MPI_Irecv(buf, n, MPI_BYTE, from, 0, MPI_COMM_WORLD, &requests[pending++]);
}
static void wait_all(Target t) {
  if (!t.phase && !t.graph) {
    MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
    pending = 0;
  }
}
static void copy(Target t, const void *from, void *to, int n) {
  if (t.phase)
    comm_cdag_phase_copy(from, to, n, MPI_BYTE);
  else if (t.graph)
    comm_cdag_add_copy(t.graph, from, to, n, MPI_BYTE, NULL);
  else
    memcpy(to, from, (size_t)n);
}
static void sum(Target t, const void *from, void *to, int n) {
  int count = n / (int)sizeof(int64_t);
  if (t.phase)
    comm_cdag_phase_reduce(from, to, count, MPI_INT64_T, MPI_SUM);
  else if (t.graph)
    comm_cdag_add_reduce(t.graph, from, to, count, MPI_INT64_T, MPI_SUM, NULL);
  else
    for (int i = 0; i < count; ++i)
      ((int64_t *)to)[i] += ((const int64_t *)from)[i];
}

static void bcast(Target t, int n) {
  if (rank == 0)
    for (int i = 1; i < size; ++i)
      send(t, in, n, i);
  else
    recv(t, out, n, 0);
  wait_all(t);
}
static void gather(Target t, int n) {
  if (rank == 0)
    for (int i = 1; i < size; ++i)
      recv(t, out + (size_t)i * (size_t)n, n, i);
  else
    send(t, in, n, 0);
  wait_all(t);
}
static void alltoall(Target t, int n) {
  for (int i = 0; i < size; ++i)
    recv(t, out + (size_t)i * (size_t)n, n, i);
  for (int i = 0; i < size; ++i)
    send(t, in + (size_t)i * (size_t)n, n, i);
  wait_all(t);
}
/* The root adds what it receives, in turn, and sends the sum to all. */
static void allreduce(Target t, int n) {
  if (rank == 0) {
    copy(t, in, out, n);
    for (int i = 1; i < size; ++i)
      recv(t, temp + (size_t)i * (size_t)n, n, i);
    wait_all(t);
    for (int i = 1; i < size; ++i)
      sum(t, temp + (size_t)i * (size_t)n, out, n);
    for (int i = 1; i < size; ++i)
      send(t, out, n, i);
  } else {
    send(t, in, n, 0);
    recv(t, out, n, 0);
  }
  wait_all(t);
}

typedef void Pattern(Target, int);
static const struct {
  const char *name;
  Pattern *emit;
} patterns[] = {{"bcast", bcast}, {"gather", gather}, {"alltoall", alltoall}, {"allreduce", allreduce}};

static double slowest(double seconds) {
  double most = 0;
  MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

enum { PLAIN, CHOSEN, PHASE, FORCED, WAYS };

static comm_cdag_schedule *compile(const char *name, Pattern *emit, int n, int mode) {
  Target graph = {NULL, 0};
  comm_cdag_schedule *schedule = NULL;
  comm_cdag_create(MPI_COMM_WORLD, &graph.graph);
  emit(graph, n);
  comm_cdag_add_buffer_dependencies(graph.graph);
  comm_cdag_add_temporary(graph.graph, temp, (size_t)n * (size_t)size);
  comm_cdag_set_option(graph.graph, COMM_CDAG_OPT_MODE, mode);
  if (comm_cdag_compile(graph.graph, &schedule)) {
    fprintf(stderr, "%s: %s\n", name, comm_cdag_message(graph.graph));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  comm_cdag_free(&graph.graph);
  return schedule;
}

static void measure(const char *name, Pattern *emit, int n, int repetitions, double *times[WAYS + 1]) {
  Target plain = {NULL, 0}, phase = {NULL, 1};
  comm_cdag_schedule *chosen = compile(name, emit, n, 2);
  comm_cdag_schedule *forced = compile(name, emit, n, 1);
  static char sites[256][64];
  static int used;
  char *site = sites[used++ % 256];
  snprintf(site, sizeof sites[0], "%s, %d bytes", name, n);
  /* The first runs decide between original and replaced (COMM_CDAG_TRIALS). */
  enum { WARM_UP = 24 };
  for (int run = -WARM_UP; run < repetitions; ++run)
    for (int turn = 0; turn < WAYS; ++turn) {
      int way = (run + WARM_UP + turn) % WAYS;
      MPI_Barrier(MPI_COMM_WORLD);
      double begin = MPI_Wtime();
      if (way == PLAIN) {
        emit(plain, n);
      } else if (way == PHASE) {
        comm_cdag_phase_begin(site, MPI_COMM_WORLD);
        comm_cdag_phase_temporary(temp, (size_t)n * (size_t)size);
        emit(phase, n);
        comm_cdag_phase_end();
      } else {
        comm_cdag_run(way == CHOSEN ? chosen : forced);
      }
      double seconds = slowest(MPI_Wtime() - begin);
      if (run >= 0)
        times[way][run] = seconds;
    }
  comm_cdag_info info;
  comm_cdag_get_info(chosen, &info);
  double ratios[WAYS];
  for (int way = 0; way < WAYS; ++way) {
    for (int run = 0; run < repetitions; ++run)
      times[WAYS][run] = times[PLAIN][run] / times[way][run];
    qsort(times[WAYS], (size_t)repetitions, sizeof(double), by_value);
    ratios[way] = times[WAYS][repetitions / 2];
  }
  for (int way = 0; way < WAYS; ++way)
    qsort(times[way], (size_t)repetitions, sizeof(double), by_value);
  int middle = repetitions / 2;
  if (rank == 0) {
    static const char *const names[] = {"plain", "chosen", "phase", "forced"};
    printf("{\"pattern\": \"%s\", \"ranks\": %d, \"bytes\": %d, \"detected\": "
           "\"%s\", \"replaced\": %s, \"compile\": %.3e",
           name, size, n, comm_cdag_describe(chosen), info.replaced == 1 ? "true" : "false", info.compile_seconds);
    for (int way = 0; way < WAYS; ++way)
      printf(", \"%s\": [%.3e, %.3e, %.3f]", names[way], times[way][0], times[way][middle], ratios[way]);
    printf("}\n");
    fflush(stdout);
  }
  comm_cdag_schedule_free(&chosen);
  comm_cdag_schedule_free(&forced);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int repetitions = argc > 1 ? atoi(argv[1]) : 0, largest = 0;
  if (repetitions < 1 || argc < 3) {
    fprintf(stderr, "usage: linear REPETITIONS BYTES...\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int k = 2; k < argc; ++k)
    if (atoi(argv[k]) > largest)
      largest = atoi(argv[k]);
  size_t bytes = (size_t)largest * (size_t)size;
  in = calloc(bytes, 1);
  out = calloc(bytes, 1);
  temp = calloc(bytes, 1);
  double *times[WAYS + 1];
  for (int way = 0; way <= WAYS; ++way)
    times[way] = malloc(sizeof(double) * (size_t)repetitions);
  for (int k = 2; k < argc; ++k)
    for (int p = 0; p < 4; ++p)
      measure(patterns[p].name, patterns[p].emit, atoi(argv[k]), repetitions, times);
  for (int way = 0; way <= WAYS; ++way)
    free(times[way]);
  free(in);
  free(out);
  free(temp);
  MPI_Finalize();
  return 0;
}
