/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Whether a loop with index arrays looks at its indices to find the iterations that need not wait, where the result
 * cannot be kept (lib/Transforms/Overlap/Iterations/InspectorMeasurements.h). That takes a part of the loop's time, and
 * pays if the wait takes longer. Both are measured: the first times, and then in one of many, the loop waits as a
 * whole. Each answer is right; threads that ask at the same time may get one that does not pay.
 */
#include "Overlap.h"

#include <stdatomic.h>

/* The loop waits as a whole in the first calls, and then in one of so many. */
#define FIRST_CALLS 3
#define CALLS_OF_PROBE 32
/* Costs are those of so many iterations. */
#define ITERATIONS 1024

_Static_assert(sizeof(struct CommInspections) == 5 * sizeof(int64_t), "kNumbersOfInspections");

static int64_t readTicks(void) { return (int64_t)__builtin_ia32_rdtsc(); }
static int64_t get(const _Atomic int64_t *number) { return atomic_load_explicit(number, memory_order_relaxed); }
static void set(_Atomic int64_t *number, int64_t value) { atomic_store_explicit(number, value, memory_order_relaxed); }

/* Notes a measurement. A shorter one counts at once: the longer ones waited for a process that was late. */
static void note(_Atomic int64_t *number, int64_t measured) {
  int64_t known = get(number);
  set(number, known == 0 || measured < known ? measured : known + (measured - known) / 8);
}

__attribute__((noinline)) int comm_ask_inspects(struct CommInspections *site, int64_t count) {
  int64_t calls = get(&site->calls), wait = get(&site->wait), cost = get(&site->cost);
  set(&site->calls, calls + 1);
  int inspects = calls >= FIRST_CALLS && calls % CALLS_OF_PROBE != 0;
  /* Three quarters of the wait: the message may come earlier the next time. */
  if (inspects && cost > 0)
    inspects = count / ITERATIONS < INT64_MAX / 4 / cost && count * cost / ITERATIONS < wait / 4 * 3;
  set(&site->inspects, inspects);
  set(&site->begin, readTicks());
  return inspects;
}

__attribute__((noinline)) int comm_ask_inspected(struct CommInspections *site, int64_t count) {
  if (count > 0)
    note(&site->cost, 1 + (readTicks() - get(&site->begin)) * ITERATIONS / count);
  return 1;
}

__attribute__((noinline)) int comm_ask_waited(struct CommInspections *site) {
  if (!get(&site->inspects) && get(&site->begin) != 0)
    note(&site->wait, 1 + readTicks() - get(&site->begin));
  set(&site->begin, 0);
  return 1;
}
