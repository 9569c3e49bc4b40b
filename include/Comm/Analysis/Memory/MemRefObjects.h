//===- MemRefObjects.h - Which memory a memref may be in ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_MEMORY_MEMREFOBJECTS_H
#define COMM_ANALYSIS_MEMORY_MEMREFOBJECTS_H

#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace comm {

/// One object that a memref or pointer may point into.
struct MemoryObject {
  enum class Kind {
    /// Fresh memory: the operation allocates its result and does nothing else.
    Allocation,
    /// An argument of a function; `isNoAlias` if it has llvm.noalias.
    Argument,
    /// A global, by the operation that defines it.
    Global,
    Unknown
  };
  Kind kind = Kind::Unknown;
  mlir::Value value;
  mlir::Operation *global = nullptr;
  bool isNoAlias = false;
  /// The result of memref.distinct_objects by way of which it is reached; null if there is none.
  mlir::Value distinct;
};

/// The objects of the values of one module, found through views, selects, branches and loops. The module must not
/// change while it lives, apart from the order of its operations.
class MemRefObjects {
public:
  llvm::ArrayRef<MemoryObject> find(mlir::Value value);
  /// True if the two share no memory that one of them writes, whatever iterations of loops they are of.
  bool areApart(mlir::Value a, mlir::Value b);

private:
  mlir::SymbolTableCollection symbols;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<MemoryObject, 2>> objects;
};

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_MEMREFOBJECTS_H
