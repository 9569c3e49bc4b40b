//===- WorksharingLoops.h - Loops of parallel regions -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region that is one worksharing loop with a static schedule becomes a loop of the forking function, in the extract
// only. Passes then split and move it like any other loop. On the way back, each such loop, copies included, becomes
// the body of a parallel region again. docs/iterations.md has the rules.
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

/// String attribute of a function that is the region of such a loop. Its value is the name of the original region.
inline constexpr llvm::StringLiteral kRegionAttr = "comm-region";

/// The schedule that gives each thread one range of iterations, in the runtime's encoding (kmp_sch_static).
inline constexpr unsigned kStaticSchedule = 34;

/// A loop in a function of an extract that was the worksharing loop of a region. Instructions are identified by their
/// numbers in the extract, counted from 1; names are those of the extract.
struct WorksharingLoop {
  std::string function, region;
  /// Source locations passed to the calls that forked and that began the loop.
  std::string forkPlace, loopPlace;
  /// The forking call, and the branch that ends an iteration.
  unsigned fork = 0, latch = 0;
  /// Instructions in the loop that write memory, and calls.
  std::vector<unsigned> writes, calls;
};

/// Returns the region of the call if it may be such a loop, is defined by the program, and no context of the call
/// forbids the transformation; null otherwise.
llvm::Function *findWorksharingRegion(const llvm::CallInst &fork);

/// Turns a copy of a region into loops over all iterations, provided that the region consists of worksharing loops only
/// and each iteration does the same in any thread. Returns the loops, with the fields about the forking call unset.
/// Returns an empty vector, and leaves the body invalid, if the region does not qualify.
std::vector<WorksharingLoop> makeSerial(llvm::Function &region);

/// Replaces the forking call by the body of the region.
bool inlineRegion(llvm::CallInst &fork, llvm::Function &region);

/// Promotes variables and members of structures to SSA values that were in memory only because regions, which are now
/// inlined, took their address.
void promoteSharedVariables(llvm::Function &function);

/// Turns all copies of `loops` in functions of `module`, whose debug locations are instruction numbers, back into
/// parallel regions and counts these in `count`. Returns an empty string, or the reason for a failure, in which case
/// the module is invalid.
std::string outlineWorksharingLoops(llvm::Module &module, llvm::ArrayRef<WorksharingLoop> loops, unsigned &count);

} // namespace comm

#endif // COMM_PLUGIN_OPENMP_WORKSHARINGLOOPS_H
