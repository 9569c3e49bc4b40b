//===- Dependence.h - Order constraints between units -----------*- C++ -*-===//
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

/// The role of an operation in the order of communications.
enum class CommRole {
  /// Not MPI.
  None,
  /// It queries MPI, unnoticed by other processes (the rank).
  Local,
  /// It starts a communication, and completes it if it is blocking.
  Start,
  /// It completes requests whose starts the IR shows.
  Completion,
  /// Any other communication, which keeps its order with all others.
  Ordered
};
CommRole getCommRole(mlir::Operation *op);

/// Whether the operation, an op or a call, may observe when another process started a message (Observers.h).
bool mayObserveStarts(mlir::Operation *op);

/// Returns the first block of a branch's only arm, or null for other units.
mlir::Block *getOnlyArm(const Unit &unit);
/// Returns the condition of a branch with one arm, and whether it is entered if the condition is true; null for others.
std::pair<mlir::Value, bool> getEntry(const Unit &unit);

/// Why two units must keep their order.
enum class Reason : uint8_t {
  None,
  Value,           // one uses what the other computes
  Memory,          // one writes memory that the other touches
  Leaves,          // one may not return normally
  Synchronization, // one may synchronize with another thread
  Observable,      // both are volatile accesses, input or output
  InputOutput,     // one is input or output, the other a communication that another process may wait for
  Cause,           // a process could observe an effect before its cause
  Communication,   // messages could be matched differently
  Time             // one reads a clock and the other communicates
};
llvm::StringRef describe(Reason reason);

/// Analyzes units that may touch the same memory more closely.
class MemoryRefiner {
public:
  virtual ~MemoryRefiner();
  /// Returns the condition under which two units of the chain do; `first` comes before `second`.
  virtual Condition refine(const Unit &first, const Unit &second, const Chain &chain) = 0;
};

struct DependenceOptions {
  /// Let communications cross readings of a clock.
  bool relaxTimers = false;
  /// Where the program can observe which of two messages was started first. With `Infer`, only the compared operations
  /// are considered.
  Observers observers = Observers::Infer;
  /// Whether another process may find out which of a start and a completion of this process came first.
  SideChannels sideChannels = SideChannels::Possible;
  /// Used if one of the units starts or completes a communication. May be null.
  MemoryRefiner *refiner = nullptr;
  /// Waits, and the end of memory, may cross units that may not return normally, because the pass that moves them puts
  /// copies on the exits (GuardExits).
  bool mayGuardExits = false;
  /// Two units with more pairs of operations than this are not compared and count as dependent.
  unsigned maxComparisons = 20000;
};

/// Dependences between the units of one chain. A unit stands for all operations in it. Valid as long as the oracle is.
/// The units may be reordered, since each is identified by its first operation.
class Dependence {
public:
  Dependence(const Chain &chain, MemoryOracle &oracle, const DependenceOptions &options);

  /// Returns why `first`, which precedes `second` in the original program, must stay before it; None if it need not.
  Reason getReason(unsigned first, unsigned second);
  bool mustPrecede(unsigned first, unsigned second) { return getReason(first, second) != Reason::None; }
  /// Calls `fn` with each unit from `begin` on that must precede the later `unit`. Compares as few pairs as possible: a
  /// free unit depends only on the values that it uses, and only users of its value depend on it.
  void forEachPredecessor(unsigned unit, unsigned begin, llvm::function_ref<void(unsigned)> fn);
  /// Returns the condition under which that reason applies; never if there is no reason.
  Condition getCondition(unsigned first, unsigned second);
  const Behavior &getBehavior(unsigned unit) const { return facts[unit].behavior; }
  /// Whether the unit costs next to nothing and can run anywhere: address computations, arithmetic.
  bool isFree(unsigned unit) const { return facts[unit].isFree; }
  /// Returns the unit's operations that may throw without a landing pad and otherwise continue.
  llvm::ArrayRef<mlir::Operation *> getThrowing(unsigned unit) const { return facts[unit].throwing; }
  /// Whether (almost) nothing can be moved across the unit.
  bool isFence(unsigned unit) const;
  /// Whether the unit may move to after a unit with exits, given that copies of it are put on all these exits.
  bool mayCrossExits(unsigned unit) const { return facts[unit].mayCrossExits; }

private:
  struct Facts {
    Behavior behavior;
    llvm::SmallVector<mlir::Operation *, 2> memoryOps;
    llvm::SmallVector<mlir::Operation *, 1> commOps;
    llvm::SmallVector<mlir::Operation *, 1> throwing;
    /// The units whose values it uses, in ascending order.
    llvm::SmallVector<unsigned, 4> definedBy;
    /// The labels of the unit (kLabelAttrName), those of units whose memory it avoids, and those of branches it
    /// excludes.
    llvm::SmallVector<int64_t, 1> labels;
    llvm::ArrayRef<int64_t> avoided, excluded;
    /// It may not continue in ways other than its exits and exceptions.
    bool mayLeaveWithin = false;
    /// It is a single operation that completes a communication or ends the lifetime of memory.
    bool mayCrossExits = false;
    bool isLoop = false;
    bool isFree = false;
    /// A branch that some other unit excludes.
    bool isExcluded = false;
    /// It queries the runtime about a handle, which must be valid.
    bool asksHandle = false;
    /// Its index in `busy`, or that of the next unit if it is free.
    unsigned place = 0;
    bool isComm = false;
    bool isOrdered = false;
    /// A single operation that starts or completes a communication.
    bool isStartOrCompletion = false;
    Unit unit;
  };
  void addExits(Facts &fact);
  Reason compute(unsigned first, unsigned second);
  /// Returns reasons that no condition can lift.
  Reason compareBehavior(const Facts &a, const Facts &b) const;
  Reason compareCommunication(const Facts &a, const Facts &b) const;
  Condition compareCauses(const Facts &a, const Facts &b);
  static bool keepsOff(const Facts &interior, const Facts &other);
  static bool excludes(const Facts &interior, const Facts &other);
  bool areInFlightTogether(const Facts &a, const Facts &b) const;
  Condition compareMemory(const Facts &a, const Facts &b);

  const Chain &chain;
  MemoryOracle &oracle;
  DependenceOptions options;
  std::vector<Facts> facts;
  /// For each block, the units that define values used in it or in blocks reachable from it; -1 if some are unknown.
  llvm::DenseMap<mlir::Block *, llvm::SmallDenseSet<int>> usedAfter;
  /// All units that are not free, in ascending order.
  std::vector<unsigned> busy;
  /// For a unit that is not free: the reasons why earlier units, by their index in `busy`, must precede it, from the
  /// first one that was queried.
  struct Row {
    unsigned begin = 0;
    std::vector<std::optional<Reason>> reasons;
  };
  std::optional<Reason> &find(unsigned first, unsigned second);
  std::vector<Row> cache;
  /// For the few pairs that must keep their order only under a condition.
  std::map<std::pair<unsigned, unsigned>, Condition> conditions;
};

} // namespace comm

#endif // COMM_ANALYSIS_ORDER_DEPENDENCE_H
