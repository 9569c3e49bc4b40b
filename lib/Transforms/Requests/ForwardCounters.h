//===- ForwardCounters.h - Forward members of a local structure -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_REQUESTS_FORWARDCOUNTERS_H
#define COMM_LIB_TRANSFORMS_REQUESTS_FORWARDCOUNTERS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace comm {

/// Replaces loads from a structure on the stack by what was stored or loaded there before, so that indices become
/// constants and equal sizes one value. A structure that holds requests also counts them (`e->requests[e->pending++]`),
/// and LLVM reloads the counter and all other members after each MPI call, which might write them. Does nothing if
/// other code may have a pointer to the structure.
void forwardCounters(mlir::LLVM::AllocaOp object, uint64_t handleSize);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_REQUESTS_FORWARDCOUNTERS_H
