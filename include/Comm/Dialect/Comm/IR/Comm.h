//===- Comm.h - The comm dialect ---------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect with all of its operations. Include CommDialect.h if no operation is needed by name, and
// CommStructuralOps.h in passes that build waits, casts or graphs.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_IR_COMM_H
#define COMM_DIALECT_COMM_IR_COMM_H

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"

#define GET_OP_CLASSES
#include "Comm/Dialect/Comm/IR/CommOps.h.inc"

#endif // COMM_DIALECT_COMM_IR_COMM_H
