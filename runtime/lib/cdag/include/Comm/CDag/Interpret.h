// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs graphs and schedules on real bytes, in one process, in a random order
// that the dependencies allow: the oracle of the tests.
#ifndef COMM_CDAG_INTERPRET_H
#define COMM_CDAG_INTERPRET_H

#include "Comm/CDag/Match.h"
#include "Comm/CDag/Schedule.h"

namespace comm::cdag {

enum class Fill : uint8_t {
  Random,
  /// Small whole numbers as doubles (or floats): sums are exact.
  Doubles,
  Floats,
};

/// The memory of all processes that a graph touches.
class Image {
public:
  /// TooLarge beyond 2^28 bytes.
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

/// Executes a schedule of the graph; Deadlock if it has an order that cannot
/// be, collectives one after the other.
Error runSchedule(const Graph &graph, const Schedule &schedule, uint64_t seed, Image &image);

/// Compares what is live at the end; an Error names the first difference.
Error compareLive(const Graph &graph, const Image &expected, const Image &actual);

/// A random graph of a few processes without races or deadlock: planted
/// patterns on random subsets, messages and local operations between.
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

/// Makes the random graph of a seed, compiles it with options that vary with
/// the seed, runs both in random orders, and compares the live memory and
/// (where they are to be kept) the wait sets. `show` may look at the two.
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
  /// In [0, n).
  uint64_t below(uint64_t n) { return next() % n; }
  bool chance(unsigned percent) { return below(100) < percent; }

private:
  uint64_t state_;
};

} // namespace comm::cdag

#endif
