//===- FunctionSummary.h - What calling a function can do -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts about the functions of a whole LLVM module that code motion needs and
// that LLVM's own attributes do not say, or say of fewer functions. They are
// computed where the bodies are and travel as string attributes on the
// declarations, so that an extract of the module still knows them.
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

/// What a call of one function is known not to do. Everything starts as
/// "not known": false is always right, except where it says otherwise.
struct FunctionSummary {
  /// No exception leaves the function ("comm-no-throw").
  bool noThrow = false;
  /// Control comes back: no exit, abort, longjmp or exec, and no call that may
  /// do so ("comm-returns"). Loops that never end are not counted: a program
  /// that hangs hangs either way.
  bool returns = false;
  /// No atomic access, fence, volatile access, or call that may synchronize
  /// with another thread ("comm-nosync").
  bool noSync = false;
  /// No volatile access, and no call that may do input or output
  /// ("comm-no-io").
  bool noIO = false;
  /// No call of MPI, directly or through others ("comm-no-mpi").
  bool noMPI = false;
  /// As a parallel region of OpenMP, it synchronizes with no thread but those
  /// of its team, which end with it ("comm-team-sync"). So does all that does
  /// not synchronize.
  bool teamSync = false;
  /// As a region, it orders itself with other threads of the process by
  /// nothing but atomic accesses, fences, locks and critical sections
  /// ("comm-process-sync"): with nobody where there are no others.
  bool processSync = false;
  /// Of the C library, and it calls no function of the program
  /// ("comm-c-library"): not where the program makes streams of its own.
  bool ofCLibrary = false;
  /// It looks at errno, or calls a function with a body that does
  /// ("comm-looks-at-errno"). Here true is always right.
  bool looksAtErrno = false;
  /// Which argument makes it return without having done anything if it is 0
  /// ("comm-idle-if-zero"): functions that look at error codes.
  std::optional<unsigned> idleIfZero;
  /// What it touches, where OpenMP's runtime is called ("comm-touches"); LLVM
  /// knows what other functions touch.
  std::optional<TouchedMemory> touched;
  /// Of a parallel region that communication cannot cross whatever it touches:
  /// what it does ("comm-obstacle"), for remarks.
  std::string obstacle;
};

using FunctionSummaries = llvm::DenseMap<const llvm::Function *, FunctionSummary>;
using GetTargetLibraryInfo = llvm::function_ref<const llvm::TargetLibraryInfo &(const llvm::Function &)>;

/// Computes the summary of every function of `module`, which stays as it is.
/// A body counts only where the linker cannot put another function in its
/// place; inline functions (linkonce_odr) count, because every copy comes from
/// the same source.
FunctionSummaries computeFunctionSummaries(const llvm::Module &module, GetTargetLibraryInfo getTLI);

/// Whether it is a stream of the C library, by its name.
bool isStandardStream(const llvm::GlobalVariable &variable);

/// Whether the body that we see is the one that will run, or one compiled from
/// the same source.
bool bodyCounts(const llvm::Function &function);

/// Writes `summary` on `function` as the string attributes named above, those
/// that hold, and takes away those that do not.
void annotateFunction(llvm::Function &function, const FunctionSummary &summary);
/// Calls `visit` with the string attribute of each fact that holds.
void forEachFact(const FunctionSummary &summary, llvm::function_ref<void(llvm::StringRef)> visit);
/// The names of string attributes that are no facts.
inline constexpr llvm::StringLiteral kTouchesAttrName = "comm-touches";
inline constexpr llvm::StringLiteral kObstacleAttrName = "comm-obstacle";
inline constexpr llvm::StringLiteral kIdleIfZeroAttrName = "comm-idle-if-zero";
/// Of calls of a model that stand for calls of OpenMP's runtime.
inline constexpr llvm::StringLiteral kRunsRegionAttrName = "comm-runs-region";
/// Of functions that run while the process has no other thread that the program
/// made, except for threads of regions that they run.
inline constexpr llvm::StringLiteral kAloneAttrName = "comm-alone";
/// Adds the facts of such attributes.
void addFacts(FunctionSummary &summary, llvm::AttributeSet attributes);
/// What is known of the call of a region for who makes it: its threads end with it.
FunctionSummary summarizeRegionCall(const llvm::CallBase &call, FunctionSummary region);
/// The facts that the string attributes of `function` say.
FunctionSummary readSummary(const llvm::Function &function);

/// Computes and writes the summaries of all functions of `module`. Infers the
/// attributes of library functions first; for modules that did not come from
/// clang's optimizer.
void summarizeFunctions(llvm::Module &module, GetTargetLibraryInfo getTLI);

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_FUNCTIONSUMMARY_H
