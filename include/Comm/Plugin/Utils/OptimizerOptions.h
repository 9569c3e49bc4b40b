//===- OptimizerOptions.h - What LLVM's passes are told to do -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options of LLVM that have no attribute: they hold for the whole process, until they are taken back. What the user has
// set by -mllvm stays.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_UTILS_OPTIMIZEROPTIONS_H
#define COMM_PLUGIN_UTILS_OPTIMIZEROPTIONS_H

namespace llvm {
class Module;
} // namespace llvm

namespace comm {

/// The inliner stops looking at a function where it has reached the limit of other functions, before it sees the one of
/// `favorWrappers`. Here it looks at functions as a whole, or as it does by default.
void lookAtWholeFunctions(bool whole);

/// Where an iteration loads again what the one before has loaded (`u[j - 1]` after `u[j]`), LLVM hands the value over,
/// and loads the first one in front of the loop. A stencil then reads its ghost columns outside of the loop over
/// columns, and no iteration of that loop keeps off them. Here it leaves such loads where they are, or does as by
/// default. LLVM hands over what has been stored, where that is shorter, once loops are vectorized.
void keepLoadsInLoops(bool keep);

/// Where one branch follows another (unpack if there is a neighbor, then a loop if there are rows), LLVM leads what is
/// known to skip the second one past it from within the first. Then the two are one piece of control flow, which waits
/// as a whole. Here it copies no instructions for that, or does as by default.
void keepBranchesApart(bool keep);

/// Alias analysis takes a pointer with more than 100 uses for known to everybody. A grid in a structure, with a dozen
/// messages in a loop, has more. Here it looks at 1,000, or at as many as by default.
void lookAtAllUses(bool all);

/// Whether link-time optimization goes on with the module, as clang says of it: its loops may come next to those of
/// other files.
bool isPartOfProgram(const llvm::Module &module);

} // namespace comm

#endif // COMM_PLUGIN_UTILS_OPTIMIZEROPTIONS_H
