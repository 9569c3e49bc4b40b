//===- Parser.h - Read StarPlat programs --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TARGET_STARPLAT_PARSER_H
#define COMM_TARGET_STARPLAT_PARSER_H

#include "AST.h"
#include "Diagnostics.h"
#include "Lexer.h"

#include <optional>

namespace comm::starplat {

/// A recursive descent parser. A method that returns null has reported an error.
class Parser {
public:
  Parser(const std::vector<Token> &tokens, Diagnostics &diagnostics) : tokens(tokens), diagnostics(diagnostics) {}

  /// Returns what it could parse of the program, which is everything if there were no errors.
  Program parseProgram();

private:
  // Tokens.
  const Token &peek(size_t ahead = 0) const { return tokens[std::min(position + ahead, tokens.size() - 1)]; }
  const Token &take() { return tokens[position < tokens.size() - 1 ? position++ : position]; }
  bool accept(llvm::StringRef representation);
  bool expect(llvm::StringRef representation, llvm::StringRef where);
  std::optional<llvm::StringRef> expectName(llvm::StringRef what);
  std::nullptr_t fail(const Token &token, const llvm::Twine &text);
  bool isTooDeep(const Token &token);
  void synchronize();

  // Declarations.
  std::unique_ptr<Function> parseFunction();
  bool parseParameter(Function &function);
  bool atType() const;
  /// Two names in a row: the first one is no type of the language.
  bool atUnknownType() const;
  bool atList() const;
  std::optional<Type> parseType();
  std::optional<Type> parseListType();
  bool atMap() const;
  std::optional<Type> parseMapType();

  // Statements.
  StmtPtr parseBlock();
  StmtPtr parseStatement();
  StmtPtr parseBody();
  bool parseStatementInto(std::vector<StmtPtr> &statements);
  bool parseDeclaration(std::vector<StmtPtr> &statements);
  StmtPtr parseIf();
  StmtPtr parseWhile();
  StmtPtr parseDoWhile();
  StmtPtr parseFor(bool isParallel);
  StmtPtr parseCFor(llvm::SMLoc place);
  StmtPtr parseLoop();
  StmtPtr parseFixedPoint();
  StmtPtr parseBFS();
  StmtPtr parseReverse();
  StmtPtr parseReduction();
  StmtPtr parseReductionValues(std::vector<ExprPtr> targets, llvm::SMLoc place);
  /// Parses an assignment, a call, or an increment.
  bool parseSimple(std::vector<StmtPtr> &statements, bool needsSemicolon);
  bool parseAttach(ExprPtr method, std::vector<StmtPtr> &statements);
  bool parseIterable(Stmt &loop);

  // Expressions.
  ExprPtr parseExpression() { return parseBinary(0); }
  ExprPtr parseBinary(unsigned precedence);
  ExprPtr parseUnary();
  ExprPtr parsePostfix();
  ExprPtr parsePrimary();
  bool parseArguments(std::vector<ExprPtr> &arguments);

  const std::vector<Token> &tokens;
  Diagnostics &diagnostics;
  size_t position = 0;
  unsigned depth = 0;
  /// Within <...>, `>` ends the list.
  bool inAngles = false;

  friend struct DepthGuard;
};

/// Limits the nesting depth to avoid a stack overflow.
struct DepthGuard {
  explicit DepthGuard(Parser &parser) : parser(parser), outside(parser.depth++) {}
  ~DepthGuard() { parser.depth = outside; }
  Parser &parser;
  unsigned outside;
};

ExprPtr makeExpr(Expr::Kind kind, const Token &token);
/// Returns the type named by a single word.
std::optional<Type> getSimpleType(llvm::StringRef name);

} // namespace comm::starplat

#endif // COMM_TARGET_STARPLAT_PARSER_H
