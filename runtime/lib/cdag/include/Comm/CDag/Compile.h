// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole compilation: checks, matching, single-transfer form, detection,
// schedule.
#ifndef COMM_CDAG_COMPILE_H
#define COMM_CDAG_COMPILE_H

#include "Comm/CDag/Schedule.h"

namespace comm::cdag {

enum class SyncPolicy : uint8_t {
  /// Keeps wait sets: whoever waited for a process still does (paper, section 2.3). Messages whose data a collective
  /// delivers remain as messages of zero bytes if the collective does not synchronize as they did.
  Keep,
  /// A receiver waits for the processes whose data it gets, and for messages of zero bytes. It need not wait for
  /// processes that only forwarded the data.
  Data,
};

struct DetectOptions {
  /// Density of vector collectives: the fraction of the regular operation's transfers that must exist (paper, section
  /// 2.4.3). Above 1, no vector collectives are detected.
  double tau = 1.0;
  /// The minimum number of processes of vector collectives: a handful of messages is easily one by accident.
  uint32_t vectorMinRanks = 8;
  bool subsets = true;
  uint32_t subsetMinRanks = 4;
  /// Gathers and scatters on less than this fraction of all processes, or on at most subsetMinRanks, are ignored: any
  /// process with a few peers would be one.
  double subsetMinFraction = 0.5;
  /// Allows sums and products of floating-point numbers to be reordered.
  bool reorderFloatingPoint = false;
  bool reductions = true;
  bool barriers = true;
};

struct CompileOptions {
  DetectOptions detect;
  SyncPolicy sync = SyncPolicy::Keep;
};

struct CompileStats {
  uint32_t messages = 0;     ///< of the graph
  uint32_t keptMessages = 0; ///< with their data (or zero bytes from the start)
  uint32_t syncMessages = 0; ///< reduced to zero bytes
  uint32_t transfers = 0;    ///< assignments in single-transfer form
  /// False if the single-transfer form would be too large (more than 2^24 pieces) or the buffers are too entangled to
  /// check. The schedule is then the unchanged graph.
  bool analyzed = true;
  double matchSeconds = 0; ///< including the checks for deadlock and truncation
  double raceSeconds = 0;
  double dataflowSeconds = 0;
  double detectSeconds = 0;
  double scheduleSeconds = 0;
};

/// Compiles a graph. The schedule is empty after an error. Takes O(n log n) time in the number of operations,
/// dependencies and transfers, except for graphs with cliques on process subsets (a heuristic with a budget).
Error compile(Graph &graph, const CompileOptions &options, Schedule &schedule, CompileStats *stats = nullptr);

} // namespace comm::cdag

#endif
