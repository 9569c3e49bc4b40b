//===- CommStructuralOps.h - The operations that passes build ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect with the operations that are more than a function of MPI: constants and casts, waits, graphs. Passes know
// these by name and all others by their interfaces, so they are not built again when an operation is added.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_IR_COMMSTRUCTURALOPS_H
#define COMM_DIALECT_COMM_IR_COMMSTRUCTURALOPS_H

#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/IR/MPIOpSupport.h"

#define GET_OP_CLASSES
#include "Comm/Dialect/Comm/IR/CommStructuralOps.h.inc"

#endif // COMM_DIALECT_COMM_IR_COMMSTRUCTURALOPS_H
