//===- InlinedAt.cpp - Where code was inlined, in profiles ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/InlinedAt.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

void comm::appendInlinedAt(std::string &text, llvm::StringRef file, unsigned line, unsigned column) {
  if (!text.empty())
    text += " < ";
  text += (llvm::sys::path::filename(file) + ":" + llvm::Twine(line) + ":" + llvm::Twine(column)).str();
}
