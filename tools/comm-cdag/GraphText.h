// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads graphs from text: the format of docs/cdag.md, of which GOAL (Schedgen,
// LogGOPSim) is a part.
#ifndef COMM_CDAG_GRAPHTEXT_H
#define COMM_CDAG_GRAPHTEXT_H

#include "Comm/CDag/Graph.h"

#include <string>
#include <vector>

namespace comm::cdag {

/// A place in the text, from 1.
struct Place {
  uint32_t line = 0, column = 0;
};

/// The data of messages without an address (as all of GOAL's).
enum class AutoMemory : uint8_t {
  /// Each message has bytes of its own: nothing is forwarded.
  Distinct,
  /// A send that requires a receive of the same size forwards what that has
  /// received; all others of one process and size send the same bytes.
  Forward,
};

struct ReadOptions {
  AutoMemory memory = AutoMemory::Distinct;
  uint32_t maxRanks = 1u << 22;
};

struct ReadError {
  Place place;
  std::string text; ///< empty: none
  explicit operator bool() const { return !text.empty(); }
};

/// Reads `text` into `graph`. `places` gets where each operation is written,
/// for errors that are found later.
ReadError readGraph(const std::string &text, const ReadOptions &options, Graph &graph, std::vector<Place> &places);

} // namespace comm::cdag

#endif
