//===- FunctionSummary.h - Effects of calling a function --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts about the functions of a whole LLVM module that code motion needs and that LLVM's own attributes do not
// express, or for fewer functions. They are computed from the bodies and stored as string attributes on the
// declarations, so that an extract of the module still has them.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_MEMORY_FUNCTIONSUMMARY_H
#define COMM_ANALYSIS_MEMORY_FUNCTIONSUMMARY_H

#include "Comm/Analysis/Memory/TouchedMemory.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace llvm {
class AttributeSet;
class CallBase;
class Function;
class GlobalVariable;
class Module;
class TargetLibraryInfo;
} // namespace llvm

namespace comm {

/// What a call of a function is known not to do. All facts default to "not known": false is always safe, except where
/// noted.
struct FunctionSummary {
  /// No exception leaves the function ("comm-no-throw").
  bool noThrow = false;
  /// Control comes back: no exit, abort, longjmp or exec, and no call that may do so ("comm-returns"). Infinite loops
  /// do not count: a program that hangs would hang anyway.
  bool returns = false;
  /// No atomic access, fence, volatile access, or call that may synchronize
  /// with another thread ("comm-nosync").
  bool noSync = false;
  /// No volatile access, and no call that may do input or output
  /// ("comm-no-io").
  bool noIO = false;
  /// No call of MPI, directly or through others ("comm-no-mpi").
  bool noMPI = false;
  /// As a parallel region of OpenMP, the function only synchronizes with threads of its team, which end with it
  /// ("comm-team-sync"). Also true if it does not synchronize at all.
  bool teamSync = false;
  /// As a region, it synchronizes with other threads of the process only by atomic accesses, fences, locks and critical
  /// sections ("comm-process-sync"): with no one if there are no other threads.
  bool processSync = false;
  /// A function of the C library that calls no function of the program ("comm-c-library"). Not set if the program
  /// creates streams of its own.
  bool ofCLibrary = false;
  /// It reads errno, or calls a function with a body that does ("comm-looks-at-errno"). Here true is always safe.
  bool looksAtErrno = false;
  /// The argument that makes it return without doing anything if it is 0 ("comm-idle-if-zero"): functions that check
  /// error codes.
  std::optional<unsigned> idleIfZero;
  /// The memory that it touches, for callers of OpenMP's runtime ("comm-touches"). LLVM handles other functions.
  std::optional<TouchedMemory> touched;
  /// For a parallel region that communication can never cross: the reason, for remarks ("comm-obstacle").
  std::string obstacle;
};

using FunctionSummaries = llvm::DenseMap<const llvm::Function *, FunctionSummary>;
using GetTargetLibraryInfo = llvm::function_ref<const llvm::TargetLibraryInfo &(const llvm::Function &)>;

/// Computes the summary of every function of `module`, which is not changed. A body counts only if the linker cannot
/// replace it; inline functions (linkonce_odr) count, because every copy comes from the same source.
FunctionSummaries computeFunctionSummaries(const llvm::Module &module, GetTargetLibraryInfo getTLI);

/// Whether the name is that of a standard stream of the C library.
bool isStandardStream(const llvm::GlobalVariable &variable);

/// Whether the body that we see will run, or one compiled from the same source.
bool bodyCounts(const llvm::Function &function);

/// Stores `summary` on `function` as the string attributes named above: adds those that hold and removes the others.
void annotateFunction(llvm::Function &function, const FunctionSummary &summary);
/// Calls `visit` with the string attribute of each fact that holds.
void forEachFact(const FunctionSummary &summary, llvm::function_ref<void(llvm::StringRef)> visit);
/// String attributes that are not facts.
inline constexpr llvm::StringLiteral kTouchesAttrName = "comm-touches";
inline constexpr llvm::StringLiteral kObstacleAttrName = "comm-obstacle";
inline constexpr llvm::StringLiteral kIdleIfZeroAttrName = "comm-idle-if-zero";
/// For calls of a model that stand for calls of OpenMP's runtime.
inline constexpr llvm::StringLiteral kRunsRegionAttrName = "comm-runs-region";
/// For functions that only run while the process has no threads other than the main one and those of regions that they
/// run.
inline constexpr llvm::StringLiteral kAloneAttrName = "comm-alone";
/// Adds the facts that the attributes state.
void addFacts(FunctionSummary &summary, llvm::AttributeSet attributes);
/// Returns the summary of a region from the point of view of its caller: its threads end with it.
FunctionSummary summarizeRegionCall(const llvm::CallBase &call, FunctionSummary region);
/// Returns the facts that the string attributes of `function` state.
FunctionSummary readSummary(const llvm::Function &function);

/// Computes and stores the summaries of all functions of `module`, after inferring the attributes of library functions.
/// For modules that did not come from clang's optimizer.
void summarizeFunctions(llvm::Module &module, GetTargetLibraryInfo getTLI);

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_FUNCTIONSUMMARY_H
