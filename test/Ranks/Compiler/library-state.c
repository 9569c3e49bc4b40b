// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C library's state: each rank gets what a separate process would, or the compiler warns.
//
// RUN: %clang -O1 -c %fake_runtime -o %t.runtime.o
// RUN: %clang -O1 %ranks_flags -c %s -o %t.o
// RUN: %clang %t.o %t.runtime.o %ranks_start -o %t
// RUN: %t file -abx 7 --name=value -- -last > %t.out
// RUN: %clang -O1 -DPLAIN %s -o %t.plain
// RUN: %t.plain file -abx 7 --name=value -- -last > %t.expected
// RUN: %t.plain file -abx 7 --name=value -- -last >> %t.expected
// RUN: diff %t.expected %t.out
// RUN: FileCheck --input-file=%t.out %s
// CHECK: rand 1804289383
// CHECK: option x 7
// CHECK: argument file
// CHECK: argument -last
//
// RUN: %clang -O1 -DWARN %ranks_flags -c %s -o %t.warn.o 2>&1 | FileCheck --check-prefix=WARN %s
// WARN-DAG: library-state.c:[[#@LINE+17]]:3: warning: 'setlocale' changes the locale of all ranks of a process [-Wpass-failed=comm-privatize-globals]
// WARN-DAG: library-state.c:[[#@LINE+17]]:3: warning: 'signal' changes the handler of the signal of all ranks
// WARN-DAG: library-state.c:[[#@LINE+17]]:9: warning: 'clock' measures the time of all ranks of a process

#include <getopt.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int inThread = 3;

#ifdef WARN
void warn(void) {
  setlocale(LC_ALL, "");
  signal(SIGINT, SIG_DFL);
  srand(clock());
}
#endif

// A thread that the rank starts sees the rank's variables.
static void *count(void *unused) {
  inThread += 4;
  return unused;
}

int main(int argc, char **argv) {
  static const struct option names[] = {{"name", required_argument, NULL, 'n'}, {NULL, 0, NULL, 0}};
  char text[] = "one two;three", *copy[8];
  time_t now = 1000000000;
  pthread_t thread;
  int option;
  // getopt moves the words.
  for (int i = 0; i < argc; ++i)
    copy[i] = argv[i];
  copy[argc] = NULL;
  printf("rand %d", rand());
  srand(5);
  printf(" %d %ld", rand(), random());
  srand48(7);
  printf(" %f %ld %ld\n", drand48(), lrand48(), mrand48());
  while ((option = getopt_long(argc, copy, "abx:", names, NULL)) != -1)
    printf("option %c %s\n", option, optarg ? optarg : "-");
  for (; optind < argc; ++optind)
    printf("argument %s\n", copy[optind]);
  for (char *word = strtok(text, " "); word; word = strtok(NULL, ";"))
    printf("word %s\n", word);
  printf("%d %s", gmtime(&now)->tm_hour, asctime(gmtime(&now)));
  pthread_create(&thread, NULL, count, NULL);
  pthread_join(thread, NULL);
  printf("in thread %d\n", inThread);
  return 0;
}
