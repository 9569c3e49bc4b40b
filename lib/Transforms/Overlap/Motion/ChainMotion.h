//===- ChainMotion.h - One chain while its communications are moved -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_MOTION_CHAINMOTION_H
#define COMM_LIB_TRANSFORMS_OVERLAP_MOTION_CHAINMOTION_H

#include "Motion/GuardExits.h"
#include "Motion/GuardQuestions.h"
#include "Motion/GuardedWaits.h"
#include "Motion/OwnWaits.h"
#include "Motion/Schedule.h"
#include "Motion/SplitCost.h"

#include "Comm/Analysis/Order/Dependence.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>
#include <string>

namespace comm {

/// Units of one chain that are put into order together: no fence is among them.
struct Segment {
  unsigned begin, end;
};

/// What an interval contains, for the remark.
struct Contents {
  unsigned regions = 0, loops = 0, statements = 0, communications = 0, units = 0;
};

/// One chain while its communications are moved.
class ChainMotion {
public:
  ChainMotion(Chain &chain, MemoryOracle &oracle, const DependenceOptions &options)
      : chain(chain), oracle(oracle), dependence(chain, oracle, options), ownWaits(findOwnWaits(chain, oracle)),
        questions(chain, oracle, dependence, dominance) {}

  llvm::SmallVector<Segment> findSegments(unsigned maxUnits) const;
  ScheduleProblem makeProblem(Segment segment);
  Contents describeContents(Segment segment, llvm::ArrayRef<unsigned> order, const ScheduleProblem::Pair &pair) const;
  /// Adds the ways out that something crosses in that order.
  void findExits(Segment segment, llvm::ArrayRef<unsigned> order, AbnormalExits &exits) const;
  /// What the pair's wait completes.
  llvm::ArrayRef<mlir::Operation *> getStarts(Segment segment, const ScheduleProblem::Pair &pair) const;
  /// The start of the pair; of the waits for requests in memory one of them.
  MPIOpInterface getStart(Segment segment, const ScheduleProblem::Pair &pair) const;
  /// Keeps waits for sends whose receivers may need them in front of computations that come after them.
  void keepCompletions(Segment segment, ScheduleProblem &problem, const SplitCost &cost);
  /// Why the pair's interval in that order is not worth having, if it is not.
  std::optional<std::string> whyUseless(Segment segment, llvm::ArrayRef<unsigned> order,
                                        const ScheduleProblem::Pair &pair, const SplitCost &cost);
  const WorkEstimate &estimateWork(unsigned unit);
  /// Says that the communication overlaps nothing, and the nearest units before and after it that it cannot cross.
  void explain(Segment segment, const ScheduleProblem::Pair &pair, llvm::StringRef prefix);
  /// Adds the conditions under which waits may not pass what they pass in that order.
  void findConditions(Segment segment, llvm::ArrayRef<unsigned> order, const ScheduleProblem::Pair &pair,
                      GuardedWaits &guards);

  /// Why an interval of the program's own gains too little by that order, if it does: "gains nothing: ...".
  std::optional<std::string> whyNoGain(Segment segment, llvm::ArrayRef<unsigned> before, llvm::ArrayRef<unsigned> order,
                                       const ScheduleProblem::Pair &pair);

  /// Says of each wait for requests in memory what it overlaps in that order, or why it stays. Whether one gained:
  /// where `isMeasured`, by more than a few statements.
  bool tellOwnWaits(Segment segment, const ScheduleProblem &problem, llvm::ArrayRef<unsigned> before,
                    llvm::ArrayRef<unsigned> order, unsigned minWeight, bool isMeasured,
                    llvm::DenseSet<mlir::Operation *> &told);

private:
  /// Whether the first unit must stay before the second one, unless a guard may take its place.
  bool mustPrecede(unsigned first, unsigned second) {
    return dependence.mustPrecede(first, second) && !questions.canAskInstead(first, second);
  }

  unsigned getLoopDepth(mlir::Operation *op, const Unit &unit);
  unsigned getWeight(const Unit &unit, bool isFree);
  void keepWhatCopiesNeed(Segment segment, ScheduleProblem &problem) const;
  llvm::BitVector findSources(Segment segment, unsigned unit, llvm::function_ref<bool(unsigned)> isCopied) const;

  Chain &chain;
  MemoryOracle &oracle;
  Dependence dependence;
  std::vector<OwnWait> ownWaits;
  mlir::DominanceInfo dominance;
  GuardQuestions questions;
  std::optional<mlir::CFGLoopInfo> loops;
  /// Of the units that were asked about.
  llvm::DenseMap<unsigned, WorkEstimate> work;
};
/// The unit with the wait of the interval that the unit starts, if it starts one.
std::optional<unsigned> findWait(const Chain &chain, const Unit &unit);
/// Whether both are halves of one MPI_Sendrecv, or its waits.
bool areOneCall(mlir::Operation *a, mlir::Operation *b);
/// "1 OpenMP region, 3 loops, 13 statements". A communication that overlaps only others has its latency hidden
/// by theirs.
std::string describe(const Contents &contents);
/// What the unit is, and its line.
std::string describe(const Unit &unit);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_MOTION_CHAINMOTION_H
