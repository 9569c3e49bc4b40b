//===- CallSite.h - Identifying calls in profiles ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_CALLSITE_H
#define COMM_DIALECT_COMM_UTILS_CALLSITE_H

#include "Comm/Dialect/Comm/IR/CommInterfaces.h"

#include <string>

namespace comm {

/// Returns the function that the program calls, which may be a nonblocking one whose request is in memory.
llvm::StringRef getProgramsCall(MPIOpInterface op);

/// Returns the calls at which the code was inlined, innermost first, each as "file:line:column" without folders:
/// "solve.c:40:3 < main.c:12:5". "" if it was not inlined. Together with the source position and the called function,
/// it identifies one call of the program in all compilations of it.
std::string getInlinedAt(mlir::Location loc);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_CALLSITE_H
