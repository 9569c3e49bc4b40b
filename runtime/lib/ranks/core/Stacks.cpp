// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/Stacks.h"
#include "core/Rank.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>

namespace comm::ranks {

// The guard below each stack, large enough that functions with large frames do not skip it. An odd number of pages, so
// that stacks do not compete for the same sets of the second-level cache (with 64 KiB, an allreduce of 1,024 ranks took
// 50% longer).
static constexpr size_t guardBytes = 68 << 10;
static constexpr size_t helperBytes = 256 << 10;
static constexpr uint64_t pattern = 0x7261'6e6b'7374'6b21;
// Linux 6.13: a guard that does not take a separate mapping (madvise(2)).
static constexpr int adviceGuardInstall = 102;
// mprotect splits mappings, and a process may have only 65,530 (vm.max_map_count).
static constexpr int mostProtected = 30000;

static constexpr int shifts = 16;
static constexpr size_t shiftBytes = 128;

static char *base;
static size_t stride;
static int stacks;
bool stacksHaveCanaries = false;

struct HelperStack {
  char *low;
  HelperStack *next;
};
static std::atomic<HelperStack *> helpers{nullptr};

static bool guard(char *low, int count) {
  if (!madvise(low, guardBytes, adviceGuardInstall))
    return true;
  return count <= mostProtected && !mprotect(low, guardBytes, PROT_NONE);
}

static char *reserve(size_t bytes) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  // A huge page under each stack would take 2 MiB per rank.
  if (memory != MAP_FAILED)
    madvise(memory, bytes, MADV_NOHUGEPAGE);
  return memory == MAP_FAILED ? nullptr : static_cast<char *>(memory);
}

void makeStacks(int count, size_t bytes, Fiber *(*fiberOf)(int)) {
  stride = bytes + guardBytes;
  stacks = count;
  base = reserve(stride * count);
  if (!base)
    die(nullptr, 1,
        "no address space for %d stacks of %zu bytes (%s): make them smaller "
        "with COMM_RANKS_STACK, or run fewer ranks",
        count, bytes, strerror(errno));
  for (int i = 0; i < count; ++i) {
    char *low = base + i * stride;
    if (!stacksHaveCanaries && !guard(low, count)) {
      stacksHaveCanaries = true;
      // All stacks are checked, including earlier ones, which have guards.
      for (int j = 0; j < i; ++j)
        memcpy(base + j * stride + guardBytes, &pattern, sizeof(pattern));
    }
    if (stacksHaveCanaries)
      memcpy(low + guardBytes, &pattern, sizeof(pattern));
    Fiber *fiber = fiberOf(i);
    fiber->stack = low + guardBytes;
    // Shift the stacks: they would all begin at the same offset of a page and compete for the same few sets of the
    // first-level cache.
    fiber->stackBytes = bytes - i % shifts * shiftBytes;
  }
}

void makeHelperStack(Fiber *fiber) {
  char *low = reserve(helperBytes + guardBytes);
  if (!low)
    die(fiber->rank, 1, "no memory for the stack of a nonblocking collective");
  guard(low, 1);
  fiber->stack = low + guardBytes;
  fiber->stackBytes = helperBytes;
  auto *entry = new HelperStack{low, helpers.load()};
  while (!helpers.compare_exchange_weak(entry->next, entry))
    ;
}

bool isOverflow(const void *address, int &rank) {
  auto *at = static_cast<const char *>(address);
  if (base && at >= base && at < base + stride * stacks) {
    rank = (at - base) / stride;
    return (at - base) % stride < guardBytes;
  }
  for (HelperStack *s = helpers.load(); s; s = s->next)
    if (at >= s->low && at < s->low + guardBytes) {
      rank = -1;
      return true;
    }
  return false;
}

bool canaryIsBroken(const Fiber *fiber) {
  return stacksHaveCanaries && fiber->stack >= base && fiber->stack < base + stride * stacks &&
         memcmp(fiber->stack, &pattern, sizeof(pattern));
}

void checkCanary(const Fiber *fiber) {
  // The stack pointer is below the stack now, or was and the pattern is destroyed.
  bool isBelow = fiber->stack && static_cast<char *>(__builtin_frame_address(0)) < fiber->stack;
  if (isBelow || canaryIsBroken(fiber))
    die(fiber->rank, 1,
        "the stack of %zu bytes overflowed: set COMM_RANKS_STACK (commrun "
        "--stack) higher",
        fiber->stackBytes);
}

} // namespace comm::ranks
