//===- TypeTags.h - What clang says about the types of accesses -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_TYPETAGS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_TYPETAGS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace comm {

/// Returns the type tag of the access, or null if it has none, or several.
mlir::LLVM::TBAATagAttr getTypeTag(mlir::Operation *access);

/// Returns true for characters, which may alias any object. Clang also describes arrays in structures this way.
bool isCharacter(mlir::Attribute type);

/// Returns true for pointers, and for structures with a pointer in them or in a nested one. Clang derives all pointer
/// types from one.
bool hasPointer(mlir::LLVM::TBAATypeDescriptorAttr type);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_TYPETAGS_H
