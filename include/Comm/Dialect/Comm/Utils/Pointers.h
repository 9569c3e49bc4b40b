//===- Pointers.h - Constant offsets and uses of pointers ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_POINTERS_H
#define COMM_DIALECT_COMM_UTILS_POINTERS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

#include <optional>

namespace comm {

/// The number that the value is, if it is a constant of at most 64 bits.
std::optional<int64_t> getConstantInteger(mlir::Value value);

/// Whether it is a load or store of the llvm dialect that is neither volatile nor atomic.
bool isPlainAccess(mlir::Operation *op);

/// The pointer that pointer arithmetic (any number of getelementptr) began with.
mlir::Value getBasePointer(mlir::Value pointer);

/// The bytes that a getelementptr adds, where its indices are constants and no structure is in its way
/// (LLVM writes offsets of fields in bytes).
std::optional<int64_t> getConstantOffset(mlir::LLVM::GEPOp gep, const mlir::DataLayout &layout);

/// The pointer that getelementptr with constant offsets began with, to whose bytes `offset` is added.
mlir::Value stripConstantOffsets(mlir::Value pointer, const mlir::DataLayout &layout, int64_t &offset);

/// The bytes from getBasePointer to the pointer, where all of them are constants.
std::optional<int64_t> getConstantOffset(mlir::Value pointer, const mlir::DataLayout &layout);

/// The bytes of a local variable, where they are a constant.
std::optional<int64_t> getVariableSize(mlir::LLVM::AllocaOp variable, const mlir::DataLayout &layout);

/// Whether the pointer is the address of a local variable, or of memory that an allocator of the C or C++ library gave.
bool isAllocation(mlir::Value pointer);

/// Calls `visit` for each use of the pointer and of pointers computed from it by getelementptr, which are not uses
/// themselves, with the offset from the pointer in bytes where that is constant. Stops with false where `visit` returns
/// false.
bool walkPointerUses(mlir::Value pointer, const mlir::DataLayout &layout,
                     llvm::function_ref<bool(mlir::OpOperand &use, std::optional<int64_t> offset)> visit);

/// Whether nothing but differences of the address, a ptrtoint, and others is computed of it, and comparisons. They are
/// of no use to find the memory by as long as nobody keeps the difference, which leads from the one address to the
/// other: it is a number of bytes or elements for comparisons, indices, counts of messages and sizes.
bool isOnlySubtracted(mlir::Value address);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_POINTERS_H
