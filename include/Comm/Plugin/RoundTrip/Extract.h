//===- Extract.h - The communicating part of a module -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only functions that call MPI go through MLIR. The extract is a module of these functions in which everything else is
// a declaration; it records where each instruction came from.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_ROUNDTRIP_EXTRACT_H
#define COMM_PLUGIN_ROUNDTRIP_EXTRACT_H

#include "Comm/Analysis/Memory/FunctionSummary.h"
#include "Comm/Plugin/OpenMP/WorksharingLoops.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace comm {

/// An extract of a module, and the way back.
struct Extract {
  /// Shares the LLVMContext of the user's module. The debug location of each instruction is its number: line = index in
  /// `instructions` + 1, column 0.
  std::unique_ptr<llvm::Module> module;
  /// Maps names in the extract to the user's functions and variables.
  llvm::StringMap<llvm::GlobalValue *> globals;
  /// Names of variables that no pointer points to.
  llvm::StringSet<> privateVariables;
  /// The user's instructions, by number - 1.
  std::vector<const llvm::Instruction *> instructions;
  /// Loops that were the regions of parallel regions.
  std::vector<WorksharingLoop> worksharingLoops;
};

/// Returns whether `function` calls a function with a name that MPI reserves.
bool callsMPI(const llvm::Function &function);

/// Returns the reason why the body of `function` cannot be replaced, or nullopt if it can. The text completes the
/// sentence "Comm leaves this function as it is: ".
std::optional<std::string> whyNotExtractable(const llvm::Function &function);

/// Extracts the bodies of `functions`, which belong to one module and are all extractable; the module is not modified.
/// `summaries` are attached to the declarations. With `inlinesRegions`, regions that are worksharing loops become
/// loops.
Extract extractFunctions(llvm::ArrayRef<llvm::Function *> functions, const FunctionSummaries &summaries,
                         bool inlinesRegions = false);

/// Merges loads of the same place if nothing but messages comes between them that writes it. No error handler runs
/// where the extract does.
void mergeLoads(Extract &extract);

/// Returns the original of `inst` in a round-tripped extract, found by its debug location, or null.
const llvm::Instruction *originOf(const llvm::Instruction &inst, const Extract &extract);

} // namespace comm

#endif // COMM_PLUGIN_ROUNDTRIP_EXTRACT_H
