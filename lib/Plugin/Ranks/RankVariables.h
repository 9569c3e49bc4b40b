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

/// Whose a variable is. A declaration is `Unknown`: the file that defines it decides, and its marker tells.
enum class Sharing { Shared, PerRank, Unknown };

/// A pointer in the initial value of a variable, which each rank's copy of it needs displaced.
struct InitialPointer {
  llvm::GlobalVariable *variable;
  uint64_t offset; // bytes from the variable's beginning
  /// The declared variable that it points into, if it depends on that one whether the rank's copy is displaced.
  llvm::GlobalVariable *target;
};

/// The variables of a module, sorted by whose they are.
class RankVariables {
public:
  explicit RankVariables(llvm::Module &module);

  /// Of a variable, or of an alias of one.
  Sharing of(const llvm::GlobalValue &value) const;
  bool isPerRank(const llvm::GlobalValue &value) const { return of(value) == Sharing::PerRank; }
  llvm::ArrayRef<llvm::GlobalVariable *> perRank() const { return definitions.getArrayRef(); }
  llvm::ArrayRef<llvm::GlobalVariable *> unknown() const { return declarations.getArrayRef(); }
  /// thread_local variables of other files, which are per rank there.
  llvm::ArrayRef<llvm::GlobalVariable *> foreignThreadLocal() const { return foreign.getArrayRef(); }
  const std::vector<InitialPointer> &initialPointers() const { return pointers; }
  /// Variables of which not each rank has a right copy, and why.
  const std::vector<std::pair<llvm::GlobalVariable *, std::string>> &troubles() const { return trouble; }

  /// The symbol that the file which defines `variable` defines too if the variable is per rank. Made if needed.
  llvm::GlobalVariable *getMarker(llvm::GlobalVariable &variable);
  static std::string getMarkerName(const llvm::GlobalValue &value);

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
