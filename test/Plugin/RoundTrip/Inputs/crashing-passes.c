// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preloaded into the compiler: the first TEST_CRASHES processes that run passes end as TEST_END says: with a signal, or
// with a fatal error.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int children;

pid_t fork(void) {
  ++children;
  return ((pid_t (*)(void))dlsym(RTLD_NEXT, "fork"))();
}

/// The child's output goes to a log, just before the passes start.
int dup2(int from, int to) {
  int result = ((int (*)(int, int))dlsym(RTLD_NEXT, "dup2"))(from, to);
  const char *crashes = getenv("TEST_CRASHES"), *end = getenv("TEST_END");
  if (to != STDERR_FILENO || children == 0 || !crashes || children > atoi(crashes))
    return result;
  if (!end || strcmp(end, "fatal"))
    raise(SIGSEGV);
  static const char text[] = "LLVM ERROR: nobody thought of this\n";
  _exit(write(STDERR_FILENO, text, sizeof(text) - 1) > 0);
}
