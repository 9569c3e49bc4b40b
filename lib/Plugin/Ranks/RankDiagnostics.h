//===- RankDiagnostics.h - Diagnostics for ranks ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diagnostics go through LLVMContext, which makes clang print them like its own, with source lines.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PLUGIN_RANKS_RANKDIAGNOSTICS_H
#define COMM_LIB_PLUGIN_RANKS_RANKDIAGNOSTICS_H

#include "llvm/ADT/Twine.h"

#include <string>

namespace llvm {
class GlobalVariable;
class Instruction;
class Module;
} // namespace llvm

namespace comm {

/// Warns at an instruction: -Wpass-failed=PASS in clang.
void warnAt(const char *pass, const llvm::Instruction &instruction, const llvm::Twine &message);

/// Warns at a variable's declaration if debug info has it, else at its first use.
void warnAt(const char *pass, const llvm::GlobalVariable &variable, const llvm::Twine &message);

/// Emits a remark at a variable's declaration, for -Rpass=PASS. `size` is in bytes.
void remarkPrivatized(const char *pass, const llvm::GlobalVariable &variable, uint64_t size);

/// Returns "file:line:column: " of an instruction, or "file: " if there is nothing more precise.
std::string describeLocation(const llvm::Instruction &instruction);

/// Returns a variable's name as written in the source.
std::string describe(const llvm::GlobalVariable &variable);

} // namespace comm

#endif // COMM_LIB_PLUGIN_RANKS_RANKDIAGNOSTICS_H
