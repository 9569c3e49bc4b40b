// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of small gathers, whose processes vote on their form (Votes.c).
#ifndef COMM_TEST_GATHERS_H
#define COMM_TEST_GATHERS_H
#include "soundness.h"

// The calls before the first vote.
enum { first = 32 };
// Microseconds of computation: less than 1/33 of a gather does not pay.
enum { none = 0, little = 20, much = 50 };

// Of network.c.
extern long now;
extern int started;

static double values[256];
static int in = 1, out[8];

/// Takes that many microseconds.
static inline __attribute__((always_inline)) void compute(int microseconds) {
  for (int i = 0; i < microseconds; ++i)
    values[i & 255] = values[i & 255] * 0.5 + 1;
  now += microseconds;
}

/// The next number to send.
static inline int next(int i) { return (out[0] + 2 * out[1] + i) & 7; }

/// Overlaps its computation. Returns a sum of what was received, as `gatherFirst`.
NOINLINE static unsigned gather(MPI_Comm comm, int times, int microseconds) {
  static volatile int known; // not for the compiler
  known = microseconds;
  microseconds = known;
  unsigned sum = 0;
  for (int i = 0; i < times; ++i) {
    MPI_Allgather(&in, 1, MPI_INT, out, 1, MPI_INT, comm);
    compute(microseconds);
    in = next(i);
    sum = sum * 3 + in;
  }
  return sum;
}

/// Prints how many calls since the last time were nonblocking.
__attribute__((noinline, unused)) static void sayStarted(const char *what) {
  say(what, started);
  started = 0;
}

// Of gather-first.c. The first one overlaps nothing, the other one fails.
unsigned gatherFirst(MPI_Comm comm, int times, int microseconds);
int gatherWrongly(MPI_Comm comm);
#endif
