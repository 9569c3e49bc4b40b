//===- MemoryOracle.h - Effects of operations -------------------*- C++ -*-===//
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

/// The effects of one operation besides computing its results. If all are false, it can run anywhere.
struct Behavior {
  bool reads = false;
  bool writes = false;
  /// It may not continue with the next operation: it exits, aborts, jumps, traps, or throws.
  bool mayLeave = false;
  /// It may throw, and otherwise always continues (operator new).
  bool mayThrow = false;
  /// It may order memory accesses with those of another thread (atomics, fences, unknown calls).
  bool synchronizes = false;
  /// Volatile accesses, input and output, whose relative order can be observed.
  bool isObservable = false;
  /// An MPI call that has no comm op, or a call that may make one.
  bool communicates = false;
  /// A local MPI call that may affect later communication other than by its arguments: the buffer of buffered sends,
  /// the state of a datatype.
  bool changesMPIState = false;
  bool readsTime = false;
  /// Undefined behavior for some operands (a division): must not run where it would not have run.
  bool mayTrap = false;

  bool touchesMemory() const { return reads || writes; }
  /// It may not continue with the next operation, for either reason.
  bool mayNotContinue() const { return mayLeave || mayThrow; }
  bool isPure() const {
    return !reads && !writes && !mayNotContinue() && !synchronizes && !isObservable && !communicates &&
           !changesMPIState && !readsTime && !mayTrap;
  }
  void join(const Behavior &other);
  static Behavior unknown();
};

/// Memory that a wait for requests in memory touches because of the operation that started the request.
struct InFlightAccess {
  MPIOpInterface start;
  BufferAccess access;
  /// The number of getelementptr to strip from the buffer's address: the wait only knows the object that the resulting
  /// pointer points into. 0: the address itself.
  unsigned steps = 0;
  /// Whether that pointer has the same value at the wait as at the start. If not, it stands for all values it has had.
  bool isSame = true;
};

/// The memory that a comm op touches: at its start, while it is in flight, or at its completion.
struct CommAccesses {
  llvm::SmallVector<BufferAccess> accesses;
  llvm::SmallVector<InFlightAccess, 0> inFlight;
  /// It may touch any memory: it completes requests that the IR does not show, or calls back.
  bool isUnknown = false;
};

/// Returns the accesses of a comm op. A start has those of the whole operation, and so does the completion of a request
/// whose start the IR shows. This keeps everything that conflicts with buffers in flight out of the overlap interval.
CommAccesses getCommAccesses(MPIOpInterface op);
/// The arguments of an MPI operation to consider.
enum class Arguments : uint8_t {
  All,
  Requests // only the memory of its requests
};
/// Like getCommAccesses, without accesses through windows or to buffers of operations that a completion completes.
CommAccesses getArgumentAccesses(MPIOpInterface op, Arguments arguments = Arguments::All);

/// Returns what MPI specifies for a function besides memory and messages, for calls and ops alike: it does not throw
/// and, unless the program is erroneous, returns. `isLocal`: no other process can be involved.
Behavior getMPIBehavior(const mpi::Function &function, bool isLocal);
/// Returns what MPI specifies for a comm op besides the memory that it touches.
Behavior getCommBehavior(MPIOpInterface op, const CommAccesses &accesses);
inline Behavior getCommBehavior(MPIOpInterface op) { return getCommBehavior(op, getCommAccesses(op)); }

/// Whether the access may be anywhere in memory: its buffer is MPI_BOTTOM, or a pointer that could be MPI_BOTTOM
/// together with a datatype that could hold absolute addresses (MPI-4, 5.1.5).
bool mayAccessAnything(MPIOpInterface op, const BufferAccess &access);

/// Answers queries about the operations of one module. During its lifetime, the module may change only in the order of
/// its operations.
class MemoryOracle {
public:
  virtual ~MemoryOracle();
  virtual Behavior getBehavior(mlir::Operation *op) = 0;
  /// Whether one of the two may write memory that the other touches. `acrossIterations`: one of them is in a loop and
  /// the other is not, so that a value stands for several runtime values.
  virtual bool mayConflict(mlir::Operation *a, mlir::Operation *b, bool acrossIterations) = 0;
  /// The same if `later` follows `first` whenever both run, in a program that accesses objects by their types.
  virtual bool mayConflictInOrder(mlir::Operation *first, mlir::Operation *later, bool acrossIterations) {
    return mayConflict(first, later, acrossIterations);
  }
  /// The same for two units of one chain. No surrounding loop iterates between them, so values from before both have
  /// the same runtime value in both.
  virtual bool mayConflictInPass(mlir::Operation *first, mlir::Operation *later, bool acrossIterations) {
    return mayConflictInOrder(first, later, acrossIterations);
  }
  /// Whether the memory that the arguments of an MPI operation refer to conflicts with `op`. Ignores what the MPI
  /// operation may touch through its window or because of what it completes.
  virtual bool mayConflictAtArguments(MPIOpInterface mpiOp, mlir::Operation *op, bool acrossIterations,
                                      Arguments arguments = Arguments::All) = 0;
  /// Estimates how long the operation takes each time that control passes `around`, including nested operations. It is
  /// in the same loops as `around` or in more. The time of communication is unknown.
  virtual WorkEstimate estimateWork(mlir::Operation *op, mlir::Operation *around);

  /// Returns the starts that a wait for requests in memory completes, if a pass has determined them
  /// (kFollowedAttrName), and null otherwise.
  const CompletedStarts *getCompletedStarts(mlir::Operation *wait);

  /// Returns the module as LLVM IR, valid while the oracle lives. Null if it was not translated.
  virtual LLVMModel *getModel() { return nullptr; }

  /// Uses LLVM's alias analysis if the module can be translated to LLVM IR (functions of the llvm dialect), and MLIR's
  /// otherwise.
  static std::unique_ptr<MemoryOracle> create(mlir::ModuleOp module);
  /// For queries about operations of these functions only.
  static std::unique_ptr<MemoryOracle> create(mlir::ModuleOp module, llvm::ArrayRef<mlir::Operation *> functions);

protected:
  /// Like getCommAccesses, and adds the buffers of requests in memory.
  CommAccesses getAccesses(MPIOpInterface op);

  RequestFlows requests;
};

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_MEMORYORACLE_H
