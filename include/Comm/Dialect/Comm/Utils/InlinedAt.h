//===- InlinedAt.h - Where inlined code was called -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_INLINEDAT_H
#define COMM_DIALECT_COMM_UTILS_INLINEDAT_H

#include "mlir/IR/Location.h"

#include <string>

namespace comm {

/// The calls at which the code was inlined, innermost first, each as "file:line:column" without folders:
/// "solve.c:40:3 < main.c:12:5". "" if it was not inlined. Together with the source position it names one call of the
/// program in reports and profiles.
std::string getInlinedAt(mlir::Location loc);

/// Adds a call to such a text.
void appendInlinedAt(std::string &text, llvm::StringRef file, unsigned line, unsigned column);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_INLINEDAT_H
