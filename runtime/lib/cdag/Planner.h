// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns detected collectives into a schedule: determines which operations of the graph are still needed, and what must
// be ordered with the collectives.
//
// Collectives read memory from before the graph ran, or the result of a local operation (and then run after it), and
// write final values. Operations that produce anything else stay as they are. A backward pass finds them, starting at
// the memory that no collective delivers. There are four attempts, each sound by itself:
//
//  1. Direct: An operation that reads the result of a collective runs after it, and so does one that overwrites its
//     input. Collectives stand for the removed operations whose synchronization they provide.
//  2. The same without barriers.
//  3. Careful: A collective stands for a message only if no kept operation precedes the message.
//  4. Closed: No operation waits for a collective. Operations read the results of other operations, sources that are
//     overwritten are saved to scratch memory, and removed messages stay as empty ones.
//
// The first three may be cyclic: a collective is one node, although its processes need not reach it together. The last
// cannot be cyclic.
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

  /// Consumes `detection`. Returns false if collectives that read the results of operations cannot be ordered; the
  /// caller then plans without them.
  bool run(Detection &detection);

private:
  enum class Attempt { Direct, WithoutBarriers, Careful, Closed };

  /// A range that a collective reads or writes on a process.
  struct Place {
    Rank rank;
    uint32_t collective;
    Addr lo, hi;
    Addr maxHi;    ///< maximum over this and all earlier places of the process
    OpId producer; ///< the operation that computes a source, or kNone
  };
  struct Conflict {
    uint32_t collective;
    Rank rank;
  };
  struct OpCollective {
    OpId op;
    uint32_t collective;
  };
  /// State of the backward pass: whether the piece is needed, and whether a later operation overwrites it.
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
  /// Returns the memory that a data-moving operation reads and writes.
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
  /// Used only if collectives read the results of operations: the producer of each transfer; whether an operation is
  /// one; and its index in the order of execution.
  Vec<OpId> producer_;
  Vec<uint8_t> produces_;
  Vec<uint32_t> executed_;
  Attempt attempt_ = Attempt::Direct;
  Vec<Place> sources_, targets_; ///< sorted by (rank, lo)
  Vec<OpCollective> after_, before_;
  Vec<Conflict> conflicts_;   ///< places where a collective's sources must be saved
  Vec<uint64_t> scratchUsed_; ///< per process
  Vec<uint32_t> node_;        ///< the collective that an operation is merged into
  IntervalForest<Need> *needs_ = nullptr;
  bool mayAddBarrier_ = false; ///< instead of long chains of empty messages
  bool addedBarrier_ = false;
  BarrierGroups barriers_;
  bool barriersKnown_ = false;
};

} // namespace comm::cdag

#endif
