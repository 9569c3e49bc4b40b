//===- Annotate.h - MPI's semantics as LLVM attributes ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM assumes that MPI_Comm_rank(comm, &grid.rank) captures a pointer to `grid`, which lets every later call change
// it. This states the standard's guarantees (Comm/MPI/Effects.h) as attributes of MPI's declarations and gives outputs
// variables of their own. Counters, neighbors and communicators in structures then become SSA values.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_ANNOTATE_ANNOTATE_H
#define COMM_PLUGIN_ANNOTATE_ANNOTATE_H

namespace llvm {
class DominatorTree;
class Function;
class Module;
} // namespace llvm

namespace comm {

/// Whether a call to MPI that returns may have failed after running an error handler of the program. One file cannot
/// see the handlers that others install, so `MayReturn` is the default; `AreFatal` is the program's promise.
enum class MPIErrors { MayReturn, AreFatal };

/// Adds the attributes that follow from the standard to MPI's declarations. Skips functions that have a body or whose
/// parameters differ from MPI's.
///
/// An error handler can throw and can read and write everything that other files know. Memory effects and nounwind
/// therefore hold only where no handler can run. Which addresses MPI captures, reads and writes does not depend on
/// handlers.
///
/// Returns true if anything changed.
bool annotateDeclarations(llvm::Module &module, MPIErrors errors);

/// Marks MPI's functions nounwind, which is valid if the program passes no function to MPI. Returns true if anything
/// changed.
bool annotateNoThrow(llvm::Module &module);

/// Ends each path after a call to MPI_Abort, which does not return (MPI-4, 9.7), with a call to abort() in case it
/// returns anyway. Returns true if anything changed.
bool endAfterAbort(llvm::Module &module);

/// Marks the `this` pointer of std::vector's member functions as not captured. Returns true if anything changed.
bool annotateContainers(llvm::Module &module);

/// Marks the compiler's library functions for complex multiplication and division as free of side effects. Returns true
/// if anything changed.
bool annotateArithmetic(llvm::Module &module);

/// Replaces posix_memalign by a function that returns the allocated memory, so that LLVM knows that nothing else points
/// to it. Returns true if anything changed.
bool returnAlignedAllocations(llvm::Module &module);

/// Tells LLVM that functions that set errno do not modify ints that cannot be errno: variables that the file defines
/// and members of structures. Returns true if anything changed.
bool separateErrno(llvm::Module &module);

/// Replaces each unreachable switch default by one of the cases. Returns true if anything changed.
bool leadDefaultsToCases(llvm::Function &function);

/// Makes MPI write each number and handle to a variable of its own, which is copied to the program's destination after
/// the call: MPI_Comm_rank(comm, &grid.rank) then no longer captures the structure. If errors may return, the variable
/// is initialized from the destination, because a failed call leaves it unchanged; the destination must then be
/// readable. Otherwise the loaded numbers get the range that the standard guarantees.
///
/// Returns true if anything changed.
bool separateOutputs(llvm::Function &function, const llvm::DominatorTree &dominance, MPIErrors errors);

/// Passes variables that OpenMP parallel regions only read, and that nothing can modify meanwhile, by value instead of
/// by address. Run it after SROA. Returns true if anything changed.
bool passSharedValues(llvm::Module &module);

/// Tells LLVM that the rank in a predefined communicator is less than its size, where one of the two is known when the
/// program asks for the other. Valid only if errors are fatal; run it after separateOutputs. Returns true if anything
/// changed.
bool relateRanksToSizes(llvm::Function &function, const llvm::DominatorTree &dominance);

} // namespace comm

#endif // COMM_PLUGIN_ANNOTATE_ANNOTATE_H
