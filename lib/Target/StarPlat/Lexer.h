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

  bool is(llvm::StringRef spelling) const { return (kind == Name || kind == Symbol) && text == spelling; }
};

/// The tokens of a text, ended by one of kind End. Characters that belong to no token are errors, and left out.
std::vector<Token> tokenize(llvm::StringRef text, Diagnostics &diagnostics);

/// What the author of a program left out, given from outside: each occurrence of the tokens of `from` stands for `to`.
struct Definition {
  llvm::StringRef from, to;
  bool wasUsed = false;
};

/// Replaces definitions, each once through the text and not in what others put there. The replacement has the place of
/// what it replaces.
std::vector<Token> replaceDefinitions(std::vector<Token> tokens, std::vector<Definition> &definitions,
                                      Diagnostics &diagnostics);

} // namespace comm::starplat

#endif // COMM_TARGET_STARPLAT_LEXER_H
