//===- RankTables.h - What the linker joins for the runtime --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PLUGIN_RANKS_RANKTABLES_H
#define COMM_LIB_PLUGIN_RANKS_RANKTABLES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace comm {

/// The tables of a file, one section each, which runtime/lib/ranks-start finds between __start_ and __stop_ symbols:
///   comm_rank_fixups           where
///   comm_rank_optional_fixups  where, target: a fixup if the target is of each rank
///   comm_rank_foreign          variable, mask, name: the mask becomes all ones if the variable is of each rank
///   comm_rank_constructors     function, priority
/// An entry for a variable that the linker may drop, as another file has it too, is in the same COMDAT.
class RankTables {
public:
  explicit RankTables(llvm::Module &module) : module(module) {}

  /// A pointer in the initial value of `variable`; `target` may be null.
  void addFixup(llvm::GlobalVariable &variable, uint64_t offset, llvm::GlobalValue *target);
  /// All ones if `value`, which the linker finds, is of each rank, else zero. Where it has to be, as code would misread
  /// what it is otherwise, the program ends if it is not.
  llvm::Value *loadMask(llvm::IRBuilderBase &builder, llvm::GlobalValue &value, bool hasToBe);
  /// Makes constructors and destructors of the program those of each rank.
  void moveConstructors();
  /// Keeps the tables from being optimized away, and marks the object. Returns true if there are any.
  bool finish();

private:
  void add(llvm::StringRef section, llvm::ArrayRef<llvm::Constant *> fields, llvm::Comdat *comdat);
  void addConstructor(llvm::Constant *function, uint32_t priority, llvm::Comdat *comdat);
  llvm::Function *makeRegistration(llvm::Constant *destructor);
  void constructStreams();
  llvm::Constant *getOwnAddress(llvm::GlobalVariable &variable);

  llvm::Module &module;
  llvm::SmallVector<llvm::GlobalValue *> entries;
};

/// The address of a variable of the runtime that each kernel thread has.
llvm::Value *getRankThreadLocal(llvm::IRBuilderBase &builder, llvm::StringRef name, llvm::Type *type);

} // namespace comm

#endif // COMM_LIB_PLUGIN_RANKS_RANKTABLES_H
