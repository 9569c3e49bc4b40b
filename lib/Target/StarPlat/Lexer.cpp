//===- Lexer.cpp - Tokens of StarPlat programs ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

#include "Diagnostics.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace comm::starplat;

static bool beginsName(char c) { return isAlpha(c) || c == '_'; }
static bool isInName(char c) { return isAlnum(c) || c == '_'; }

static constexpr StringLiteral byteOrderMark = "\xEF\xBB\xBF";

namespace {
class Lexer {
public:
  Lexer(StringRef text, Diagnostics &diagnostics) : text(text), diagnostics(diagnostics) {
    // Some editors write a UTF-8 byte order mark.
    if (text.starts_with(byteOrderMark))
      position = byteOrderMark.size();
  }
  Token next();

private:
  void skip();
  Token token(Token::Kind kind, size_t length);
  size_t getNumberLength(Token::Kind &kind) const;
  char at(size_t index) const { return position + index < text.size() ? text[position + index] : '\0'; }

  StringRef text;
  size_t position = 0;
  Diagnostics &diagnostics;
};
} // namespace

/// Skips white space and comments.
void Lexer::skip() {
  while (position < text.size()) {
    StringRef rest = text.substr(position);
    if (isSpace(rest.front())) {
      ++position;
    } else if (rest.starts_with("//") || rest.starts_with("#")) {
      position = std::min(text.find('\n', position), text.size());
    } else if (rest.starts_with("/*")) {
      size_t end = text.find("*/", position + 2);
      if (end == StringRef::npos)
        diagnostics.error(SMLoc::getFromPointer(rest.data()), "this comment does not end: close it with '*/'");
      position = end == StringRef::npos ? text.size() : end + 2;
    } else {
      return;
    }
  }
}

Token Lexer::token(Token::Kind kind, size_t length) {
  StringRef representation = text.substr(position, length);
  position += representation.size();
  return {kind, representation, SMLoc::getFromPointer(representation.data())};
}

size_t Lexer::getNumberLength(Token::Kind &kind) const {
  size_t length = 0;
  auto skipDigits = [&] {
    while (isDigit(at(length)))
      ++length;
  };
  skipDigits();
  kind = Token::Integer;
  auto isExponent = [&](size_t place) {
    size_t sign = at(place + 1) == '-' || at(place + 1) == '+' ? 2 : 1;
    return (at(place) == 'e' || at(place) == 'E') && isDigit(at(place + sign));
  };
  if (at(length) == '.' && (!beginsName(at(length + 1)) || isExponent(length + 1))) {
    kind = Token::Float;
    ++length;
    skipDigits();
  }
  if (isExponent(length)) {
    kind = Token::Float;
    length += 2;
    skipDigits();
  }
  return length;
}

Token Lexer::next() {
  while (true) {
    skip();
    if (position >= text.size())
      return {Token::End, "", SMLoc::getFromPointer(text.end())};
    StringRef rest = text.substr(position);
    for (StringRef name : {"std::min", "std::max"})
      if (rest.starts_with(name) && !isInName(at(name.size())))
        return token(Token::Name, name.size());
    if (beginsName(rest.front())) {
      size_t length = 1;
      while (isInName(at(length)))
        ++length;
      return token(Token::Name, length);
    }
    if (isDigit(rest.front()) || (rest.front() == '.' && isDigit(at(1)))) {
      Token::Kind kind;
      size_t length = getNumberLength(kind), end = length;
      while (isInName(at(end)))
        ++end;
      if (end != length)
        diagnostics.error(SMLoc::getFromPointer(rest.data()),
                          "'" + rest.take_front(end).str() +
                              "' is not a number: numbers are decimal and have no suffix (a cast, as in '(long) 1', " +
                              "chooses the type)");
      Token number = token(kind, length);
      position += end - length;
      return number;
    }
    if (rest.front() == '"') {
      size_t end = text.find_first_of("\"\n", position + 1);
      if (end != StringRef::npos && text[end] == '"')
        return token(Token::String, end + 1 - position);
      diagnostics.error(SMLoc::getFromPointer(rest.data()), "this string does not end on its line: close it with '\"'");
      position = std::min(end, text.size());
      continue;
    }
    for (StringRef symbol :
         {"::", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--", "->", "&&", "||", "<=", ">=", "==", "!="})
      if (rest.starts_with(symbol))
        return token(Token::Symbol, symbol.size());
    if (StringRef(";{},:=()[].&!~-+*/%<>^|?").contains(rest.front()))
      return token(Token::Symbol, 1);
    bool isText = isPrint(rest.front());
    diagnostics.error(SMLoc::getFromPointer(rest.data()),
                      isText ? "'" + rest.take_front().str() + "' has no meaning here: remove it"
                             : std::string("unexpected byte: programs are ASCII text; remove it"));
    // Report a run of invalid bytes once.
    ++position;
    while (!isText && position < text.size() && !isPrint(text[position]) && !isSpace(text[position]))
      ++position;
  }
}

std::vector<Token> comm::starplat::tokenize(StringRef text, Diagnostics &diagnostics) {
  Lexer lexer(text, diagnostics);
  std::vector<Token> tokens;
  do
    tokens.push_back(lexer.next());
  while (tokens.back().kind != Token::End);
  return tokens;
}

std::vector<Token> comm::starplat::replaceDefinitions(std::vector<Token> tokens, std::vector<Definition> &definitions,
                                                      Diagnostics &diagnostics) {
  if (definitions.empty())
    return tokens;
  std::vector<std::vector<Token>> from, to;
  for (Definition &definition : definitions) {
    from.push_back(tokenize(definition.from, diagnostics));
    to.push_back(tokenize(definition.to, diagnostics));
    from.back().pop_back();
    to.back().pop_back();
  }
  auto matches = [&](size_t index, const std::vector<Token> &pattern) {
    if (pattern.empty() || index + pattern.size() > tokens.size())
      return false;
    for (size_t i = 0; i < pattern.size(); ++i)
      if (tokens[index + i].kind != pattern[i].kind || tokens[index + i].text != pattern[i].text)
        return false;
    return true;
  };
  std::vector<Token> result;
  for (size_t index = 0; index < tokens.size();) {
    size_t which = 0;
    while (which < from.size() && !matches(index, from[which]))
      ++which;
    if (which == from.size()) {
      result.push_back(tokens[index++]);
      continue;
    }
    definitions[which].wasUsed = true;
    for (Token token : to[which]) {
      token.place = tokens[index].place;
      result.push_back(token);
    }
    index += from[which].size();
  }
  return result;
}
