//===- RankDiagnostics.h - What the passes for ranks say -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Through LLVMContext, so that clang prints them as its own, with the line of the source.
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

/// A warning at an instruction: -Wpass-failed=PASS in clang.
void warnAt(const char *pass, const llvm::Instruction &instruction, const llvm::Twine &message);

/// A warning at a variable's declaration where debug info tells it, else at its first use.
void warnAt(const char *pass, const llvm::GlobalVariable &variable, const llvm::Twine &message);

/// A remark at a variable's declaration, for -Rpass=PASS. `size` is in bytes.
void remarkPrivatized(const char *pass, const llvm::GlobalVariable &variable, uint64_t size);

/// "file:line:column: " of an instruction, or "file: " where that is all there is.
std::string describeLocation(const llvm::Instruction &instruction);

/// A variable's name as its author wrote it.
std::string describe(const llvm::GlobalVariable &variable);

} // namespace comm

#endif // COMM_LIB_PLUGIN_RANKS_RANKDIAGNOSTICS_H
