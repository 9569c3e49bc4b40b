// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop looks at its indices if that takes less time than the wait, for the numbers of iterations of several calls in
// turns, and stops if waits become short.
//
// REQUIRES: openmpi
// RUN: %mpicc -g -fsanitize=address,undefined -fno-sanitize-recover=all %s -L%comm_lib_dir -lCommOverlapPointer -o %t
// RUN: env ASAN_OPTIONS=detect_leaks=0 %t | FileCheck %s
// CHECK: first calls: 0 of 3
// CHECK: long waits: many of 300
// CHECK: more iterations than waits allow: few of 300
// CHECK: short waits: few of 600
// CHECK: impossible numbers: few of 300
#include <stdint.h>
#include <stdio.h>

int comm_ask_inspects(int64_t *site, int64_t count);
int comm_ask_inspected(int64_t *site, int64_t count);
int comm_ask_waited(int64_t *site);

static void spend(uint64_t ticks) {
  uint64_t begin = __builtin_ia32_rdtsc();
  while (__builtin_ia32_rdtsc() - begin < ticks)
    ;
}

/// Returns how many of the calls inspect: `count` iterations of 100 ticks, and a wait of that many ticks.
static int run(int64_t *site, int calls, int64_t count, uint64_t wait) {
  int inspects = 0;
  for (int i = 0; i < calls; ++i) {
    if (comm_ask_inspects(site, count)) {
      ++inspects;
      spend(count < 10000 ? count * 100 : 100);
      if (!comm_ask_inspected(site, count))
        printf("is not inspected\n");
    }
    spend(wait);
    if (!comm_ask_waited(site))
      printf("has not waited\n");
  }
  return inspects;
}

static void tell(const char *what, int inspects, int calls) {
  printf("%s: %s of %d\n", what,
         inspects > calls * 3 / 4 ? "many"
         : inspects < calls / 4   ? "few"
                                  : "some",
         calls);
}

int main(void) {
  int64_t site[5] = {0};
  printf("first calls: %d of 3\n", run(site, 3, 1000, 1000000));
  tell("long waits", run(site, 300, 1000, 1000000), 300);
  tell("more iterations than waits allow", run(site, 300, 100000, 1000), 300);
  int64_t other[5] = {0};
  run(other, 100, 1000, 1000000);
  tell("short waits", run(other, 600, 1000, 1000), 600);
  tell("impossible numbers", run(other, 300, INT64_MAX, 1000), 300);
  return 0;
}
