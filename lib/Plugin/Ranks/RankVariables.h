//===- RankVariables.h - Per-rank variables ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PLUGIN_RANKS_RANKVARIABLES_H
#define COMM_LIB_PLUGIN_RANKS_RANKVARIABLES_H

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

#include <string>
#include <utility>
#include <vector>

namespace comm {

/// Whether a variable is per rank. `Unknown`: another file or library may define it, and a mask tells at run time.
enum class Sharing { Shared, PerRank, Unknown };

/// A pointer in the initial value of a variable that must be displaced in each rank's copy.
struct InitialPointer {
  llvm::GlobalVariable *variable;
  uint64_t offset; // bytes from the variable's beginning
  /// The variable that it points into, if that is `Unknown` and decides whether the pointer is displaced.
  llvm::GlobalValue *target;
};

/// The variables of a module, by Sharing.
class RankVariables {
public:
  explicit RankVariables(llvm::Module &module);

  /// Returns the sharing of a variable or an alias.
  Sharing of(const llvm::GlobalValue &value) const;
  /// Definitions of per-rank variables, whether or not the linker selects them.
  llvm::ArrayRef<llvm::GlobalVariable *> perRank() const { return definitions.getArrayRef(); }
  llvm::ArrayRef<llvm::GlobalVariable *> unknown() const { return declarations.getArrayRef(); }
  /// thread_local variables of other files, which must be per rank there.
  llvm::ArrayRef<llvm::GlobalVariable *> foreignThreadLocal() const { return foreign.getArrayRef(); }
  bool isForeignThreadLocal(const llvm::GlobalValue &value) const {
    const auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(&value);
    return variable && foreign.contains(const_cast<llvm::GlobalVariable *>(variable));
  }
  const std::vector<InitialPointer> &initialPointers() const { return pointers; }
  /// Variables that some ranks have no correct copy of, with the reason.
  const std::vector<std::pair<llvm::GlobalVariable *, std::string>> &troubles() const { return trouble; }

private:
  bool hasRankPointers(const llvm::GlobalVariable &variable) const;
  void collectPointers(llvm::GlobalVariable &variable);

  llvm::Module &module;
  llvm::SetVector<llvm::GlobalVariable *> definitions, declarations, foreign;
  std::vector<InitialPointer> pointers;
  std::vector<std::pair<llvm::GlobalVariable *, std::string>> trouble;
};

} // namespace comm

#endif // COMM_LIB_PLUGIN_RANKS_RANKVARIABLES_H
