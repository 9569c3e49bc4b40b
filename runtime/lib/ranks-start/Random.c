/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The C library's random numbers, with a generator per rank: the same seeds give the same numbers as in a separate
 * process (ISO C 7.24.2, POSIX random and drand48).
 */
#define _GNU_SOURCE
#include "RankStorage.h"

#include <stdlib.h>

/* POSIX: random() has 31 words of state by default; so does glibc's rand(). */
COMM_RANK_DATA static char words[128];
COMM_RANK_DATA static struct random_data generator;
COMM_RANK_DATA static int seeded;
COMM_RANK_DATA static struct drand48_data generator48;

static void seed_with(unsigned seed) {
  struct random_data *data = &COMM_RANK(generator);
  if (COMM_RANK(seeded)) {
    srandom_r(seed, data);
    return;
  }
  initstate_r(seed, COMM_RANK(words), sizeof words, data);
  COMM_RANK(seeded) = 1;
}

long comm_ranks_random(void) {
  int32_t value = 0;
  if (!COMM_RANK(seeded))
    seed_with(1);
  random_r(&COMM_RANK(generator), &value);
  return value;
}

int comm_ranks_rand(void) { return (int)comm_ranks_random(); }
void comm_ranks_srand(unsigned seed) { seed_with(seed); }
void comm_ranks_srandom(unsigned seed) { seed_with(seed); }

void comm_ranks_srand48(long seed) { srand48_r(seed, &COMM_RANK(generator48)); }

double comm_ranks_drand48(void) {
  double value = 0;
  drand48_r(&COMM_RANK(generator48), &value);
  return value;
}

long comm_ranks_lrand48(void) {
  long value = 0;
  lrand48_r(&COMM_RANK(generator48), &value);
  return value;
}

long comm_ranks_mrand48(void) {
  long value = 0;
  mrand48_r(&COMM_RANK(generator48), &value);
  return value;
}

/* Moves the state to the caller's memory, and returns the previous state (POSIX initstate). */
char *comm_ranks_initstate(unsigned seed, char *state, size_t bytes) {
  struct random_data *data = &COMM_RANK(generator);
  char *before;
  if (!COMM_RANK(seeded))
    seed_with(1);
  before = (char *)&data->state[-1];
  return initstate_r(seed, state, bytes, data) < 0 ? NULL : before;
}

char *comm_ranks_setstate(char *state) {
  struct random_data *data = &COMM_RANK(generator);
  char *before;
  if (!COMM_RANK(seeded))
    seed_with(1);
  before = (char *)&data->state[-1];
  return setstate_r(state, data) < 0 ? NULL : before;
}

unsigned short *comm_ranks_seed48(unsigned short seed[3]) {
  struct drand48_data *data = &COMM_RANK(generator48);
  seed48_r(seed, data);
  return data->__old_x;
}

void comm_ranks_lcong48(unsigned short parameters[7]) { lcong48_r(parameters, &COMM_RANK(generator48)); }

/* The caller passes the state, but lcong48 also sets the factor of these functions. */

double comm_ranks_erand48(unsigned short state[3]) {
  double value = 0;
  erand48_r(state, &COMM_RANK(generator48), &value);
  return value;
}

long comm_ranks_nrand48(unsigned short state[3]) {
  long value = 0;
  nrand48_r(state, &COMM_RANK(generator48), &value);
  return value;
}

long comm_ranks_jrand48(unsigned short state[3]) {
  long value = 0;
  jrand48_r(state, &COMM_RANK(generator48), &value);
  return value;
}
