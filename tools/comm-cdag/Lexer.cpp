// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lexer.h"

namespace comm::cdag {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

} // namespace

/// Skips blanks and comments: `//` and `#` to the end of the line, `/* */`.
void Lexer::skip() {
  while (at_ < text_.size()) {
    char c = peek();
    if (c == ' ' || c == '\t' || c == '\r') {
      advance();
    } else if (c == '#' || (c == '/' && peek(1) == '/')) {
      while (at_ < text_.size() && peek() != '\n')
        advance();
    } else if (c == '/' && peek(1) == '*') {
      advance();
      advance();
      while (at_ < text_.size() && !(peek() == '*' && peek(1) == '/')) {
        if (peek() == '\n') {
          ++line_;
          column_ = 0;
        }
        advance();
      }
      if (at_ < text_.size()) {
        advance();
        advance();
      }
    } else {
      return;
    }
  }
}

Token Lexer::number() {
  Token token;
  token.kind = Token::Number;
  size_t begin = at_;
  unsigned base = 10;
  if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
    base = 16;
    advance();
    advance();
  }
  for (;; advance()) {
    char c = peek();
    unsigned digit;
    if (isDigit(c))
      digit = unsigned(c - '0');
    else if (base == 16 && c >= 'a' && c <= 'f')
      digit = unsigned(c - 'a' + 10);
    else if (base == 16 && c >= 'A' && c <= 'F')
      digit = unsigned(c - 'A' + 10);
    else
      break;
    if (token.number > (~uint64_t(0) - digit) / base)
      token.tooLarge = true;
    else
      token.number = token.number * base + digit;
  }
  token.text = text_.substr(begin, at_ - begin);
  return token;
}

Token Lexer::next() {
  skip();
  Token token;
  token.place = {line_, column_};
  if (at_ >= text_.size())
    return token;
  char c = peek();
  if (isDigit(c)) {
    Place place = token.place;
    token = number();
    token.place = place;
    return token;
  }
  size_t begin = at_;
  if (isLetter(c)) {
    while (isLetter(peek()) || isDigit(peek()) || peek() == '.')
      advance();
    token.kind = Token::Word;
  } else if (c == '\n') {
    ++line_;
    column_ = 0;
    advance();
    token.kind = Token::Break;
  } else {
    advance();
    token.kind = c == ';' ? Token::Break : Token::Sign;
    token.sign = c;
  }
  token.text = text_.substr(begin, at_ - begin);
  return token;
}

} // namespace comm::cdag
