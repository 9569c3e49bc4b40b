//===- SymbolicExecutor.h - Symbolic execution of a graph -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_SYMBOLIC_SYMBOLICEXECUTOR_H
#define COMM_LIB_ANALYSIS_SYMBOLIC_SYMBOLICEXECUTOR_H

#include "Comm/Analysis/Symbolic/SymbolicGraph.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

namespace comm {

/// An integer or an address; "unknown" if it is neither.
struct SymbolicValue {
  Poly integer;
  SymbolicAddress address;

  explicit operator bool() const { return integer || address.base; }
  bool operator==(const SymbolicValue &other) const {
    return address.base ? address == other.address : integer == other.integer;
  }
};

using SymbolicEnv = llvm::DenseMap<mlir::Value, SymbolicValue>;

/// Compares `difference` with zero, by a signed predicate.
struct SymbolicCompare {
  mlir::LLVM::ICmpPredicate predicate;
  Poly difference;
};

/// The condition that decides a branch.
struct SymbolicDecision {
  enum class Kind { Unknown, True, False, Test };
  Kind kind = Kind::Unknown;
  /// For Test: true if and only if this holds.
  SymbolicCondition condition;
};

/// Evaluates integer and address operations.
class SymbolicEvaluator {
public:
  SymbolicEvaluator(CDagOp op, Symbols &symbols, const ProcessClass *processes);

  SymbolicValue get(mlir::Value value, const SymbolicEnv &env);
  SymbolicValue compute(mlir::Operation *op, mlir::Value value, const SymbolicEnv &env);
  SymbolicDecision decide(mlir::Value condition, const SymbolicEnv &env);
  /// Returns the operands of an integer comparison, or none for other conditions.
  std::optional<SymbolicCompare> decodeCompare(mlir::Value condition, const SymbolicEnv &env);
  SymbolicValue substitute(const SymbolicValue &value, Atom atom, const Poly &replacement);
  Poly getRank() const { return rank; }
  Poly getSize() const { return size; }
  /// Guessing mode: assumes that nothing wraps, and treats unsigned comparisons as signed ones.
  bool isLenient = false;

private:
  Poly computeInteger(mlir::Operation *op, const SymbolicEnv &env);
  Poly computeRemainder(const Poly &a, const Poly &b);
  Poly computeSelect(mlir::LLVM::SelectOp op, const SymbolicEnv &env);
  SymbolicValue computeAddress(mlir::LLVM::GEPOp gep, const SymbolicEnv &env);
  SymbolicDecision decideTest(const SymbolicCompare &compare);
  bool isKnownNonZero(const Poly &difference);
  bool isNonNegativeGiven(const Poly &value, const Poly &nonNegative);

  CDagOp op;
  Symbols &symbols;
  const ProcessClass *processes;
  mlir::DataLayout layout;
  Poly rank, size;
  SymbolicEnv outside;
  unsigned depth = 0;
};

/// Executes the region once, for one class of processes.
class SymbolicExecutor {
public:
  SymbolicExecutor(CDagOp op, const mpi::ABI &abi, Symbols &symbols, ProcessClass &result, bool alone,
                   mlir::CFGLoopInfo *loops, Obstacle &obstacle);

  /// Fails with `needed` set if the result depends on whether a process is that one, and with the obstacle otherwise.
  llvm::LogicalResult run();
  Poly needed;

private:
  struct State {
    SymbolicEnv env;
    llvm::SmallVector<SymbolicCondition, 1> conditions;
    std::vector<SymbolicEvent> events;
    /// The values of the header's arguments in the next iteration.
    llvm::SmallVector<SymbolicValue> next;
  };
  /// The iterations of one loop, or of the whole region if `loop` is null.
  struct Walk {
    mlir::CFGLoop *loop = nullptr;
    std::vector<State> ends;
    std::optional<SymbolicCompare> exit;
    bool continuesOnTrue = false;
    bool exitDiffers = false;
    mlir::Block *exitBlock = nullptr;
  };
  llvm::LogicalResult fail(mlir::Operation *at, const llvm::Twine &reason);
  llvm::LogicalResult explore(mlir::Block *block, State state, Walk &walk);
  llvm::LogicalResult execute(mlir::Operation &each, State &state);
  llvm::LogicalResult addMessage(MPIOpInterface message, State &state);
  llvm::LogicalResult branch(mlir::Operation *terminator, State &state, Walk &walk,
                             llvm::SmallVectorImpl<std::pair<unsigned, SymbolicCondition>> &taken);
  void enter(mlir::Operation *terminator, unsigned index, State &state, llvm::SmallVectorImpl<SymbolicValue> &values);
  /// Executes all iterations and sets `block` to the block after the loop.
  llvm::LogicalResult runLoop(mlir::CFGLoop *loop, State &state, mlir::Block *&block);
  llvm::LogicalResult finishLoop(mlir::CFGLoop *loop, Atom iteration, const Poly &trips,
                                 llvm::ArrayRef<SymbolicValue> closed, State &state, mlir::Block *&block);
  llvm::LogicalResult unroll(mlir::CFGLoop *loop, Atom iteration, int64_t trips, llvm::ArrayRef<SymbolicValue> closed,
                             State &state);
  llvm::LogicalResult iterate(mlir::CFGLoop *loop, const State &state, llvm::ArrayRef<SymbolicValue> arguments,
                              Walk &walk);
  void addEvents(llvm::ArrayRef<SymbolicEvent> events, State &state);
  bool isExhausted();

  CDagOp op;
  const mpi::ABI &abi;
  Symbols &symbols;
  ProcessClass &result;
  mlir::CFGLoopInfo *loops;
  Obstacle &obstacle;
  SymbolicEvaluator values;
  unsigned steps = 0;
  /// Guessing mode: skips what is unknown and records no events.
  bool isLenient = false;
  void setLenient(bool lenient) { isLenient = values.isLenient = lenient; }
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_SYMBOLIC_SYMBOLICEXECUTOR_H
