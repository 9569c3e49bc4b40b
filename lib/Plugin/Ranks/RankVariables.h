//===- RankVariables.h - Which variables each rank has for itself --*- C++ -*-===//
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

/// Whose a variable is. `Unknown`: another file or library may define it, which decides; a mask tells when the program
/// runs.
enum class Sharing { Shared, PerRank, Unknown };

/// A pointer in the initial value of a variable, which each rank's copy of it needs displaced.
struct InitialPointer {
  llvm::GlobalVariable *variable;
  uint64_t offset; // bytes from the variable's beginning
  /// What it points into, if that is `Unknown`: it depends on it whether the rank's copy is displaced.
  llvm::GlobalValue *target;
};

/// The variables of a module, sorted by whose they are.
class RankVariables {
public:
  explicit RankVariables(llvm::Module &module);

  /// Of a variable, or of an alias of one.
  Sharing of(const llvm::GlobalValue &value) const;
  /// The definitions of variables of each rank, whether or not the linker takes another one in their place.
  llvm::ArrayRef<llvm::GlobalVariable *> perRank() const { return definitions.getArrayRef(); }
  llvm::ArrayRef<llvm::GlobalVariable *> unknown() const { return declarations.getArrayRef(); }
  /// thread_local variables of other files, which have to be per rank there.
  llvm::ArrayRef<llvm::GlobalVariable *> foreignThreadLocal() const { return foreign.getArrayRef(); }
  bool isForeignThreadLocal(const llvm::GlobalValue &value) const {
    const auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(&value);
    return variable && foreign.contains(const_cast<llvm::GlobalVariable *>(variable));
  }
  const std::vector<InitialPointer> &initialPointers() const { return pointers; }
  /// Variables of which not each rank has a right copy, and why.
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
