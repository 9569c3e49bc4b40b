//===- LLVMValueMap.h - Mapping model values to MLIR ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_FOOTPRINTS_LLVMVALUEMAP_H
#define COMM_LIB_ANALYSIS_FOOTPRINTS_LLVMVALUEMAP_H

#include "Comm/Analysis/Footprints/Footprint.h"
#include "Comm/Analysis/Memory/LLVMModel.h"

namespace comm {

/// Maps values of the translation back to values of the module.
class LLVMValueMap {
public:
  explicit LLVMValueMap(const LLVMModel &model);
  /// Returns null for constants and for results of comm ops.
  mlir::Value get(const llvm::Value *value) const { return values.lookup(value); }
  llvm::Value *getTranslated(mlir::Value value) const { return translated.lookup(value); }
  const llvm::BasicBlock *getBlock(mlir::Block *block) const { return blocks.lookup(block); }
  /// Returns null for blocks that the translation added, and for null.
  mlir::Block *getOriginal(const llvm::BasicBlock *block) const { return originals.lookup(block); }
  /// Returns the base for a global or an available value, as seen from this function.
  Base getBase(const llvm::Function &function, const llvm::Value *pointer,
               llvm::function_ref<mlir::Value(const llvm::Value *)> getAvailable) const;

private:
  mlir::MLIRContext *context = nullptr;
  llvm::DenseMap<const llvm::Value *, mlir::Value> values;
  llvm::DenseMap<mlir::Value, llvm::Value *> translated;
  llvm::DenseMap<mlir::Block *, const llvm::BasicBlock *> blocks;
  llvm::DenseMap<const llvm::BasicBlock *, mlir::Block *> originals;
  /// Addresses of globals that a function computes at its beginning.
  llvm::DenseMap<const llvm::Function *, llvm::DenseMap<mlir::StringAttr, mlir::Value>> globalAddresses;
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_FOOTPRINTS_LLVMVALUEMAP_H
