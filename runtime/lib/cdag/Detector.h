// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of one detection, which several files work on.
#ifndef COMM_CDAG_DETECTOR_H
#define COMM_CDAG_DETECTOR_H

#include "Comm/CDag/Detect.h"
#include "Terms.h"

namespace comm::cdag {

/// The transfers of one piece of one process's memory to all its receivers: a range of the sorted transfers.
struct Atom {
  uint32_t begin, end;
  uint32_t count; ///< receivers other than the sender, not yet taken
};

struct Edge {
  Rank a, b; ///< a < b
};

/// Cuts pieces of one source wherever another piece of it begins or ends, and sorts by (src, srcAddr, size, dst,
/// dstAddr).
void refine(Vec<Transfer> &transfers);

class Detector {
public:
  Detector(const Graph &graph, SingleTransfers &sst, const DetectOptions &options, Detection &out)
      : p_(graph.numRanks()), options_(options), sst_(sst), out_(out), terms_(graph, sst, options) {
    for (OpId op = 0; op < graph.numOps(); ++op)
      messages_ += graph.isSend(op);
  }
  void run();

private:
  // Detector.cpp
  uint32_t open(CollectiveKind kind, Rank root, bool selfCopies, const Vec<Rank> &members);
  void prepareMoves();
  bool coalesce();
  bool isFree(uint32_t move) const { return owner_[move] == kNone && moves_[move].src != moves_[move].dst; }
  /// Returns an untaken transfer from `rank` to itself, or kNone.
  uint32_t findSelf(Rank rank, uint64_t size, bool anySize);
  bool bigEnough(size_t members) const {
    return members == p_ || (options_.subsets && members >= options_.subsetMinRanks);
  }

  // DetectMovement.cpp: on all processes
  bool detectOnAll();
  void findAtoms();
  bool allgatherOnAll();
  bool alltoallOnAll();
  bool bcastOnAll();
  bool rootedOnAll(bool gathers);
  void takeAtom(const Atom &atom, uint32_t collective);
  void takeSelf(const Atom &atom, uint32_t collective);
  uint32_t selfOf(const Atom &atom) const;
  /// Takes transfers from live_[begin, end), which is sorted by partner: one per partner, or all of them if every
  /// partner has equally many.
  void takeOnePerPartner(size_t begin, size_t end, bool bySource, bool allLayers, uint32_t collective);
  void gatherLive();

  // DetectSubsets.cpp
  bool detectOnSubsets();
  bool allgatherInClosedGroups();
  bool allgatherOnSubsets();
  bool alltoallOnSubsets();
  bool bcastOnSubsets();
  bool rootedOnSubsets();

  // DetectReductions.cpp
  void detectReductions();
  void allreduces();
  void reduceScatters();
  void scans(bool exclusive);
  void reduces();
  bool reduction(CollectiveKind kind, Rank root, uint32_t list, const Vec<Rank> &members, uint32_t &index);
  void membersOf(uint32_t list, Vec<Rank> &members) const;

  // Assemble.cpp: the result in Schedule's form
  void assemble();
  void uniteSameShapes(Vec<uint32_t> &target);
  void assembleMovement(Collective &c, Vec<Transfer> &mine);
  void assembleReduction(Collective &c, Vec<Transfer> &mine);
  void uniteBlocks(Vec<Transfer> &sorted) const;

  uint32_t p_;
  uint64_t messages_ = 0;
  const DetectOptions &options_;
  SingleTransfers &sst_;
  Detection &out_;
  TermTable terms_;
  /// The movements in refine()'s order, and the collective that took each of them.
  Vec<Transfer> moves_;
  Vec<uint32_t> owner_;
  Vec<Atom> atoms_;
  Vec<uint32_t> live_;
  /// The results of reductions: src is a list of terms and srcAddr its base.
  Vec<Transfer> results_;
  Vec<uint32_t> resultOwner_;
};

} // namespace comm::cdag

#endif
