//===- RankTables.h - Tables that the linker joins --------------*- C++ -*-===//
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
///   comm_rank_optional_fixups  where, target: a fixup if the target is per rank
///   comm_rank_foreign          variable, mask, name: the mask becomes all ones if the variable is per rank
///   comm_rank_constructors     function, priority
/// The entry of a variable that the linker may discard, because another file also defines it, is in the same COMDAT.
class RankTables {
public:
  explicit RankTables(llvm::Module &module) : module(module) {}

  /// Adds a pointer in the initial value of `variable`; `target` may be null.
  void addFixup(llvm::GlobalVariable &variable, uint64_t offset, llvm::GlobalValue *target);
  /// Returns all ones if `value`, which the linker resolves, is per rank, else zero. With `hasToBe`, because code would
  /// misread the variable otherwise, the program exits if it is not.
  llvm::Value *loadMask(llvm::IRBuilderBase &builder, llvm::GlobalValue &value, bool hasToBe);
  /// Makes the program's constructors and destructors run in each rank.
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

/// Returns the address of a thread-local variable of the runtime.
llvm::Value *getRankThreadLocal(llvm::IRBuilderBase &builder, llvm::StringRef name, llvm::Type *type);

} // namespace comm

#endif // COMM_LIB_PLUGIN_RANKS_RANKTABLES_H
