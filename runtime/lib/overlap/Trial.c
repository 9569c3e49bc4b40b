/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loops that can run in two parts, one of them while messages travel, are timed
 * both ways, and stay what took less: whether a second loop pays depends on the
 * wire, of which a compiler knows nothing. Either way each iteration computes
 * what it computes, so that each process decides for itself, and threads that
 * garble each other's figures lose time at most.
 */
#include "Overlap.h"

#include <stdatomic.h>

enum {
  SITES = 127, /* in seven bits of a token, from 1 */
  /* Pairs of a whole and a split run in a trial. The first run of all sets up connections, and is no sample. */
  MOST_PAIRS = 3,
  /* The next trial, in runs of the site: then twice as late each time, up to the last one. */
  FIRST_REPETITION = 64,
  LONGEST_PAUSE = 1024,
};

struct Site {
  _Atomic uint64_t key;      /* 0: free */
  _Atomic uint64_t runs;     /* since the program began */
  _Atomic uint64_t nextRun;  /* of the next trial */
  _Atomic uint64_t least[2]; /* ticks of the fastest run of this trial: split, whole */
  _Atomic uint32_t samples[2];
  _Atomic unsigned char isWhole, isTried;
};
static struct Site sites[SITES];

static uint64_t get(_Atomic uint64_t *value) { return atomic_load_explicit(value, memory_order_relaxed); }
static void set(_Atomic uint64_t *value, uint64_t to) { atomic_store_explicit(value, to, memory_order_relaxed); }
static uint32_t getSamples(struct Site *site, int isWhole) {
  return atomic_load_explicit(&site->samples[isWhole], memory_order_relaxed);
}

static void beginTrial(struct Site *site) {
  for (int isWhole = 0; isWhole < 2; ++isWhole) {
    set(&site->least[isWhole], UINT64_MAX);
    atomic_store_explicit(&site->samples[isWhole], 0, memory_order_relaxed);
  }
  atomic_store_explicit(&site->isTried, 1, memory_order_relaxed);
}

/* Its number from 1; 0 if there are too many. */
static unsigned findSite(uint64_t key) {
  for (unsigned i = 0; i < SITES; ++i) {
    unsigned index = (unsigned)((key + i) % SITES);
    uint64_t found = get(&sites[index].key);
    if (found == key || (found == 0 && atomic_compare_exchange_strong(&sites[index].key, &found, key)) || found == key)
      return index + 1;
  }
  return 0;
}

/* Few iterations and many are different loops: levels of a multigrid. Never 0. */
static uint64_t makeKey(uint64_t site, int64_t count) {
  unsigned bits = count > 0 ? 64 - (unsigned)__builtin_clzll((uint64_t)count) : 0;
  uint64_t key = (site + bits) * UINT64_C(0x9e3779b97f4a7c15);
  return key ? key : 1;
}

uint64_t comm_decide_split(uint64_t key, int64_t count) {
  unsigned number = findSite(makeKey(key, count));
  if (!number)
    return 0;
  struct Site *site = &sites[number - 1];
  uint64_t run = atomic_fetch_add_explicit(&site->runs, 1, memory_order_relaxed);
  if (run == 0) {
    beginTrial(site);
    return 0;
  }
  if (!atomic_load_explicit(&site->isTried, memory_order_relaxed)) {
    if (run < get(&site->nextRun))
      return atomic_load_explicit(&site->isWhole, memory_order_relaxed) ? COMM_RUNS_WHOLE : 0;
    beginTrial(site);
  }
  uint64_t isWhole = getSamples(site, 0) > getSamples(site, 1) ? COMM_RUNS_WHOLE : 0;
  return (comm_read_ticks() & ~(uint64_t)0xff) | number << 1 | isWhole;
}

/* Once both forms have run equally often: whether that is enough, and what it is to be from now on. Where the split
 * form was faster by a thirtieth it stays; one slow run of it proves nothing. */
static int decide(struct Site *site, uint32_t pairs, unsigned char *isWhole) {
  uint64_t split = get(&site->least[0]), whole = get(&site->least[1]);
  *isWhole = whole <= split;
  return split + split / 32 < whole || pairs >= MOST_PAIRS || (pairs > 1 && whole + whole / 64 < split);
}

uint64_t comm_ask_split(uint64_t key, int64_t count) {
  return __builtin_expect(!comm_ask_spans_nodes(), 1) ? COMM_RUNS_WHOLE : comm_decide_split(key, count);
}

void comm_call_end_split(uint64_t token) {
  unsigned number = token >> 1 & 0x7f;
  if (!number)
    return;
  struct Site *site = &sites[number - 1];
  int which = token & COMM_RUNS_WHOLE;
  uint64_t ticks = comm_read_ticks() - (token & ~(uint64_t)0xff);
  if (ticks < get(&site->least[which]))
    set(&site->least[which], ticks);
  atomic_fetch_add_explicit(&site->samples[which], 1, memory_order_relaxed);
  uint32_t pairs = getSamples(site, 0);
  unsigned char isWhole;
  if (pairs != getSamples(site, 1) || !decide(site, pairs, &isWhole))
    return;
  uint64_t runs = get(&site->runs), pause = runs > LONGEST_PAUSE ? LONGEST_PAUSE : runs;
  set(&site->nextRun, runs < FIRST_REPETITION / 2 ? FIRST_REPETITION : runs + pause);
  atomic_store_explicit(&site->isWhole, isWhole, memory_order_relaxed);
  atomic_store_explicit(&site->isTried, 0, memory_order_relaxed);
}
