//===- CallCopies.h - One call of MPI stays one ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where two branches ask the same, LLVM copies what is between them into both arms (jump threading). Copies of messages
// and of the loops around them are in branches of their own, where nothing can overlap. `convergent` says that a call
// must not be copied into branches; it stays until Comm has had its turn.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_ANNOTATE_CALLCOPIES_H
#define COMM_PLUGIN_ANNOTATE_CALLCOPIES_H

namespace llvm {
class Module;
} // namespace llvm

namespace comm {

/// Keeps calls of functions that communicate from being copied into branches. Returns true if anything changed.
bool forbidCallCopies(llvm::Module &module);

/// Lets the optimizer copy calls of MPI again. Returns true if anything changed.
bool allowCallCopies(llvm::Module &module);

} // namespace comm

#endif // COMM_PLUGIN_ANNOTATE_CALLCOPIES_H
