//===- ChainMotion.h - Move communications in one chain ---------*- C++ -*-===//
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

#include <map>
#include <optional>
#include <string>

namespace comm {

/// Consecutive units of one chain that are ordered together, since no fence is among them.
struct Segment {
  unsigned begin, end;
};

/// What an interval contains, for remarks.
struct Contents {
  unsigned regions = 0, loops = 0, statements = 0, communications = 0, units = 0;
};

/// Dominance and loops of a function, which its chains share: motion leaves all blocks where they are.
struct FunctionBlocks {
  mlir::DominanceInfo dominance;
  /// Computed on first use.
  std::map<mlir::Region *, mlir::CFGLoopInfo> loops;
};

/// Moves the communications of one chain.
class ChainMotion {
public:
  ChainMotion(Chain &chain, MemoryOracle &oracle, const DependenceOptions &options, FunctionBlocks &blocks)
      : chain(chain), oracle(oracle), dependence(chain, oracle, options), ownWaits(findOwnWaits(chain, oracle)),
        blocks(blocks), questions(chain, oracle, dependence, blocks.dominance) {}

  llvm::SmallVector<Segment> findSegments(unsigned maxUnits) const;
  ScheduleProblem makeProblem(Segment segment);
  Contents describeContents(Segment segment, llvm::ArrayRef<unsigned> order, const ScheduleProblem::Pair &pair) const;
  /// Adds the exits that operations cross in that order.
  void findExits(Segment segment, llvm::ArrayRef<unsigned> order, AbnormalExits &exits) const;
  /// Returns the starts that the pair's wait completes.
  llvm::ArrayRef<mlir::Operation *> getStarts(Segment segment, const ScheduleProblem::Pair &pair) const;
  /// Returns the start of the pair; for a wait for requests in memory, one of its starts.
  MPIOpInterface getStart(Segment segment, const ScheduleProblem::Pair &pair) const;
  /// Keeps waits for sends whose receivers may be waiting before later computations.
  void keepCompletions(Segment segment, ScheduleProblem &problem, const SplitCost &cost);
  /// Returns why the pair's interval in that order is not worthwhile, if it is not.
  std::optional<std::string> whyUseless(Segment segment, llvm::ArrayRef<unsigned> order,
                                        const ScheduleProblem::Pair &pair, const SplitCost &cost);
  const WorkEstimate &estimateWork(unsigned unit);
  /// Reports that the communication overlaps nothing, and the nearest units before and after it that it cannot pass.
  void explain(Segment segment, const ScheduleProblem::Pair &pair, llvm::StringRef prefix);
  /// Adds the conditions under which waits must not pass the units that they pass in that order.
  void findConditions(Segment segment, llvm::ArrayRef<unsigned> order, const ScheduleProblem::Pair &pair,
                      GuardedWaits &guards);

  /// Returns why an interval of the program itself gains too little by that order, if it does: "gains nothing: ...".
  std::optional<std::string> whyNoGain(Segment segment, llvm::ArrayRef<unsigned> before, llvm::ArrayRef<unsigned> order,
                                       const ScheduleProblem::Pair &pair);

  /// Reports what each wait for requests in memory overlaps in that order, or why it stays. Returns true if one of them
  /// gained, by more than a few statements if `isMeasured`.
  bool tellOwnWaits(Segment segment, const ScheduleProblem &problem, llvm::ArrayRef<unsigned> before,
                    llvm::ArrayRef<unsigned> order, unsigned minWeight, bool isMeasured,
                    llvm::DenseSet<mlir::Operation *> &told);

private:
  /// Returns true if the first unit must stay before the second one and no guard can take its place.
  bool mustPrecede(unsigned first, unsigned second) {
    return dependence.mustPrecede(first, second) && !questions.canAskInstead(first, second);
  }

  /// As estimateWork, without the unit's communications.
  WorkEstimate estimateComputation(unsigned unit);
  unsigned getLoopDepth(mlir::Operation *op, const Unit &unit);
  unsigned getWeight(const Unit &unit, bool isFree);
  void keepWhatCopiesNeed(Segment segment, ScheduleProblem &problem) const;
  llvm::BitVector findSources(Segment segment, unsigned unit, llvm::function_ref<bool(unsigned)> isCopied) const;

  Chain &chain;
  MemoryOracle &oracle;
  Dependence dependence;
  std::vector<OwnWait> ownWaits;
  FunctionBlocks &blocks;
  GuardQuestions questions;
  /// Estimates of the units that were queried.
  llvm::DenseMap<unsigned, WorkEstimate> work;
};
/// Returns the unit with the wait of the interval that the unit starts, if it starts one.
std::optional<unsigned> findWait(const Chain &chain, const Unit &unit);
/// Returns true if both are halves of one MPI_Sendrecv, or its waits.
bool areOneCall(mlir::Operation *a, mlir::Operation *b);
/// Returns text such as "1 OpenMP region, 3 loops, 13 statements". A communication that overlaps only others has its
/// latency hidden by theirs.
std::string describe(const Contents &contents);
/// Returns a description of the unit, with its line.
std::string describe(const Unit &unit);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_MOTION_CHAINMOTION_H
