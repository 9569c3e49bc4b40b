// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the parameters of the virtualization ratio's model on a machine (docs/vratio.md). Built with commcc
// -fcomm-ranks and run by `comm-vratio calibrate`, with the kind of measurement as its argument:
//
//   calibrate core       two ranks of one core
//   calibrate single     one rank
//   calibrate network    two processes of V ranks each; rank i and i + V exchange
//
// Prints lines "name value", in seconds and bytes per second. Each figure is the best of several rounds, since other
// load on the machine only increases times.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 8, LARGE = 1 << 20, ROUNDS = 7, HALO = 8192 };

static char *buffer, *other;
static int rank, ranks;

static double least(double a, double b) { return a < b ? a : b; }

// Returns the time of a message in one direction between this rank and `peer`.
static double ping_pong(int peer, int bytes, int exchanges) {
  double best = 1e30;
  for (int round = 0; round < ROUNDS; ++round) {
    double start = MPI_Wtime();
    for (int i = 0; i < exchanges; ++i)
      if (rank < peer) {
        MPI_Send(buffer, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
        MPI_Recv(other, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else {
        MPI_Recv(other, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(buffer, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
      }
    best = least(best, (MPI_Wtime() - start) / (2.0 * exchanges));
  }
  return best;
}

// Returns the time of a call that finds nothing and lets the other rank, if any, run.
static double look(int calls) {
  double best = 1e30;
  for (int round = 0; round < ROUNDS; ++round) {
    int found = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < calls; ++i)
      MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    best = least(best, (MPI_Wtime() - start) / calls);
  }
  return best;
}

// Returns the time of MPI_Isend or MPI_Irecv with its share of MPI_Waitall: messages to oneself never wait.
static double call(int messages) {
  double best = 1e30;
  for (int round = 0; round < ROUNDS; ++round) {
    double start = MPI_Wtime();
    for (int i = 0; i < messages; ++i) {
      MPI_Request requests[2];
      MPI_Irecv(other, SMALL, MPI_BYTE, rank, 1, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(buffer, SMALL, MPI_BYTE, rank, 1, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    best = least(best, (MPI_Wtime() - start) / (2.0 * messages));
  }
  return best;
}

static void core(void) {
  double yield = look(20000);
  double small = ping_pong(1 - rank, SMALL, 20000), large = ping_pong(1 - rank, LARGE, 50);
  if (rank == 0) {
    // Both ranks make one call each within this time, with two switches.
    printf("yield_s %.12g\n", yield / 2);
    printf("shared_latency_s %.12g\n", small);
    printf("shared_bandwidth %.12g\n", LARGE / (large > small ? large - small : large));
  }
}

static void single(void) {
  printf("look_s %.12g\n", look(20000));
  printf("call_s %.12g\n", call(20000));
}

static volatile unsigned sink;

static void work(long steps) {
  unsigned x = sink;
  for (long i = 0; i < steps; ++i)
    x = x * 1664525u + 1013904223u + (unsigned)i;
  sink = x;
}

// Returns the time that a message over the network takes from a core that computes meanwhile, in calls and in kernel
// interrupts: compares a computation longer than the latency with and without an exchange around it.
static double stolen(int peer, double latency) {
  long steps = 100000;
  double goal = 3 * latency + 1e-3, took = 0;
  do {
    steps *= 2;
    double start = MPI_Wtime();
    work(steps);
    took = MPI_Wtime() - start;
  } while (took < goal && steps < 1000000000);
  MPI_Allreduce(MPI_IN_PLACE, &steps, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  double with = 1e30, without = 1e30;
  for (int round = 0; round < 3 * ROUNDS; ++round) {
    MPI_Request requests[2];
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    MPI_Irecv(other, HALO, MPI_BYTE, peer, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(buffer, HALO, MPI_BYTE, peer, 2, MPI_COMM_WORLD, &requests[1]);
    work(steps);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    with = least(with, MPI_Wtime() - start);
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    work(steps);
    without = least(without, MPI_Wtime() - start);
  }
  double mean = with - without, sum = 0;
  MPI_Allreduce(&mean, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum > 2e-7 ? sum / 2 : 1e-7;
}

static void network(void) {
  int pairs = ranks / 2, peer = rank < pairs ? rank + pairs : rank - pairs;
  double latency = 0;
  if (pairs == 1) {
    latency = ping_pong(peer, SMALL, 10);
    double cost = stolen(peer, latency);
    if (rank == 0)
      printf("network_latency_s %.12g\nnetwork_call_s %.12g\n", latency, cost);
  }
  // All pairs concurrently, in one direction, with several messages in flight.
  enum { MESSAGES = 4 };
  double best = 1e30;
  for (int round = 0; round < 3; ++round) {
    MPI_Request requests[MESSAGES];
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime(), took, longest;
    for (int i = 0; i < MESSAGES; ++i)
      if (rank < pairs)
        MPI_Isend(buffer, LARGE, MPI_BYTE, peer, 3, MPI_COMM_WORLD, &requests[i]);
      else
        MPI_Irecv(other + (size_t)i * LARGE, LARGE, MPI_BYTE, peer, 3, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
    took = rank < pairs ? 0 : MPI_Wtime() - start;
    MPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    best = least(best, longest);
  }
  if (rank == 0)
    printf("network_stream_bandwidth %.12g\n",
           (double)pairs * MESSAGES * LARGE / (best > latency ? best - latency : best));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  buffer = calloc(1, LARGE);
  other = calloc(4, LARGE);
  if (!buffer || !other)
    MPI_Abort(MPI_COMM_WORLD, 1);
  memset(other, 1, 4 * (size_t)LARGE);
  const char *what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "core") && ranks == 2) {
    core();
  } else if (!strcmp(what, "single") && ranks == 1) {
    single();
  } else if (!strcmp(what, "network") && ranks % 2 == 0) {
    network();
  } else {
    if (rank == 0)
      fprintf(stderr, "calibrate: error: '%s' with %d ranks: it is run by comm-vratio calibrate\n", what, ranks);
    MPI_Finalize();
    return 2;
  }
  free(buffer);
  free(other);
  MPI_Finalize();
  return 0;
}
