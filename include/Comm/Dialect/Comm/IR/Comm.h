//===- Comm.h - The comm dialect ---------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect with all of its operations. Who needs none of them by name includes CommDialect.h.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_IR_COMM_H
#define COMM_DIALECT_COMM_IR_COMM_H

#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/IR/MPIOpSupport.h"

#define GET_OP_CLASSES
#include "Comm/Dialect/Comm/IR/CommOps.h.inc"

#endif // COMM_DIALECT_COMM_IR_COMM_H
