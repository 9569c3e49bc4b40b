//===- ControlFlow.h - Branches in the dialect of their function --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TRANSFORMS_UTILS_CONTROLFLOW_H
#define COMM_TRANSFORMS_UTILS_CONTROLFLOW_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace comm {

/// A block and the values for its arguments.
struct BranchTarget {
  mlir::Block *block;
  llvm::SmallVector<mlir::Value> operands;
};

/// Returns true if the branches of the region are those of the llvm dialect.
bool isInLLVMFunction(mlir::Region &region);

/// Ends the builder's block with llvm.br in functions of the llvm dialect, and with cf.br in others.
void createBranch(mlir::OpBuilder &builder, mlir::Location loc, const BranchTarget &target);
/// Likewise with llvm.cond_br or cf.cond_br.
void createConditionalBranch(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value condition,
                             const BranchTarget &ifTrue, const BranchTarget &ifFalse);

/// Creates an unused value: llvm.mlir.poison or ub.poison.
mlir::Value createPoison(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type);

/// Creates llvm.select or arith.select.
mlir::Value createSelect(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value condition, mlir::Value ifTrue,
                         mlir::Value ifFalse);

/// Copies blocks to the place before `before`, or to the end of the block that `mapping` has for one already. Adds
/// the copied operations to `copies`: all but those of which `isLeftOut` is true. They have operands of the originals,
/// because blocks come in any order, until `mapOperands` sets them.
void copyBlocks(llvm::ArrayRef<mlir::Block *> blocks, mlir::Block *before, mlir::IRMapping &mapping,
                llvm::SmallVectorImpl<mlir::Operation *> &copies,
                llvm::function_ref<bool(mlir::Operation *)> isLeftOut = {});

/// Sets the operands of copies when all of them exist.
void mapOperands(llvm::ArrayRef<mlir::Operation *> copies, const mlir::IRMapping &mapping);

/// A conditional branch of the llvm or cf dialect.
struct ConditionalBranch {
  mlir::Value condition;
  BranchTarget ifTrue, ifFalse;
};
std::optional<ConditionalBranch> matchConditionalBranch(mlir::Operation *terminator);

/// Returns the target of an unconditional branch of the llvm or cf dialect.
std::optional<BranchTarget> matchBranch(mlir::Operation *terminator);

} // namespace comm

#endif // COMM_TRANSFORMS_UTILS_CONTROLFLOW_H
