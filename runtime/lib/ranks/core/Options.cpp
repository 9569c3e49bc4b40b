// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/Options.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace comm::ranks {

static constexpr size_t page = 4096;

static long long readNumber(const char *name, long long otherwise, long long least, long long most) {
  const char *text = getenv(name);
  if (!text || !*text)
    return otherwise;
  char *end = nullptr;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (!errno && !*end && value >= least && value <= most)
    return value;
  fprintf(stderr,
          "comm-ranks: error: %s is '%s': expected a whole number from %lld to "
          "%lld\n",
          name, text, least, most);
  exit(2);
}

Options readOptions() {
  Options options;
  options.perThread = readNumber("COMM_RANKS_PER_THREAD", 1, 1, 1 << 24);
  options.threads = readNumber("COMM_RANKS_THREADS", 1, 1, 4096);
  long long inProcess = static_cast<long long>(options.perThread) * options.threads;
  if (inProcess > 1 << 24) {
    fprintf(stderr,
            "comm-ranks: error: COMM_RANKS_PER_THREAD times COMM_RANKS_THREADS "
            "is %lld: at most %d ranks run in one process\n",
            inProcess, 1 << 24);
    exit(2);
  }
  // A process's main thread has 8 MiB. Address space is free, but page tables are not: with many ranks, stacks are
  // small enough to share a page of them.
  long long usual = inProcess <= 1024 ? 8 << 20 : 1 << 20;
  long long stack = readNumber("COMM_RANKS_STACK", usual, 4 * page, 1ll << 32);
  options.stackBytes = (stack + page - 1) / page * page;
  options.combineMicroseconds = readNumber("COMM_RANKS_COMBINE", options.combineMicroseconds, 0, 1000000);
  options.statistics = readNumber("COMM_RANKS_STATISTICS", 0, 0, 1) != 0;
  return options;
}

} // namespace comm::ranks
