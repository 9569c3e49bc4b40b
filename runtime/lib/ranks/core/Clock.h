// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file A clock that costs a few nanoseconds, for approximate times.
#ifndef COMM_RANKS_CLOCK_H
#define COMM_RANKS_CLOCK_H

#include <cstdint>
#include <time.h>

#ifdef __x86_64__
#include <x86intrin.h>
#endif

namespace comm::ranks {

/// Approximately: processors count from 2,000 to 4,000.
constexpr uint64_t ticksPerMicrosecond = 2500;

inline uint64_t ticks() {
#ifdef __x86_64__
  return __rdtsc();
#else
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * ticksPerMicrosecond * 1000000 + now.tv_nsec * ticksPerMicrosecond / 1000;
#endif
}

} // namespace comm::ranks

#endif
