//===- InlinedAt.h - Where code was inlined, in profiles --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Apart from CallSite.h, because the compiler plugin writes such texts without MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_INLINEDAT_H
#define COMM_DIALECT_COMM_UTILS_INLINEDAT_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace comm {

/// Appends a call to the text of `getInlinedAt`.
void appendInlinedAt(std::string &text, llvm::StringRef file, unsigned line, unsigned column);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_INLINEDAT_H
