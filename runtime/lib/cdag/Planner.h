// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From detected collectives to a schedule: which operations of the graph are
// still needed, and what must be ordered with the collectives.
//
// Collectives read memory from before the graph ran, or what a local operation
// computed (they run after it), and write final values.
// Operations that deliver anything else stay as they are; found backwards from
// what no collective delivers. Four attempts, each sound by itself:
//
//  1. Direct: an operation that reads what a collective delivers runs after
//     it; one that overwrites what a collective reads runs after it; and
//     operations that are gone are represented by a collective which
//     synchronizes as they did.
//  2. The same without barriers.
//  3. Careful: a collective represents only messages before which nothing
//  stays.
//  4. Closed: no operation waits for a collective. Operations get what they
//     read from other operations, sources are saved to scratch memory where
//     something overwrites them, and removed messages stay as empty ones.
//
// The first three may be cyclic (a collective is one node, though its processes
// need not be at it together); the last cannot.
#ifndef COMM_CDAG_PLANNER_H
#define COMM_CDAG_PLANNER_H

#include "Comm/CDag/Compile.h"
#include "Comm/CDag/Detect.h"
#include "Comm/CDag/IntervalForest.h"
#include "Comm/CDag/Match.h"
#include "Comm/CDag/WaitSets.h"

namespace comm::cdag {

class Planner {
public:
  Planner(const Graph &graph, Matching &matching, const CompileOptions &options, const SingleTransfers &sst,
          Schedule &schedule)
      : graph_(graph), matching_(matching), options_(options), restored_(sst.restored), locals_(sst.locals),
        schedule_(schedule) {}

  /// `detection` is consumed. False if collectives that read what operations
  /// computed cannot be ordered; then without those.
  bool run(Detection &detection);

private:
  enum class Attempt { Direct, WithoutBarriers, Careful, Closed };

  /// A range that a collective reads or writes on a process.
  struct Place {
    Rank rank;
    uint32_t collective;
    Addr lo, hi;
    Addr maxHi;    ///< of this and all places before it on the process
    OpId producer; ///< of a source that an operation computes; or kNone
  };
  struct Conflict {
    uint32_t collective;
    Rank rank;
  };
  struct OpCollective {
    OpId op;
    uint32_t collective;
  };
  /// While walking backwards: is the piece needed; has it been overwritten by
  /// an operation later than here?
  struct Need {
    bool needed, overwritten;
    Need advanced(uint64_t) const { return *this; }
  };

  bool attempt(Attempt attempt);
  void placesOf(bool sources, Vec<Place> &places) const;
  template <typename Fn> void forEachPlace(const Vec<Place> &places, Rank rank, Addr lo, Addr hi, Fn fn) const;

  void resolveLocals();

  // PlanSlice.cpp: which operations are needed
  bool slice();
  bool sliceOnce(bool restored);
  void need(Rank rank, Addr lo, Addr hi, OpId reader);
  /// The memory that an operation that moves data touches.
  void rangesOf(OpId op, Addr &readLo, Addr &readHi, Addr &writeLo, Addr &writeHi) const;

  // PlanOrder.cpp: dependencies
  bool orderData();
  bool orderCollectives();
  bool stageConflicts();
  bool coincides(uint32_t collective) const;
  void mergeSynchronization();
  void mergeLocals(const Vec<uint8_t> &held);
  void addBarriers();
  void synchronizeByBarrier();
  bool acyclic();
  void depend(Rank rank, NodeRef op, NodeRef on) { schedule_.dependencies.push_back({rank, on, op}); }
  static NodeRef operation(OpId op) { return {false, op}; }
  static NodeRef collective(uint32_t c) { return {true, c}; }
  bool isAfter(OpId op, uint32_t collective) const;

  const Graph &graph_;
  Matching &matching_;
  const CompileOptions &options_;
  const Vec<Combined> &restored_;
  const Vec<LocalValue> &locals_;
  Schedule &schedule_;
  Vec<Output> rest_;
  size_t dataCollectives_ = 0;
  /// Only if collectives read what operations compute: per transfer which one,
  /// per operation whether, and its place in the order of execution.
  Vec<OpId> producer_;
  Vec<uint8_t> produces_;
  Vec<uint32_t> executed_;
  Attempt attempt_ = Attempt::Direct;
  Vec<Place> sources_, targets_; ///< sorted by (rank, lo)
  Vec<OpCollective> after_, before_;
  Vec<Conflict> conflicts_;   ///< where a collective's sources must be saved
  Vec<uint64_t> scratchUsed_; ///< per process
  Vec<uint32_t> node_;        ///< the collective that an operation is merged into
  IntervalForest<Need> *needs_ = nullptr;
  bool mayAddBarrier_ = false; ///< in place of long chains of empty messages
  bool addedBarrier_ = false;
  BarrierGroups barriers_;
  bool barriersKnown_ = false;
};

} // namespace comm::cdag

#endif
