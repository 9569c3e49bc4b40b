//===- WorkEstimate.h - About how long operations take -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_MEMORY_WORKESTIMATE_H
#define COMM_ANALYSIS_MEMORY_WORKESTIMATE_H

#include "llvm/Support/MathExtras.h"

#include <cstdint>

namespace comm {

/// About how long something takes on a core of today, to an order of magnitude.
struct WorkEstimate {
  /// Of all that is known, as if it came from memory: more rather than less.
  uint64_t cycles = 0;
  /// It may take any time beyond that: the body of a call or the trip count of a loop is not known.
  bool isUnknown = false;

  static WorkEstimate unknown() { return {0, true}; }
  uint64_t getNanoseconds() const { return cycles / kCyclesPerNanosecond; }
  /// Whether it takes at most that many cycles.
  bool isAtMost(uint64_t most) const { return !isUnknown && cycles <= most; }

  void add(const WorkEstimate &other) {
    cycles = llvm::SaturatingAdd(cycles, other.cycles);
    isUnknown |= other.isUnknown;
  }
  void repeat(uint64_t times) { cycles = llvm::SaturatingMultiply(cycles, times); }

  static constexpr uint64_t kCyclesPerNanosecond = 3;
};

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_WORKESTIMATE_H
