/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Runs the programs of photon_gather.c and transpose.c (with messages), with
 * their communication unchanged and as a phase. Times the whole loop,
 * including computation. Both forms alternate; the first runs of a phase,
 * which compile and measure it, are reported separately.
 *
 *   apps ROUNDS ITERATIONS PHOTONS BINS CHUNK
 */
#include "comm/cdag.h"

#define main photon_main
#define next_uniform photon_uniform
#include "photon_gather.c"
#undef main
#define main transpose_main
#define rank transpose_rank
#define size transpose_size
#define run transpose_run
#include "transpose.c"
#undef main
#undef rank
#undef size
#undef run

static void collect_phase(const double *tally, int bins, double *all, int rank, int size) {
  comm_cdag_phase_begin("photon-gather", MPI_COMM_WORLD);
  if (rank == 0) {
    comm_cdag_phase_copy(tally, all, bins, MPI_DOUBLE);
    for (int from = 1; from < size; ++from)
      comm_cdag_phase_recv(all + (size_t)from * (size_t)bins, bins, MPI_DOUBLE, from, 7);
  } else {
    comm_cdag_phase_send(tally, bins, MPI_DOUBLE, 0, 7);
  }
  comm_cdag_phase_end();
}

static void exchange_phase(double *out, double *in, int chunk) {
  int n = chunk * chunk;
  comm_cdag_phase_begin("transpose", MPI_COMM_WORLD);
  for (int p = 0; p < transpose_size; ++p)
    comm_cdag_phase_recv(in + p * n, n, MPI_DOUBLE, p, 1);
  for (int p = 0; p < transpose_size; ++p)
    comm_cdag_phase_send(out + p * n, n, MPI_DOUBLE, p, 1);
  comm_cdag_phase_end();
}

static int processes, me;

static double photon_loop(int phase, int iterations, int photons, int bins, double *tally, double *all) {
  uint64_t state = 12345u + (uint64_t)me;
  double sum = 0;
  for (int k = 0; k < iterations; ++k) {
    follow(photons, bins, &state, tally);
    (phase ? collect_phase : collect)(tally, bins, all, me, processes);
    if (me == 0)
      for (int i = 0; i < bins * processes; ++i)
        sum += all[i] * (i % 7 + 1);
  }
  return sum;
}

static double transpose_loop(int phase, int iterations, int chunk, double *rows, double *out, double *in) {
  size_t cells = (size_t)chunk * (size_t)chunk * (size_t)processes;
  for (size_t i = 0; i < cells; ++i)
    rows[i] = (double)((i * 31 + (size_t)me * 17) % 101);
  for (int k = 0; k < iterations; ++k) {
    work(rows, chunk, chunk * processes);
    pack(rows, chunk, out);
    (phase ? exchange_phase : exchange_messages)(out, in, chunk);
    unpack(in, chunk, rows);
  }
  double sum = 0;
  for (size_t i = 0; i < cells; ++i)
    sum += rows[i] * (double)(i % 5 + 1);
  return sum;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  transpose_rank = me;
  transpose_size = processes;
  if (argc != 6) {
    fprintf(stderr, "usage: apps ROUNDS ITERATIONS PHOTONS BINS CHUNK\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  int rounds = atoi(argv[1]), iterations = atoi(argv[2]);
  int photons = atoi(argv[3]), bins = atoi(argv[4]), chunk = atoi(argv[5]);
  size_t cells = (size_t)chunk * (size_t)chunk * (size_t)processes;
  double *tally = calloc((size_t)bins, sizeof(double));
  double *all = calloc((size_t)bins * (size_t)processes, sizeof(double));
  double *rows = calloc(cells, sizeof(double));
  double *out = calloc(cells, sizeof(double));
  double *in = calloc(cells, sizeof(double));
  const char *names[] = {"photon-gather", "transpose"};
  for (int app = 0; app < 2; ++app) {
    double best[2] = {1e30, 1e30}, first = 0;
    for (int round = 0; round <= rounds; ++round) {
      double sums[2];
      for (int phase = 0; phase < 2; ++phase) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        sums[phase] = app == 0 ? photon_loop(phase, iterations, photons, bins, tally, all)
                               : transpose_loop(phase, iterations, chunk, rows, out, in);
        double mine = MPI_Wtime() - begin, seconds;
        MPI_Allreduce(&mine, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (round == 0)
          first = phase ? seconds : 0; /* includes compilation and trials */
        else if (seconds < best[phase])
          best[phase] = seconds;
      }
      if (sums[0] != sums[1]) {
        fprintf(stderr, "%s: results differ: %.17g, %.17g\n", names[app], sums[0], sums[1]);
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
    }
    if (me == 0)
      printf("{\"app\": \"%s\", \"ranks\": %d, \"iterations\": %d, "
             "\"plain_seconds\": %.6f, \"phase_seconds\": %.6f, "
             "\"first_seconds\": %.6f}\n",
             names[app], processes, iterations, best[0], best[1], first);
  }
  free(tally);
  free(all);
  free(rows);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
