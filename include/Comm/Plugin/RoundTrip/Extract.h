//===- Extract.h - The communicating part of a module -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only functions that call MPI go through MLIR. This makes a module of them
// in which all else is a declaration, and remembers where each instruction
// came from.
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
  /// In the same LLVMContext as the user's module. The debug location of each
  /// instruction is its number: line = index in `instructions` + 1, column 0.
  std::unique_ptr<llvm::Module> module;
  /// Name in the extract to the user's function or variable.
  llvm::StringMap<llvm::GlobalValue *> globals;
  /// Names of variables that no pointer points to.
  llvm::StringSet<> privateVariables;
  /// The user's instructions, by number - 1.
  std::vector<const llvm::Instruction *> instructions;
  /// Loops that were the regions of parallel regions.
  std::vector<WorksharingLoop> worksharingLoops;
};

/// Whether `function` calls a function whose name MPI reserves.
bool callsMPI(const llvm::Function &function);

/// Why the body of `function` cannot be replaced, or nothing if it can. The
/// text completes the sentence "Comm leaves this function as it is: ".
std::optional<std::string> whyNotExtractable(const llvm::Function &function);

/// Makes the extract that holds the bodies of `functions`, all of one module,
/// each extractable. `summaries` are written on the declarations. The module
/// of `functions` is not touched. With `inlinesRegions`, regions that are worksharing loops become loops.
Extract extractFunctions(llvm::ArrayRef<llvm::Function *> functions, const FunctionSummaries &summaries,
                         bool inlinesRegions = false);

/// Makes one of loads between which nothing has written, as messages do not write: where the extract runs, no error
/// handler of the program does.
void mergeLoads(Extract &extract);

/// The original instruction that `inst` of a round-tripped extract stems from,
/// by its debug location, or null.
const llvm::Instruction *originOf(const llvm::Instruction &inst, const Extract &extract);

} // namespace comm

#endif // COMM_PLUGIN_ROUNDTRIP_EXTRACT_H
