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

/// Returns the number if the value is a constant of at most 64 bits.
std::optional<int64_t> getConstantInteger(mlir::Value value);

/// Whether it is a load or store of the llvm dialect that is neither volatile nor atomic.
bool isPlainAccess(mlir::Operation *op);

/// Returns the pointer at the beginning of a chain of getelementptr.
mlir::Value getBasePointer(mlir::Value pointer);

/// Returns the bytes that a getelementptr adds if its indices are constants and it does not step into a structure (LLVM
/// writes offsets of fields in bytes).
std::optional<int64_t> getConstantOffset(mlir::LLVM::GEPOp gep, const mlir::DataLayout &layout);

/// Strips getelementptr with constant offsets and returns the remaining pointer. Adds the bytes to `offset`.
mlir::Value stripConstantOffsets(mlir::Value pointer, const mlir::DataLayout &layout, int64_t &offset);

/// Returns the distance in bytes from getBasePointer to the pointer, if it is constant.
std::optional<int64_t> getConstantOffset(mlir::Value pointer, const mlir::DataLayout &layout);

/// Returns the size of a local variable in bytes, if it is constant.
std::optional<int64_t> getVariableSize(mlir::LLVM::AllocaOp variable, const mlir::DataLayout &layout);

/// Whether the pointer is the address of a local variable, or of memory from an allocator of the C or C++ library.
bool isAllocation(mlir::Value pointer);

/// Calls `visit` for each use of the pointer and of pointers computed from it by getelementptr (which are not uses
/// themselves), with the offset from the pointer in bytes if it is constant. Stops and returns false if `visit` returns
/// false.
bool walkPointerUses(mlir::Value pointer, const mlir::DataLayout &layout,
                     llvm::function_ref<bool(mlir::OpOperand &use, std::optional<int64_t> offset)> visit);

/// Whether the address, a ptrtoint, is only used in comparisons and in differences with other addresses. These do not
/// expose the memory, unless somebody stores a difference, which leads from one address to the other. Allowed uses of a
/// difference are as a number of bytes or elements: in comparisons, indices, message counts and sizes.
bool isOnlySubtracted(mlir::Value address);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_POINTERS_H
