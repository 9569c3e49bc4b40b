//===- WorkEstimate.h - Time estimates for operations -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_MEMORY_WORKESTIMATE_H
#define COMM_ANALYSIS_MEMORY_WORKESTIMATE_H

#include "llvm/Support/MathExtras.h"

#include <cstdint>

namespace comm {

/// An estimate of how long something takes on a current core, to an order of magnitude.
struct WorkEstimate {
  /// The known part, as if all data came from memory: rather too high than too low.
  uint64_t cycles = 0;
  /// It may take any longer time: a call's body or a loop's trip count is unknown.
  bool isUnknown = false;

  static WorkEstimate unknown() { return {0, true}; }
  uint64_t getNanoseconds() const { return cycles / kCyclesPerNanosecond; }
  /// Whether it takes at most `most` cycles.
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
