/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * At how many indices a loop with index arrays looks to find iterations that need not wait, where the result cannot be
 * kept (lib/Transforms/Overlap/Iterations/InspectorMeasurements.h). That takes a part of the loop's time. It costs
 * nothing while the message travels, so the loop looks at as many iterations as it can look at and execute meanwhile;
 * the others wait. Where it can, it looks at a tile of iterations, executes them, and looks at the next ones; the
 * indices then come from the cache when they are needed again. All times are measured: the first times, and then in one
 * of many, the loop waits as a whole. Each answer is right; threads that ask at the same time may get one that does not
 * pay.
 */
#include "Overlap.h"

#include <limits.h>
#include <stdatomic.h>

/* The loop waits as a whole in the first calls, and then in one of so many. */
#define FIRST_CALLS 3
#define CALLS_OF_PROBE 32
/* Costs are those of so many iterations. */
#define ITERATIONS 1024
/* A loop does not begin with tiles if the wait is shorter than looking at so many of them. */
#define FEWEST_TILES 4

_Static_assert(sizeof(struct CommInspections) == 10 * sizeof(int64_t), "kNumbersOfInspections");

static int64_t readTicks(void) { return (int64_t)__builtin_ia32_rdtsc(); }
static int64_t get(const _Atomic int64_t *number) { return atomic_load_explicit(number, memory_order_relaxed); }
static void set(_Atomic int64_t *number, int64_t value) { atomic_store_explicit(number, value, memory_order_relaxed); }

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* Notes how long it took to look at indices. A shorter time counts at once: the longer ones were interrupted. */
static void noteCost(struct CommInspections *site, int64_t measured) {
  int64_t known = get(&site->cost);
  set(&site->cost, known == 0 || measured < known ? measured : known + least(measured - known, known) / 8);
}

/* Returns the second of three waits. Some are long because the sender was late once, and some short because this
 * process was. */
static int64_t getWait(struct CommInspections *site) {
  int64_t a = get(&site->waits[0]), b = get(&site->waits[1]), c = get(&site->waits[2]);
  return most(least(a, b), least(most(a, b), c));
}

static void noteWait(struct CommInspections *site, int64_t measured) {
  set(&site->waits[2], get(&site->waits[1]));
  set(&site->waits[1], get(&site->waits[0]));
  set(&site->waits[0], measured);
}

/* Returns how many iterations take so much time, if ITERATIONS of them take `cost`. Without a measurement, any number
 * may. */
static int64_t countWithin(int64_t time, int64_t cost) {
  if (cost <= 0)
    return INT64_MAX;
  return time < INT64_MAX / ITERATIONS ? time * ITERATIONS / cost : time / cost * ITERATIONS;
}

/* Counts a call, and returns whether the loop waits as a whole in it, which measures the wait. */
static int isProbe(struct CommInspections *site) {
  int64_t calls = get(&site->calls);
  set(&site->calls, calls + 1);
  return calls < FIRST_CALLS || calls % CALLS_OF_PROBE == 0;
}

/* Notes how many iterations the loop looks at, and that it begins now. */
static void noteLimit(struct CommInspections *site, int64_t limit, int isPart) {
  set(&site->limit, limit);
  set(&site->isPart, isPart);
  set(&site->inspected, 0);
  set(&site->begin, readTicks());
}

__attribute__((noinline)) int comm_ask_inspects(struct CommInspections *site, int64_t count, int64_t fewest) {
  int64_t wait = getWait(site), limit = 0;
  if (!isProbe(site)) {
    /* A little more than the wait: otherwise it would never turn out that more iterations are possible. */
    limit = most(countWithin(wait / 8 * 9, get(&site->pass)), fewest);
    /* Three quarters of the wait: the message may come earlier the next time. */
    limit = least(limit, countWithin(wait / 4 * 3, get(&site->cost)));
    limit = least(limit, least(count, INT_MAX));
    if (limit < fewest)
      limit = 0;
  }
  noteLimit(site, limit, limit < count);
  return (int)limit;
}

/* Tiles need no forecast: the loop goes on until the message should be there. `cost` is that of the first tile. */
__attribute__((noinline)) int comm_ask_inspects_tiles(struct CommInspections *site) {
  int begins = !isProbe(site) && getWait(site) / FEWEST_TILES >= get(&site->cost);
  noteLimit(site, begins ? INT64_MAX : 0, 0);
  return begins;
}

__attribute__((noinline)) int comm_ask_goes_on(struct CommInspections *site, int64_t inspected) {
  int64_t ticks = readTicks() - get(&site->begin), wait = getWait(site);
  if (get(&site->inspected) == 0)
    noteCost(site, ticks);
  set(&site->inspected, inspected);
  return ticks < wait + wait / 8;
}

__attribute__((noinline)) int comm_ask_inspected(struct CommInspections *site, int64_t count) {
  if (count > 0)
    noteCost(site, 1 + (readTicks() - get(&site->begin)) * ITERATIONS / count);
  set(&site->inspected, count);
  return 1;
}

/* Notes how long the iterations took that the loop has looked at and that did not wait. They took less if the message
 * came later. So only the shortest time counts, until it makes the loop look at a part of its iterations and they take
 * longer again and again. */
static void notePass(struct CommInspections *site, int64_t ticks) {
  int64_t inspected = get(&site->inspected), known = get(&site->pass);
  if (inspected <= 0)
    return;
  int64_t measured = 1 + ticks * ITERATIONS / inspected;
  if (known == 0 || measured < known)
    set(&site->pass, measured);
  else if (get(&site->isPart) && inspected >= get(&site->limit))
    set(&site->pass, known + least(measured - known, known / 64));
}

__attribute__((noinline)) int comm_ask_waited(struct CommInspections *site) {
  int64_t begin = get(&site->begin), ticks = readTicks() - begin;
  set(&site->begin, 0);
  if (begin == 0)
    return 1;
  if (get(&site->limit) == 0)
    noteWait(site, ticks);
  else
    notePass(site, ticks);
  return 1;
}
