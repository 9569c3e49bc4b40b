//===- LLVMNumbering.h - What operations become in LLVM IR -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_MEMORY_LLVMNUMBERING_H
#define COMM_LIB_ANALYSIS_MEMORY_LLVMNUMBERING_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/ValueHandle.h"

namespace llvm {
class Instruction;
} // namespace llvm

namespace comm {

/// While it lives, translations to LLVM IR in this thread tell which instructions they make of these operations. They
/// are kept in a table: numbers in metadata, or in attributes that are all different, cost more than the translation.
class OperationInstructions {
public:
  explicit OperationInstructions(mlir::MLIRContext *context);
  ~OperationInstructions();
  OperationInstructions(const OperationInstructions &) = delete;
  OperationInstructions &operator=(const OperationInstructions &) = delete;

  /// What is made of `op` counts as made of `original`.
  void add(mlir::Operation *op, mlir::Operation *original);
  /// So does what is made of another operation in its place.
  void move(mlir::Operation *from, mlir::Operation *to);
  /// Calls `visit` for each operation that instructions were made of, in the order of the translation.
  void forEach(llvm::function_ref<void(mlir::Operation *, llvm::Instruction *)> visit) const;

  /// Of the translation: for the thread's latest object.
  static void note(mlir::Operation *op, llvm::ArrayRef<llvm::Instruction *> instructions);

private:
  mlir::DictionaryAttr marker;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> originals;
  /// The translation may replace instructions that it has made.
  std::vector<std::pair<mlir::Operation *, llvm::WeakVH>> made;
  OperationInstructions *outer;
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_MEMORY_LLVMNUMBERING_H
