//===- Dependence.h - Which units must keep their order -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_ORDER_DEPENDENCE_H
#define COMM_ANALYSIS_ORDER_DEPENDENCE_H

#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Analysis/Order/Condition.h"
#include "Comm/Analysis/Order/Observers.h"
#include "Comm/Analysis/Order/ScopeTree.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <map>
#include <vector>

namespace comm {

/// What an operation is to the order of communications.
enum class CommRole {
  /// Not MPI.
  None,
  /// It asks MPI something that no other process notices (the rank).
  Local,
  /// It starts a communication, and completes it if it is blocking.
  Start,
  /// It completes requests whose starts the IR shows.
  Completion,
  /// Any other: its order with every communication stays.
  Ordered
};
CommRole getCommRole(mlir::Operation *op);

/// Whether the operation, an op or a call, may see when another process started a message (Observers.h).
bool mayObserveStarts(mlir::Operation *op);

/// The block that the only arm of a branch begins with; null for other units.
mlir::Block *getOnlyArm(const Unit &unit);
/// The condition of a branch with one arm, and whether that is entered where it is true; null for other units.
std::pair<mlir::Value, bool> getEntry(const Unit &unit);

/// Why two units must keep their order.
enum class Reason : uint8_t {
  None,
  Value,           // one uses what the other computes
  Memory,          // one writes what the other touches
  Leaves,          // one may not return normally
  Synchronization, // one may synchronize with another thread
  Observable,      // both are volatile accesses, input or output
  InputOutput,     // one is, and the other a communication that somebody may wait for
  Cause,           // a process could hear of something before what caused it
  Communication,   // messages could be matched otherwise
  Time             // one reads a clock and the other communicates
};
llvm::StringRef describe(Reason reason);

/// Looks closer at units that may touch the same memory.
class MemoryRefiner {
public:
  virtual ~MemoryRefiner();
  /// When the two, which are units of the chain, do; `first` comes before `second`.
  virtual Condition refine(const Unit &first, const Unit &second, const Chain &chain) = 0;
};

struct DependenceOptions {
  /// Let communications cross readings of a clock.
  bool relaxTimers = false;
  /// Where the program can see which of two messages was started first. As `Infer`, what the operations that are
  /// compared show.
  Observers observers = Observers::Infer;
  /// Whether a process may find out which of a start and a completion of this one came first.
  SideChannels sideChannels = SideChannels::Possible;
  /// Asked of units of which one starts or completes a communication; null: nobody.
  MemoryRefiner *refiner = nullptr;
  /// Waits, and the end of memory, may cross what may not return normally, because whoever moves them puts copies of
  /// them on the ways out (GuardExits).
  bool mayGuardExits = false;
  /// More pairs of operations than that between two units are not compared: they count as dependent.
  unsigned maxComparisons = 20000;
};

/// Dependences between the units of one chain. A unit stands for all operations in it. Valid while the oracle is; the
/// units may be put into another order, since they are known by their first operation.
class Dependence {
public:
  Dependence(const Chain &chain, MemoryOracle &oracle, const DependenceOptions &options);

  /// Why `first`, which comes before `second` in the original program, must stay before it; None if it need not.
  Reason getReason(unsigned first, unsigned second);
  bool mustPrecede(unsigned first, unsigned second) { return getReason(first, second) != Reason::None; }
  /// Calls `fn` with each unit from `begin` on that must precede `unit`, which comes after it. Asks about no more pairs
  /// than need it: a unit that is free depends on the values that it uses, and only users of its value on it.
  void forEachPredecessor(unsigned unit, unsigned begin, llvm::function_ref<void(unsigned)> fn);
  /// Under which condition that reason holds; never without a reason.
  Condition getCondition(unsigned first, unsigned second);
  const Behavior &getBehavior(unsigned unit) const { return facts[unit].behavior; }
  /// A unit that costs next to nothing and can be executed anywhere: address computations, arithmetic.
  bool isFree(unsigned unit) const { return facts[unit].isFree; }
  /// The operations of the unit without a landing pad that may throw and otherwise continue.
  llvm::ArrayRef<mlir::Operation *> getThrowing(unsigned unit) const { return facts[unit].throwing; }
  /// A unit that (almost) nothing can be moved across.
  bool isFence(unsigned unit) const;
  /// Whether a unit that comes before another one may come after it, if a copy of it is on all its ways out.
  bool mayCrossExits(unsigned unit) const { return facts[unit].mayCrossExits; }

private:
  struct Facts {
    Behavior behavior;
    llvm::SmallVector<mlir::Operation *, 2> memoryOps;
    llvm::SmallVector<mlir::Operation *, 1> commOps;
    llvm::SmallVector<mlir::Operation *, 1> throwing;
    /// The units whose values it uses, in ascending order.
    llvm::SmallVector<unsigned, 4> definedBy;
    /// kLabelAttrName of the unit, and the labels of what it touches nothing of.
    llvm::SmallVector<int64_t, 1> labels;
    llvm::ArrayRef<int64_t> avoided;
    /// It may not continue by another way than its exits and exceptions.
    bool mayLeaveWithin = false;
    /// It is one operation that completes a communication or ends the life of memory.
    bool mayCrossExits = false;
    bool isLoop = false;
    bool isFree = false;
    /// It asks the runtime about a handle, which must be valid.
    bool asksHandle = false;
    /// Its place in `busy`, or that of the next one if it is free.
    unsigned place = 0;
    bool isComm = false;
    bool isOrdered = false;
    /// A single operation that starts or completes a communication.
    bool isStartOrCompletion = false;
    Unit unit;
  };
  void addExits(Facts &fact);
  Reason compute(unsigned first, unsigned second);
  /// What no condition changes.
  Reason compareBehavior(const Facts &a, const Facts &b) const;
  Reason compareCommunication(const Facts &a, const Facts &b) const;
  Condition compareCauses(const Facts &a, const Facts &b);
  static bool keepsOff(const Facts &interior, const Facts &other);
  bool areInFlightTogether(const Facts &a, const Facts &b) const;
  Condition compareMemory(const Facts &a, const Facts &b);

  const Chain &chain;
  MemoryOracle &oracle;
  DependenceOptions options;
  std::vector<Facts> facts;
  /// The units that define what is used in the block and those that can be reached from it; -1 if not all are known.
  llvm::DenseMap<mlir::Block *, llvm::SmallDenseSet<int>> usedAfter;
  /// All units that are not free, in ascending order.
  std::vector<unsigned> busy;
  /// Of a unit that is not free: why units before it that are not free must precede it, by their place in `busy`, from
  /// the first one that was asked about on.
  struct Row {
    unsigned begin = 0;
    std::vector<std::optional<Reason>> reasons;
  };
  std::optional<Reason> &find(unsigned first, unsigned second);
  std::vector<Row> cache;
  /// Of the few pairs that need not always keep their order.
  std::map<std::pair<unsigned, unsigned>, Condition> conditions;
};

} // namespace comm

#endif // COMM_ANALYSIS_ORDER_DEPENDENCE_H
