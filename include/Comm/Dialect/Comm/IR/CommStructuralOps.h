//===- CommStructuralOps.h - Ops that passes build --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect with the operations that passes refer to by name, which CMakeLists.txt in this folder lists: constants
// and casts, waits, graphs, and a few others. Passes refer to all other operations by interfaces, so that they are not
// rebuilt when an operation is added.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_IR_COMMSTRUCTURALOPS_H
#define COMM_DIALECT_COMM_IR_COMMSTRUCTURALOPS_H

#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/IR/MPIOpSupport.h"

#define GET_OP_CLASSES
#include "Comm/Dialect/Comm/IR/CommStructuralOps.h.inc"

#endif // COMM_DIALECT_COMM_IR_COMMSTRUCTURALOPS_H
