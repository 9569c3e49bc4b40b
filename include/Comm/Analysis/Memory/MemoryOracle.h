//===- MemoryOracle.h - What operations do to memory and the world -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_MEMORY_MEMORYORACLE_H
#define COMM_ANALYSIS_MEMORY_MEMORYORACLE_H

#include "Comm/Analysis/Memory/WorkEstimate.h"
#include "Comm/Analysis/Requests/RequestFlow.h"
#include "Comm/Dialect/Comm/IR/CommDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>

namespace comm {

struct LLVMModel;

/// What one operation may do besides computing its results. All false: it can be executed anywhere.
struct Behavior {
  bool reads = false;
  bool writes = false;
  /// It may not continue with the next operation: it throws, exits, aborts, jumps, or traps.
  bool mayLeave = false;
  /// It may throw, and that is the only way in which it may not continue (operator new).
  bool mayThrow = false;
  /// It may order memory accesses with those of another thread (atomics, fences, unknown calls).
  bool synchronizes = false;
  /// Volatile accesses, input and output: their order among themselves can be observed.
  bool isObservable = false;
  /// An MPI call that no comm op describes, or a call that may make one.
  bool communicates = false;
  /// A local MPI call that may change what later communication does by no argument of theirs: the buffer of buffered
  /// sends, the state of a datatype.
  bool changesMPIState = false;
  bool readsTime = false;
  /// Undefined behavior for some operands (a division): not to be executed where it was not.
  bool mayTrap = false;

  bool touchesMemory() const { return reads || writes; }
  /// It may not continue with the next operation, for one reason or the other.
  bool mayNotContinue() const { return mayLeave || mayThrow; }
  bool isPure() const {
    return !reads && !writes && !mayNotContinue() && !synchronizes && !isObservable && !communicates &&
           !changesMPIState && !readsTime && !mayTrap;
  }
  void join(const Behavior &other);
  static Behavior unknown();
};

/// What a wait for requests in memory touches because another operation started it.
struct InFlightAccess {
  MPIOpInterface start;
  BufferAccess access;
  /// The buffer's address without so many getelementptr: what the wait finds is somewhere in the object that it points
  /// into. 0: the address itself.
  unsigned steps = 0;
  /// Whether that pointer is at the wait what it was at the start. If it is not, it stands for all it has been.
  bool isSame = true;
};

/// Memory that a comm op touches: at its start, while it is in flight, or at its completion.
struct CommAccesses {
  llvm::SmallVector<BufferAccess> accesses;
  llvm::SmallVector<InFlightAccess, 0> inFlight;
  /// It may touch any memory: it completes requests that the IR does not show, or calls back.
  bool isUnknown = false;
};

/// The accesses of a comm op. A start has those of the whole operation; so has the completion of a request whose start
/// the IR shows: that is what keeps everything that conflicts with buffers in flight out of the overlap interval.
CommAccesses getCommAccesses(MPIOpInterface op);
/// Which arguments of an operation of MPI are asked about.
enum class Arguments : uint8_t {
  All,
  Requests // where its requests are
};
/// The same without what a one-sided operation may touch by its window, and a completion because others started it.
CommAccesses getArgumentAccesses(MPIOpInterface op, Arguments arguments = Arguments::All);

/// What MPI says of a function besides memory and messages, whether a call or an op calls it: neither throws nor,
/// unless the program is in error, fails to return. `isLocal`: no other process can take part.
Behavior getMPIBehavior(const mpi::Function &function, bool isLocal);
/// What MPI says of a comm op besides the memory that it touches.
Behavior getCommBehavior(MPIOpInterface op, const CommAccesses &accesses);
inline Behavior getCommBehavior(MPIOpInterface op) { return getCommBehavior(op, getCommAccesses(op)); }

/// True if the access may be anywhere in memory: MPI_BOTTOM, or a pointer that could be MPI_BOTTOM together with a
/// datatype that could hold absolute addresses (MPI-4, 5.1.5).
bool mayAccessAnything(MPIOpInterface op, const BufferAccess &access);

/// Answers for the operations of one module, which must not change while the oracle lives, apart from the order of its
/// operations.
class MemoryOracle {
public:
  virtual ~MemoryOracle();
  virtual Behavior getBehavior(mlir::Operation *op) = 0;
  /// True if one of the two may write memory that the other touches. `acrossIterations`: one of them is in a loop that
  /// the other is outside of, so that a value stands for more than one number.
  virtual bool mayConflict(mlir::Operation *a, mlir::Operation *b, bool acrossIterations) = 0;
  /// The same where `later` comes after `first` whenever both run, in a program that accesses objects by their types.
  virtual bool mayConflictInOrder(mlir::Operation *first, mlir::Operation *later, bool acrossIterations) {
    return mayConflict(first, later, acrossIterations);
  }
  /// The same for two units of one chain: nothing around both is executed once more between the two, so that values
  /// from before both are the same for both.
  virtual bool mayConflictInPass(mlir::Operation *first, mlir::Operation *later, bool acrossIterations) {
    return mayConflictInOrder(first, later, acrossIterations);
  }
  /// The same of what an operation of MPI touches by its arguments, and `op`: whatever else it may touch by its window
  /// or because others started what it completes.
  virtual bool mayConflictAtArguments(MPIOpInterface mpiOp, mlir::Operation *op, bool acrossIterations,
                                      Arguments arguments = Arguments::All) = 0;
  /// About how long the operation takes, those nested in it included, whenever control passes `around` once; it is in
  /// the same loops or in more. How long communication takes is not known.
  virtual WorkEstimate estimateWork(mlir::Operation *op, mlir::Operation *around);

  /// The starts that a wait for requests in memory completes, if a pass has found that they are known
  /// (kFollowedAttrName); else null.
  const CompletedStarts *getCompletedStarts(mlir::Operation *wait);

  /// The module as LLVM IR, as long as the oracle lives; null where it is not translated.
  virtual LLVMModel *getModel() { return nullptr; }

  /// LLVM's alias analysis where the module can be translated to LLVM IR (functions of the llvm dialect), MLIR's
  /// elsewhere.
  static std::unique_ptr<MemoryOracle> create(mlir::ModuleOp module);
  /// That is asked about operations of these functions only.
  static std::unique_ptr<MemoryOracle> create(mlir::ModuleOp module, llvm::ArrayRef<mlir::Operation *> functions);

protected:
  /// As getCommAccesses, and what requests in memory own.
  CommAccesses getAccesses(MPIOpInterface op);

  RequestFlows requests;
};

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_MEMORYORACLE_H
