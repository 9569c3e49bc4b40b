// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs graphs and schedules on real bytes in one process, in a random order that respects the dependencies. This is the
// oracle of the tests.
#ifndef COMM_CDAG_INTERPRET_H
#define COMM_CDAG_INTERPRET_H

#include "Comm/CDag/Match.h"
#include "Comm/CDag/Schedule.h"

namespace comm::cdag {

enum class Fill : uint8_t {
  Random,
  /// Small integers as doubles (or floats), so that sums are exact.
  Doubles,
  Floats,
};

/// The memory of all processes that a graph touches.
class Image {
public:
  /// Returns TooLarge for more than 2^28 bytes.
  Error create(const Graph &graph, uint64_t seed, Fill fill = Fill::Random);
  uint8_t *at(Rank rank, Addr addr) { return bytes_.data() + begin_[rank] + (addr - low_[rank]); }
  const uint8_t *at(Rank rank, Addr addr) const { return bytes_.data() + begin_[rank] + (addr - low_[rank]); }
  Addr low(Rank rank) const { return low_[rank]; }
  Addr high(Rank rank) const { return low_[rank] + (begin_[rank + 1] - begin_[rank]); }

private:
  Vec<Addr> low_;
  Vec<uint64_t> begin_;
  Vec<uint8_t> bytes_;
};

/// Executes the graph's operations.
void runGraph(const Graph &graph, const Matching &matching, uint64_t seed, Image &image);

/// Executes a schedule of the graph. Returns Deadlock if no order satisfies it when collectives run one after another.
Error runSchedule(const Graph &graph, const Schedule &schedule, uint64_t seed, Image &image);

/// Compares the memory that is live at the end. The Error names the first difference.
Error compareLive(const Graph &graph, const Image &expected, const Image &actual);

/// Makes a random graph of a few processes without races or deadlock: patterns on random subsets, with messages and
/// local operations in between.
struct RandomGraphOptions {
  uint32_t maxRanks = 8;
  uint32_t maxPhases = 6;
  bool patterns = true;
};
Error randomGraph(uint64_t seed, const RandomGraphOptions &options, Graph &graph);

/// The outcome of random graphs.
struct RandomTotals {
  unsigned long collectives = 0, changed = 0, staged = 0;
  unsigned long messages = 0, kept = 0, sync = 0;
  unsigned long kinds[16] = {}; ///< by CollectiveKind
};

/// Makes the random graph of a seed, compiles it with options that depend on the seed, runs graph and schedule in
/// random orders, and compares the live memory and, where the policy keeps them, the wait sets. `show` can inspect the
/// two.
Error compareRandomGraph(uint64_t seed, RandomTotals &totals, void (*show)(const Graph &, const Schedule &) = nullptr);

/// A small generator of random numbers (splitmix64).
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Returns a number in [0, n).
  uint64_t below(uint64_t n) { return next() % n; }
  bool chance(unsigned percent) { return below(100) < percent; }

private:
  uint64_t state_;
};

} // namespace comm::cdag

#endif
