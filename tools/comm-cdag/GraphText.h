// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads graphs from text in the format of docs/cdag.md, a superset of GOAL (Schedgen, LogGOPSim).
#ifndef COMM_CDAG_GRAPHTEXT_H
#define COMM_CDAG_GRAPHTEXT_H

#include "Comm/CDag/Graph.h"

#include <string>
#include <vector>

namespace comm::cdag {

/// A place in the text, counted from 1.
struct Place {
  uint32_t line = 0, column = 0;
};

/// Placement of messages without an address (such as all of GOAL's).
enum class AutoMemory : uint8_t {
  /// Each message has its own bytes: nothing is forwarded.
  Distinct,
  /// A send that requires a receive of the same size forwards the received data; all other sends of one process and
  /// size send the same bytes.
  Forward,
};

struct ReadOptions {
  AutoMemory memory = AutoMemory::Distinct;
  uint32_t maxRanks = 1u << 22;
};

struct ReadError {
  Place place;
  std::string text; ///< empty if there was no error
  explicit operator bool() const { return !text.empty(); }
};

/// Reads `text` into `graph`. Stores the place of each operation in `places`, for errors that are found later.
ReadError readGraph(const std::string &text, const ReadOptions &options, Graph &graph, std::vector<Place> &places);

} // namespace comm::cdag

#endif
