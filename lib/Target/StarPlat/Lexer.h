//===- Lexer.h - Tokens of StarPlat programs ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TARGET_STARPLAT_LEXER_H
#define COMM_TARGET_STARPLAT_LEXER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SMLoc.h"

#include <string>
#include <vector>

namespace comm::starplat {

class Diagnostics;

struct Token {
  enum Kind { End, Name, Integer, Float, String, Symbol };
  Kind kind = End;
  /// As written; `std::min` is one name.
  llvm::StringRef text;
  llvm::SMLoc place;

  bool is(llvm::StringRef representation) const { return (kind == Name || kind == Symbol) && text == representation; }
};

/// Splits a text into tokens, the last of which has kind End. Reports and skips invalid characters.
std::vector<Token> tokenize(llvm::StringRef text, Diagnostics &diagnostics);

/// A definition given from outside the program: each occurrence of the tokens of `from` is replaced by `to`.
struct Definition {
  llvm::StringRef from, to;
  bool wasUsed = false;
};

/// Applies the definitions once each, without rescanning replacements. A replacement has the location of the tokens
/// that it replaces.
std::vector<Token> replaceDefinitions(std::vector<Token> tokens, std::vector<Definition> &definitions,
                                      Diagnostics &diagnostics);

} // namespace comm::starplat

#endif // COMM_TARGET_STARPLAT_LEXER_H
