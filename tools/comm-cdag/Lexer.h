// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words, numbers and signs of the graph format, with their places in the text.
#ifndef COMM_CDAG_LEXER_H
#define COMM_CDAG_LEXER_H

#include "GraphText.h"

#include <string_view>

namespace comm::cdag {

struct Token {
  /// A line break ends a statement, like ';'.
  enum Kind : uint8_t { End, Break, Word, Number, Sign } kind = End;
  char sign = 0;
  std::string_view text;
  uint64_t number = 0;
  bool tooLarge = false; ///< a number of 2^64 or more
  Place place;
};

class Lexer {
public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next();

private:
  void skip();
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void advance() {
    ++column_;
    ++at_;
  }
  Token number();

  std::string_view text_;
  size_t at_ = 0;
  uint32_t line_ = 1, column_ = 1;
};

} // namespace comm::cdag

#endif
