//===- LLVMNumbering.h - Instructions of each operation ---------*- C++ -*-===//
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

/// While this object is alive, translations to LLVM IR in this thread record which instructions they create for these
/// operations. They are kept in a table: numbers in metadata, or in attributes that are all different, cost more than
/// the translation.
class OperationInstructions {
public:
  explicit OperationInstructions(mlir::MLIRContext *context);
  ~OperationInstructions();
  OperationInstructions(const OperationInstructions &) = delete;
  OperationInstructions &operator=(const OperationInstructions &) = delete;

  /// Attributes the instructions of `op` to `original`.
  void add(mlir::Operation *op, mlir::Operation *original);
  /// Attributes the instructions of `to` to the original of `from`, which it replaces.
  void move(mlir::Operation *from, mlir::Operation *to);
  /// Calls `visit` for each operation that instructions were created for, in the order of the translation.
  void forEach(llvm::function_ref<void(mlir::Operation *, llvm::Instruction *)> visit) const;

  /// Called by the translation; records into the thread's latest object.
  static void note(mlir::Operation *op, llvm::ArrayRef<llvm::Instruction *> instructions);

private:
  mlir::DictionaryAttr marker;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> originals;
  /// Weak handles, because the translation may replace instructions.
  std::vector<std::pair<mlir::Operation *, llvm::WeakVH>> made;
  OperationInstructions *outer;
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_MEMORY_LLVMNUMBERING_H
