//===- SlotBounds.h - Which slots of an array have active requests *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Active requests are in the slots from a lower bound to before an upper one. Bounds are sums of a value and a
// constant: a program counts its requests, and then waits for so many.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_REQUESTS_SLOTBOUNDS_H
#define COMM_LIB_ANALYSIS_REQUESTS_SLOTBOUNDS_H

#include "Comm/Analysis/Requests/LinearIndex.h"

#include "llvm/ADT/DenseMap.h"

namespace comm {

/// Bounds of the slots that may hold active requests. Every bound in it holds. Slots are numbered from the beginning of
/// the object, so that none is negative.
class SlotBounds {
public:
  /// No slot does.
  static SlotBounds none() { return SlotBounds(true); }
  bool isEmpty() const { return empty; }
  /// What holds on one path or the other.
  void join(const SlotBounds &other);
  /// Keeps the bounds alone that are in both, so that a loop comes to an end.
  void widen(const SlotBounds &before);

  void start(std::optional<LinearIndex> slot);
  /// Requests of `count` slots from `first` on are complete.
  void complete(std::optional<LinearIndex> first, std::optional<LinearIndex> count);
  /// Requests have been copied to other slots.
  void forgetPlaces();
  void clear() { *this = none(); }

  /// The value is computed again.
  void forget(mlir::Value value);
  /// Both are known to be equal.
  void addEqual(LinearIndex a, LinearIndex b);
  /// It is known that `a <= most`.
  void addAtMost(LinearIndex a, int64_t most);
  /// Block arguments get new values, all at once; `forget` the old ones.
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
  /// All active slots are at least symbol + constant; less than symbol + constant. The null value stands for 0.
  Bounds lower, upper;
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_REQUESTS_SLOTBOUNDS_H
