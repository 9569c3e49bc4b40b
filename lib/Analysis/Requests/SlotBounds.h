//===- SlotBounds.h - Slots with active requests ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Active requests are in the slots from a lower bound up to an exclusive upper bound. Bounds are the sum of a value and
// a constant, since a program counts its requests and then waits for that many.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_REQUESTS_SLOTBOUNDS_H
#define COMM_LIB_ANALYSIS_REQUESTS_SLOTBOUNDS_H

#include "Comm/Analysis/Requests/LinearIndex.h"

#include "llvm/ADT/DenseMap.h"

namespace comm {

/// Bounds of the slots that may hold active requests. All bounds hold at the same time. Slots are numbered from the
/// beginning of the object, so they are not negative.
class SlotBounds {
public:
  /// No slot holds an active request.
  static SlotBounds none() { return SlotBounds(true); }
  bool isEmpty() const { return empty; }
  /// Keeps what holds on both paths.
  void join(const SlotBounds &other);
  /// Keeps only bounds that are the same in both, so that the fixpoint iteration terminates.
  void widen(const SlotBounds &before);

  void start(std::optional<LinearIndex> slot);
  /// Records that the requests of `count` slots from `first` on are complete.
  void complete(std::optional<LinearIndex> first, std::optional<LinearIndex> count);
  /// Records that requests have been copied to other slots.
  void forgetPlaces();
  void clear() { *this = none(); }

  /// Records that the value is recomputed.
  void forget(mlir::Value value);
  /// Records that both are equal.
  void addEqual(LinearIndex a, LinearIndex b);
  /// Records that `a <= most`.
  void addAtMost(LinearIndex a, int64_t most);
  /// Assigns new values to block arguments, simultaneously, and forgets the old ones.
  void assign(llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> argumentsAndValues,
              llvm::ArrayRef<mlir::Value> allArguments);

  bool operator==(const SlotBounds &other) const;

private:
  explicit SlotBounds(bool empty) : empty(empty) {}
  bool isAtLeast(LinearIndex slot) const;
  bool isBelow(LinearIndex slot) const;
  int64_t getLeast() const;
  void settle();

  using Bounds = llvm::DenseMap<mlir::Value, int64_t>;
  bool empty;
  /// All active slots are at least symbol + constant (lower) or less than symbol + constant (upper). The null value is
  /// 0.
  Bounds lower, upper;
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_REQUESTS_SLOTBOUNDS_H
