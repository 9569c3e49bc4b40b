//===- CallCopies.h - Keeping MPI calls unduplicated ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where two branches test the same condition, jump threading copies the code between them into both arms. The copies of
// messages, and of the loops around them, end up in separate branches, where nothing can overlap. `convergent` forbids
// such copies; it stays until Comm has run.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_ANNOTATE_CALLCOPIES_H
#define COMM_PLUGIN_ANNOTATE_CALLCOPIES_H

namespace llvm {
class Module;
} // namespace llvm

namespace comm {

/// Prevents calls to functions that communicate from being copied into branches. Returns true if anything changed.
bool forbidCallCopies(llvm::Module &module);

/// Lets the optimizer copy MPI calls again. Returns true if anything changed.
bool allowCallCopies(llvm::Module &module);

} // namespace comm

#endif // COMM_PLUGIN_ANNOTATE_CALLCOPIES_H
