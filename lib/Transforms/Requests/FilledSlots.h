//===- FilledSlots.h - Which writers filled the slots of a wait -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forward data flow over the blocks on the paths to a wait in one iteration of the loop around it: which slots of the
// array has each path filled, with a request or a null handle?
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_REQUESTS_FILLEDSLOTS_H
#define COMM_LIB_TRANSFORMS_REQUESTS_FILLEDSLOTS_H

#include "Comm/Analysis/Requests/LinearIndex.h"
#include "Comm/Dialect/Comm/Utils/Conditions.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <set>

namespace comm {

/// Returns true if two values are the same number wherever both are available, as loads from one address may be.
using SameValue = llvm::function_ref<bool(mlir::Value, mlir::Value)>;

/// The sum of up to two values and a constant, as mathematical integers.
struct SlotNumber {
  mlir::Value first, second;
  int64_t constant = 0;

  SlotNumber() = default;
  SlotNumber(int64_t constant) : constant(constant) {}
  SlotNumber(LinearIndex index);
  SlotNumber operator+(int64_t n) const {
    SlotNumber result = *this;
    result.constant += n;
    return result;
  }
  bool isConstant() const { return !first; }
  /// Returns the same number with the constant set to 0.
  SlotNumber getSymbols() const { return *this + -constant; }
  bool operator==(const SlotNumber &other) const;
  /// Returns the difference if all values of `other` occur in this number, otherwise none.
  std::optional<SlotNumber> minus(const SlotNumber &other, SameValue areSame) const;
  /// Returns the sum, or none if it has too many values.
  std::optional<SlotNumber> plus(const SlotNumber &other) const;
  /// Returns true if this number is provably at most the other one.
  bool isAtMost(const SlotNumber &other) const {
    return getSymbols() == other.getSymbols() && constant <= other.constant;
  }
};

/// The slots [first, end) of one array.
struct SlotRange {
  SlotNumber first, end;

  bool isApartFrom(const SlotRange &other) const { return end.isAtMost(other.first) || other.end.isAtMost(first); }
};

/// The uses of the slots of one array.
struct SlotUses {
  /// Starts and stores of null handles, with the slots that they write.
  llvm::MapVector<mlir::Operation *, SlotNumber> writers;
  /// Waits, with the slots that they access; none if these are unknown.
  llvm::MapVector<mlir::Operation *, std::optional<SlotRange>> waits;
};

class FilledSlots {
public:
  FilledSlots(mlir::Region &region, mlir::DominanceInfo &dominance, mlir::CFGLoopInfo &loops, const SlotUses &uses,
              SameValue areSame);

  /// Returns the writers that fill all slots of the wait on each path to it, if no other operation has written a slot
  /// since. Returns an empty set if there may be others. The first slot must be constant. If `guard` is not null, the
  /// wait runs only under that condition: no path to it has evaluated the same condition differently.
  llvm::SmallSetVector<mlir::Operation *, 8> findWriters(mlir::Operation *wait, const SlotRange &slots,
                                                         const KnownCondition &guard);

private:
  struct State {
    bool isReached = false;
    /// All slots before one of these numbers are filled, beginning with the first.
    llvm::SmallVector<SlotNumber, 4> filled;
    /// Single slots that are filled.
    std::set<int64_t> slots;
    llvm::SmallSetVector<mlir::Operation *, 8> writers;

    bool isFilledTo(const SlotNumber &end) const { return llvm::is_contained(filled, end); }
    void fillTo(SlotNumber end);
    void reset(const SlotNumber &first);
  };
  bool isFilledTo(const State &state, const SlotNumber &end) const;
  void join(State &state, const State &other) const;
  State getIncoming(mlir::Block *block);
  bool isContradicted(mlir::Block *from, unsigned successor);
  State takeEdge(mlir::Block *from, unsigned successor);
  void addBranchFacts(mlir::Block *from, unsigned successor, State &state);
  void transfer(mlir::Operation &op, State &state);

  mlir::DominanceInfo &dominance;
  mlir::CFGLoopInfo &loops;
  const SlotUses &uses;
  SameValue areSame;
  llvm::SmallVector<mlir::Block *> order;
  // State of the analysis of one wait.
  mlir::Operation *wait = nullptr;
  SlotRange wanted;
  KnownCondition guard;
  llvm::DenseMap<mlir::Block *, State> out;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_REQUESTS_FILLEDSLOTS_H
