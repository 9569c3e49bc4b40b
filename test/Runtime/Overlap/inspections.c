// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop looks at as many of its indices as it can look at and execute while the message travels, for the numbers of
// iterations of several calls in turns, and at none if waits become short.
//
// REQUIRES: openmpi
// RUN: %mpicc -g -fsanitize=address,undefined -fno-sanitize-recover=all %s -L%comm_lib_dir -lCommOverlapPointer -o %t
// RUN: env ASAN_OPTIONS=detect_leaks=0 %t | FileCheck %s
// CHECK: first calls: 0 of 3
// CHECK: long waits: many of 300, all iterations
// CHECK: more iterations than waits allow: many of 300, some iterations
// CHECK: all or none of more iterations than waits allow: few of 300
// CHECK: one late message: many of 300, some iterations
// CHECK: short waits: few of 600
// CHECK: impossible numbers: few of 300
// CHECK: tiles in first calls: 0 of 3
// CHECK: tiles in long waits: many of 300, all iterations
// CHECK: tiles in shorter waits: many of 300, some iterations
// CHECK: tiles in short waits: few of 600
#include <stdint.h>
#include <stdio.h>

int comm_ask_inspects(int64_t *site, int64_t count, int64_t fewest) __asm__("comm.ask_inspects");
int comm_ask_inspected(int64_t *site, int64_t count) __asm__("comm.ask_inspected");
int comm_ask_waited(int64_t *site) __asm__("comm.ask_waited");
int comm_ask_inspects_tiles(int64_t *site) __asm__("comm.ask_inspects_tiles");
int comm_ask_goes_on(int64_t *site, int64_t inspected) __asm__("comm.ask_goes_on");

static uint64_t now(void) { return __builtin_ia32_rdtsc(); }
static void waitUntil(uint64_t time) {
  while (now() < time)
    ;
}

struct Result {
  int inspects;
  /* How many iterations the last calls looked at, on the average. */
  double part;
};

/// Calls that look at iterations in 100 ticks each, and execute those in another 200. The message takes `wait` ticks,
/// or 20 times as long in the call `late`.
static struct Result runLate(int64_t *site, int calls, int64_t count,
                             int64_t fewest, uint64_t wait, int late) {
  struct Result result = {0, 0};
  int last = 0;
  for (int i = 0; i < calls; ++i) {
    uint64_t begin = now();
    int64_t limit = comm_ask_inspects(site, count, fewest);
    if (limit) {
      if (limit < fewest || limit > count)
        printf("%ld of %ld are too many or too few\n", (long)limit,
               (long)count);
      ++result.inspects;
      waitUntil(now() + limit * 100);
      if (!comm_ask_inspected(site, limit))
        printf("is not inspected\n");
      waitUntil(now() + limit * 200);
      if (i >= calls / 2) {
        result.part += (double)limit / count;
        ++last;
      }
    }
    waitUntil(begin + (i == late ? 20 : 1) * wait);
    if (!comm_ask_waited(site))
      printf("has not waited\n");
  }
  result.part /= last ? last : 1;
  return result;
}

static struct Result run(int64_t *site, int calls, int64_t count,
                         int64_t fewest, uint64_t wait) {
  return runLate(site, calls, count, fewest, wait, -1);
}

/// Likewise, in tiles of 256 iterations.
static struct Result runTiles(int64_t *site, int calls, int64_t count,
                              uint64_t wait) {
  struct Result result = {0, 0};
  int last = 0;
  for (int i = 0; i < calls; ++i) {
    uint64_t begin = now();
    if (comm_ask_inspects_tiles(site)) {
      int64_t inspected = 0;
      int goesOn = 1;
      for (; goesOn && inspected < count; inspected += 256) {
        waitUntil(now() + 256 * 100);
        goesOn = comm_ask_goes_on(site, inspected + 256);
        waitUntil(now() + 256 * 200);
      }
      ++result.inspects;
      if (i >= calls / 2) {
        result.part += inspected < count ? (double)inspected / count : 1;
        ++last;
      }
    }
    waitUntil(begin + wait);
    if (!comm_ask_waited(site))
      printf("has not waited\n");
  }
  result.part /= last ? last : 1;
  return result;
}

static void tell(const char *what, struct Result result, int calls) {
  printf("%s: %s of %d", what,
         result.inspects > calls * 3 / 4 ? "many"
         : result.inspects < calls / 4   ? "few"
                                         : "some",
         calls);
  if (result.inspects > calls * 3 / 4)
    printf(", %s iterations", result.part > 0.9 ? "all"
                              : result.part > 0.15 && result.part < 0.6
                                  ? "some"
                                  : "too few or many");
  printf("\n");
}

int main(void) {
  int64_t site[10] = {0}, whole[10] = {0}, late[10] = {0}, other[10] = {0};
  printf("first calls: %d of 3\n", run(site, 3, 1000, 100, 1000000).inspects);
  tell("long waits", run(site, 300, 1000, 100, 1000000), 300);
  // A third of the iterations takes as long as the wait.
  tell("more iterations than waits allow", run(site, 300, 10000, 100, 1000000),
       300);
  tell("all or none of more iterations than waits allow",
       run(whole, 300, 10000, 10000, 1000000), 300);
  tell("one late message", runLate(late, 300, 10000, 100, 1000000, 140), 300);
  run(other, 100, 1000, 100, 1000000);
  tell("short waits", run(other, 600, 1000, 100, 1000), 600);
  tell("impossible numbers", run(other, 300, INT64_MAX, 100, 1000), 300);
  int64_t tiles[10] = {0}, shorter[10] = {0};
  printf("tiles in first calls: %d of 3\n",
         runTiles(tiles, 3, 1000, 1000000).inspects);
  tell("tiles in long waits", runTiles(tiles, 300, 1000, 1000000), 300);
  tell("tiles in shorter waits", runTiles(tiles, 300, 10000, 1000000), 300);
  runTiles(shorter, 100, 1000, 1000000);
  tell("tiles in short waits", runTiles(shorter, 600, 1000, 1000), 600);
  return 0;
}
