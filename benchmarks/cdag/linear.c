/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Linear patterns as programs write them, with plain MPI, as a graph and as a
 * phase for which the runtime chooses, and as a graph that is always replaced.
 * For each pattern and size process 0 prints one JSON object: the
 * seconds per run of the slowest process (minimum and median of all runs, and
 * the median ratio of plain MPI to this form in the same round), whether
 * the runtime chose to replace it, and the seconds of compilation.
 *
 * Each form is compared with plain MPI only, both equally often and in random
 * order, and the clock is synchronized on a communicator of its own. Many
 * processes share a core, and of two equal forms the one whose code and
 * memory were used last is some percent faster.
 *
 *   linear REPETITIONS BYTES...
 */
#include "comm/cdag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static MPI_Comm clock_comm; /* synchronizes the measurement */
static unsigned seed = 1;   /* the same on all processes */
static char *in, *out, *temp;
static MPI_Request requests[4096];
static int pending;

/* How an operation is emitted. */
typedef struct {
  comm_cdag *graph; /* null, if not a phase: plain MPI */
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
/* The root adds the contributions that it receives, in order, and sends the sum to all. */
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
  MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, clock_comm);
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

/* The forms of one pattern. */
typedef struct {
  const char *site;
  Pattern *emit;
  int bytes;
  comm_cdag_schedule *chosen, *forced;
} Subject;

static double run_once(const Subject *subject, int way) {
  Target plain = {NULL, 0}, phase = {NULL, 1};
  MPI_Barrier(clock_comm);
  double begin = MPI_Wtime();
  if (way == PLAIN) {
    subject->emit(plain, subject->bytes);
  } else if (way == PHASE) {
    comm_cdag_phase_begin(subject->site, MPI_COMM_WORLD);
    comm_cdag_phase_temporary(temp, (size_t)subject->bytes * (size_t)size);
    subject->emit(phase, subject->bytes);
    comm_cdag_phase_end();
  } else {
    comm_cdag_run(way == CHOSEN ? subject->chosen : subject->forced);
  }
  return slowest(MPI_Wtime() - begin);
}

/* Minimum and median of the seconds, the median ratio of plain MPI to this form in the same round, and the median of
 * plain MPI in these rounds. */
typedef struct {
  double least, median, ratio, plain;
} Result;

static Result summarize(double *seconds, const double *plain, int count) {
  static double ratios[1 << 16], beside[1 << 16];
  for (int run = 0; run < count; ++run)
    ratios[run] = plain[run] / seconds[run], beside[run] = plain[run];
  qsort(ratios, (size_t)count, sizeof(double), by_value);
  qsort(beside, (size_t)count, sizeof(double), by_value);
  qsort(seconds, (size_t)count, sizeof(double), by_value);
  Result result = {seconds[0], seconds[count / 2], ratios[count / 2], beside[count / 2]};
  return result;
}

static void print_result(const char *name, Result result) {
  printf(", \"%s\": [%.3e, %.3e, %.3f, %.3e]", name, result.least, result.median, result.ratio, result.plain);
}

static void measure(const char *name, Pattern *emit, int n, int repetitions, double *plain, double *other) {
  /* The runtime keeps the pointer to a phase's name. */
  static char sites[256][64];
  static int used;
  char *site = sites[used++ % 256];
  snprintf(site, sizeof sites[0], "%s, %d bytes", name, n);
  Subject subject = {site, emit, n, compile(name, emit, n, 2), compile(name, emit, n, 1)};
  Result results[WAYS];
  /* The first runs decide between original and replaced (COMM_CDAG_TRIALS). */
  enum { WARM_UP = 24 };
  for (int way = CHOSEN; way < WAYS; ++way) {
    for (int run = -WARM_UP; run < repetitions; ++run) {
      int first = rand_r(&seed) % 2;
      for (int turn = 0; turn < 2; ++turn) {
        int is_plain = turn == first;
        double seconds = run_once(&subject, is_plain ? PLAIN : way);
        if (run >= 0)
          (is_plain ? plain : other)[run] = seconds;
      }
    }
    results[way] = summarize(other, plain, repetitions);
    if (way == CHOSEN)
      results[PLAIN] = summarize(plain, plain, repetitions);
  }
  comm_cdag_info info;
  comm_cdag_get_info(subject.chosen, &info);
  if (rank == 0) {
    static const char *const names[] = {"plain", "chosen", "phase", "forced"};
    printf("{\"pattern\": \"%s\", \"ranks\": %d, \"bytes\": %d, \"detected\": "
           "\"%s\", \"replaced\": %s, \"compile\": %.3e",
           name, size, n, comm_cdag_describe(subject.chosen), info.replaced == 1 ? "true" : "false",
           info.compile_seconds);
    for (int way = 0; way < WAYS; ++way)
      print_result(names[way], results[way]);
    printf("}\n");
    fflush(stdout);
  }
  comm_cdag_schedule_free(&subject.chosen);
  comm_cdag_schedule_free(&subject.forced);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &clock_comm);
  int repetitions = argc > 1 ? atoi(argv[1]) : 0, largest = 0;
  if (repetitions < 1 || repetitions > 1 << 16 || argc < 3) {
    fprintf(stderr, "usage: linear REPETITIONS BYTES...   (at most 65536 repetitions)\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int k = 2; k < argc; ++k)
    if (atoi(argv[k]) > largest)
      largest = atoi(argv[k]);
  size_t bytes = (size_t)largest * (size_t)size;
  in = calloc(bytes, 1);
  out = calloc(bytes, 1);
  temp = calloc(bytes, 1);
  double *plain = malloc(sizeof(double) * (size_t)repetitions);
  double *other = malloc(sizeof(double) * (size_t)repetitions);
  for (int k = 2; k < argc; ++k)
    for (int p = 0; p < 4; ++p)
      measure(patterns[p].name, patterns[p].emit, atoi(argv[k]), repetitions, plain, other);
  free(plain);
  free(other);
  MPI_Comm_free(&clock_comm);
  free(in);
  free(out);
  free(temp);
  MPI_Finalize();
  return 0;
}
