//===- Annotate.h - What MPI says, told to the optimizer -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM takes MPI_Comm_rank(comm, &grid.rank) for a call that keeps a pointer to `grid`, by which every later call may
// change it. What the standard says (Comm/MPI/Effects.h) becomes attributes of MPI's declarations and variables of
// their own, so that counters, neighbors and communicators in structures become values.
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

/// Whether a call of MPI that returns may have failed, and an error handler of the program may have run in it. A file
/// cannot see the handlers of others, so `MayReturn` is the default; `AreFatal` is the program's promise.
enum class MPIErrors { MayReturn, AreFatal };

/// Gives MPI's declarations the attributes that follow from the standard. Functions with a body, and functions declared
/// with other parameters than MPI's, stay as they are.
///
/// A handler can read and write all that other files know, and throw: memory effects, and that a call does not unwind,
/// are facts only where none can run. Which addresses MPI keeps, reads and writes does not depend on handlers.
///
/// Returns true if anything changed.
bool annotateDeclarations(llvm::Module &module, MPIErrors errors);

/// Says that no function of MPI throws, which is so where the program gives MPI no function to call. Returns true if
/// anything changed.
bool annotateNoThrow(llvm::Module &module);

/// Ends each path after a call of MPI_Abort, which does not return (MPI-4, 9.7): by abort(), should it do so all the
/// same. Returns true if anything changed.
bool endAfterAbort(llvm::Module &module);

/// Says that members of std::vector keep no address of the vector. Returns true if anything changed.
bool annotateContainers(llvm::Module &module);

/// Says that products and quotients of complex numbers, which are functions of the compiler's library, compute and do
/// nothing else. Returns true if anything changed.
bool annotateArithmetic(llvm::Module &module);

/// Calls functions that return the memory which posix_memalign puts into a variable: LLVM then knows that it is nobody
/// else's. Returns true if anything changed.
bool returnAlignedAllocations(llvm::Module &module);

/// Says that functions which set errno change no int that is another variable: one that the file defines, or a member
/// of a structure. Returns true if anything changed.
bool separateErrno(llvm::Module &module);

/// Makes a case the default of each switch whose default is never reached. Returns true if anything changed.
bool leadDefaultsToCases(llvm::Function &function);

/// Gives each number and each handle that MPI puts out a variable of its own, from which it is copied after the call to
/// where the program wants it: a structure with MPI_Comm_rank(comm, &grid.rank) no longer meets MPI. Where errors may
/// return, the variable begins with the program's value, which a call that fails leaves as it is; that needs memory
/// which can be read. Numbers of a call that succeeded have the range that the standard says.
///
/// Returns true if anything changed.
bool separateOutputs(llvm::Function &function, const llvm::DominatorTree &dominance, MPIErrors errors);

/// Hands variables that parallel regions of OpenMP only read, and that nobody can change meanwhile, over as values
/// instead of by their addresses. After variables have become values (SROA). Returns true if anything changed.
bool passSharedValues(llvm::Module &module);

/// Says that the caller's rank in a predefined communicator is less than its size, where one of the two numbers is
/// known when the other is asked for. Only where errors are fatal; after separateOutputs. Returns true if anything
/// changed.
bool relateRanksToSizes(llvm::Function &function, const llvm::DominatorTree &dominance);

} // namespace comm

#endif // COMM_PLUGIN_ANNOTATE_ANNOTATE_H
