//===- OptimizerOptions.h - Global options of LLVM's passes -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM options without a corresponding attribute: they apply to the whole process until they are reset. Options that
// the user set with -mllvm are not changed.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_UTILS_OPTIMIZEROPTIONS_H
#define COMM_PLUGIN_UTILS_OPTIMIZEROPTIONS_H

namespace llvm {
class Module;
} // namespace llvm

namespace comm {

/// Makes the inliner analyze functions as a whole, or restores the default. By default it stops at its usual cost
/// limit, before it reaches the higher one of `favorWrappers`.
void lookAtWholeFunctions(bool whole);

/// Keeps loads in loops where they are, or restores the default. If an iteration loads what the previous one loaded
/// (`u[j - 1]` after `u[j]`), LLVM forwards the value and hoists the first load out of the loop. A stencil then reads
/// its ghost columns outside of the loop over columns, and no iteration of that loop avoids them. LLVM still forwards
/// stored values, where profitable, after vectorization.
void keepLoadsInLoops(bool keep);

/// Disables jump threading that copies instructions, or restores the default. Where one branch follows another (unpack
/// if there is a neighbor, then a loop if there are rows), LLVM threads paths that skip the second branch past it from
/// within the first. The two then form one piece of control flow, which waits as a whole.
void keepBranchesApart(bool keep);

/// Disables copies of loops for either result of a condition that is the same in all iterations, or restores the
/// default. -O3 makes two nests of one if rows may have no points (`if (columns > 0)` around the inner loop), and then
/// neither is split. They are made afterwards.
void keepLoopsWhole(bool keep);

/// Makes alias analysis follow 1,000 uses of a pointer, or restores the default: a pointer with more than 100 uses is
/// assumed to escape. A grid in a structure with a dozen messages in a loop has more.
void lookAtAllUses(bool all);

/// Returns whether clang marked the module for link-time optimization, where its loops may end up next to those of
/// other files.
bool isPartOfProgram(const llvm::Module &module);

} // namespace comm

#endif // COMM_PLUGIN_UTILS_OPTIMIZEROPTIONS_H
