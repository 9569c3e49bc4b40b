//===- ForwardCounters.h - Numbers that a structure keeps ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_REQUESTS_FORWARDCOUNTERS_H
#define COMM_LIB_TRANSFORMS_REQUESTS_FORWARDCOUNTERS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace comm {

/// A structure on the stack that holds requests also counts them (`e->requests[e->pending++]`). LLVM reloads the
/// counter after each call of MPI, and all other members, which it may write to for all it knows. Replaces such loads
/// by what was stored or loaded there before, so that indices become constants, and sizes one value. Nothing is done
/// where somebody else may have a pointer to it.
void forwardCounters(mlir::LLVM::AllocaOp object, uint64_t handleSize);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_REQUESTS_FORWARDCOUNTERS_H
