//===- MemRefObjects.h - Objects of memrefs --------------------*- C++ -*-===//
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
    /// Fresh memory, from an operation that only allocates.
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
  /// The result of memref.distinct_objects through which it is reached, or null.
  mlir::Value distinct;
};

/// Finds the objects of the values of one module, through views, selects, branches and loops. During its lifetime, the
/// module may change only in the order of its operations.
class MemRefObjects {
public:
  llvm::ArrayRef<MemoryObject> find(mlir::Value value);
  /// Whether the two share no memory that one of them writes, in whatever iterations of loops.
  bool areApart(mlir::Value a, mlir::Value b);

private:
  mlir::SymbolTableCollection symbols;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<MemoryObject, 2>> objects;
};

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_MEMREFOBJECTS_H
