// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole compilation: checks, matching, single-transfer form, detection,
// schedule.
#ifndef COMM_CDAG_COMPILE_H
#define COMM_CDAG_COMPILE_H

#include "Comm/CDag/Schedule.h"

namespace comm::cdag {

enum class SyncPolicy : uint8_t {
  /// Wait sets are kept: whoever waited for a process still does (paper,
  /// section 2.3). Messages whose data a collective delivers stay as messages
  /// of zero bytes where the collective does not synchronize as they did.
  Keep,
  /// A receiver waits for those whose data it gets, and for messages of zero
  /// bytes; that forwarding processes had also arrived is not kept.
  Data,
};

struct DetectOptions {
  /// Density of vector collectives: the share of the regular operation's
  /// transfers that must be there (paper, section 2.4.3). Above 1: none.
  double tau = 1.0;
  /// Vector collectives on fewer processes are not looked for: a handful of
  /// messages is one by accident.
  uint32_t vectorMinRanks = 8;
  bool subsets = true;
  uint32_t subsetMinRanks = 4;
  /// Gathers and scatters on less than this share of all processes, or not more
  /// than subsetMinRanks, are left alone: any process with a few peers would be
  /// one.
  double subsetMinFraction = 0.5;
  /// Sums and products of floating-point numbers may be reordered.
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
  /// False if the single-transfer form would be too large (more than 2^24
  /// pieces), or the buffers too entangled to check: the schedule is then the
  /// graph as it was.
  bool analyzed = true;
  double matchSeconds = 0; ///< with the checks of deadlock and truncation
  double raceSeconds = 0;
  double dataflowSeconds = 0;
  double detectSeconds = 0;
  double scheduleSeconds = 0;
};

/// Compiles a graph. On an error the schedule is empty. Time O(n log n) in the
/// number of operations, dependencies and transfers, except for graphs with
/// cliques on process subsets (a heuristic with a budget).
Error compile(Graph &graph, const CompileOptions &options, Schedule &schedule, CompileStats *stats = nullptr);

} // namespace comm::cdag

#endif
