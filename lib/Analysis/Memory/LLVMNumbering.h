//===- LLVMNumbering.h - Numbers of operations, for their instructions -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_MEMORY_LLVMNUMBERING_H
#define COMM_LIB_ANALYSIS_MEMORY_LLVMNUMBERING_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace comm {

/// While it lives, translations to LLVM IR in this thread give the instructions of these operations the metadata
/// `!comm.id !{i64 N}`. The numbers are no attributes: attributes that are all different cost more than the
/// translation.
class OperationNumbers {
public:
  OperationNumbers();
  ~OperationNumbers();
  OperationNumbers(const OperationNumbers &) = delete;
  OperationNumbers &operator=(const OperationNumbers &) = delete;

  void add(mlir::Operation *op, uint64_t number);
  /// The number becomes that of another operation.
  void move(mlir::Operation *from, mlir::Operation *to);
  /// In the thread's latest object.
  static std::optional<uint64_t> lookup(mlir::Operation *op);

private:
  llvm::DenseMap<mlir::Operation *, uint64_t> numbers;
  OperationNumbers *outer;
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_MEMORY_LLVMNUMBERING_H
