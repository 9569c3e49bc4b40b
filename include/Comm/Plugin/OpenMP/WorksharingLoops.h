//===- WorksharingLoops.h - Loops of parallel regions -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region that is one worksharing loop with a static schedule becomes a loop of the function that forks, in the
// extract alone, so that passes split and move it as they do with any loop. On the way back each such loop, copies
// included, is the body of a parallel region again. docs/iterations.md has the rules.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_OPENMP_WORKSHARINGLOOPS_H
#define COMM_PLUGIN_OPENMP_WORKSHARINGLOOPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace llvm {
class CallInst;
class Function;
class Instruction;
class Module;
} // namespace llvm

namespace comm {

/// The attribute of a function that is the region of such a loop: the name of the region that the loop stems from, as a
/// string.
inline constexpr llvm::StringLiteral kRegionAttr = "comm-region";

/// The schedule that gives each thread one range of iterations, as the runtime is told it (kmp_sch_static).
inline constexpr unsigned kStaticSchedule = 34;

/// A loop of a function of an extract that was the worksharing loop of a region. Instructions are their numbers there,
/// from 1. Names are those of the extract.
struct WorksharingLoop {
  std::string function, region;
  /// What the calls that forked and began the loop said of their place in the source.
  std::string forkPlace, loopPlace;
  /// The call that forked, and the branch that ends an iteration.
  unsigned fork = 0, latch = 0;
  /// What writes memory in the loop, and calls of functions.
  std::vector<unsigned> writes, calls;
};

/// The call's region if it may be such a loop and nothing around the call says otherwise; its body is the program's.
/// Null if not.
llvm::Function *findWorksharingRegion(const llvm::CallInst &fork);

/// Makes loops over all iterations of a copy of the region, if it is one or several worksharing loops and nothing else,
/// of which an iteration does the same whichever thread runs it. Returns the loops, without what is known of the call
/// that forks; none, with a body that means nothing, if it is not.
std::vector<WorksharingLoop> makeSerial(llvm::Function &region);

/// Puts the body of the region in the place of the call that forks.
bool inlineRegion(llvm::CallInst &fork, llvm::Function &region);

/// Makes values of what was in memory because regions got its address, once these are inlined: variables, and members
/// of structures.
void promoteSharedVariables(llvm::Function &function);

/// Makes parallel regions of all copies of `loops` in functions of `module`, in which debug locations are numbers of
/// instructions. Returns why that cannot be, or an empty text; the module then means nothing. `count` is the number of
/// regions.
std::string outlineWorksharingLoops(llvm::Module &module, llvm::ArrayRef<WorksharingLoop> loops, unsigned &count);

} // namespace comm

#endif // COMM_PLUGIN_OPENMP_WORKSHARINGLOOPS_H
