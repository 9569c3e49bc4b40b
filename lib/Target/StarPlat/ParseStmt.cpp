//===- ParseStmt.cpp - Compound statements of StarPlat programs ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

using namespace llvm;
using namespace comm::starplat;

StmtPtr Parser::parseBlock() {
  DepthGuard guard(*this);
  StmtPtr block = makeStmt(Stmt::Block, peek().place);
  if (isTooDeep(peek()) || !expect("{", "and statements"))
    return nullptr;
  while (!peek().is("}")) {
    if (peek().kind == Token::End) {
      diagnostics.error(peek().place, "the program ends within a block: close it with '}'");
      diagnostics.note(block->place, "the block begins here");
      return nullptr;
    }
    if (peek().is("function")) {
      diagnostics.error(peek().place, "a function begins within a block: close that with '}'");
      diagnostics.note(block->place, "the block begins here");
      return nullptr;
    }
    size_t before = position;
    inAngles = false;
    if (!parseStatementInto(block->children)) {
      if (depth > 300)
        return nullptr;
      if (position == before)
        take();
      synchronize();
    }
  }
  take();
  return block;
}

/// Parses the body of a loop or branch: a scope of its own, with or without braces.
StmtPtr Parser::parseBody() {
  if (peek().is("{"))
    return parseBlock();
  StmtPtr block = makeStmt(Stmt::Block, peek().place);
  return parseStatementInto(block->children) ? std::move(block) : nullptr;
}

bool Parser::parseStatementInto(std::vector<StmtPtr> &statements) {
  DepthGuard guard(*this);
  if (isTooDeep(peek()))
    return false;
  if (accept(";"))
    return true;
  if (atType())
    return parseDeclaration(statements) && expect(";", "after the declaration");
  const Token &token = peek();
  static const char *const keywords[] = {"{",
                                         "if",
                                         "while",
                                         "do",
                                         "for",
                                         "forall",
                                         "loop",
                                         "fixedPoint",
                                         "return",
                                         "iterateInBFS",
                                         "iterateInReverse",
                                         "break",
                                         "continue",
                                         "<"};
  bool isKeyword = llvm::any_of(keywords, [&](StringRef keyword) { return token.is(keyword); });
  if (!isKeyword)
    return parseSimple(statements, /*needsSemicolon=*/true);
  StmtPtr stmt = parseStatement();
  if (!stmt)
    return false;
  statements.push_back(std::move(stmt));
  return true;
}

StmtPtr Parser::parseStatement() {
  const Token &token = peek();
  if (token.is("{"))
    return parseBlock();
  if (token.is("<"))
    return parseReduction();
  take();
  if (token.is("if"))
    return parseIf();
  if (token.is("while"))
    return parseWhile();
  if (token.is("do"))
    return parseDoWhile();
  if (token.is("for") || token.is("forall"))
    return parseFor(token.is("forall"));
  if (token.is("loop"))
    return parseLoop();
  if (token.is("fixedPoint"))
    return parseFixedPoint();
  if (token.is("iterateInBFS"))
    return parseBFS();
  if (token.is("iterateInReverse"))
    return parseReverse();
  StmtPtr stmt = makeStmt(token.is("return")  ? Stmt::Return
                          : token.is("break") ? Stmt::Break
                                              : Stmt::Continue,
                          token.place);
  if (stmt->kind == Stmt::Return && !peek().is(";")) {
    stmt->expressions.push_back(parseExpression());
    if (!stmt->expressions.back())
      return nullptr;
  }
  return expect(";", "after the statement") ? std::move(stmt) : nullptr;
}

StmtPtr Parser::parseIf() {
  StmtPtr stmt = makeStmt(Stmt::If, tokens[position - 1].place);
  if (!expect("(", "and the condition"))
    return nullptr;
  stmt->expressions.push_back(parseExpression());
  if (!stmt->expressions.back() || !expect(")", "after the condition"))
    return nullptr;
  stmt->children.push_back(parseBody());
  if (!stmt->children.back())
    return nullptr;
  if (accept("else")) {
    stmt->children.push_back(parseBody());
    if (!stmt->children.back())
      return nullptr;
  }
  return stmt;
}

StmtPtr Parser::parseWhile() {
  StmtPtr stmt = makeStmt(Stmt::While, tokens[position - 1].place);
  if (!expect("(", "and the condition"))
    return nullptr;
  stmt->expressions.push_back(parseExpression());
  if (!stmt->expressions.back() || !expect(")", "after the condition"))
    return nullptr;
  stmt->children.push_back(parseBody());
  return stmt->children.back() ? std::move(stmt) : nullptr;
}

StmtPtr Parser::parseDoWhile() {
  StmtPtr stmt = makeStmt(Stmt::DoWhile, tokens[position - 1].place);
  stmt->children.push_back(parseBody());
  if (!stmt->children.back() || !expect("while", "after the body of 'do'") || !expect("(", "and the condition"))
    return nullptr;
  stmt->expressions.push_back(parseExpression());
  if (!stmt->expressions.back() || !expect(")", "after the condition") || !expect(";", "after the statement"))
    return nullptr;
  return stmt;
}

/// Parses the collection that a loop iterates over, with its filter: g.nodes().filter(...), or the name of a set.
bool Parser::parseIterable(Stmt &loop) {
  loop.expressions.push_back(parsePostfix());
  if (!loop.expressions.back())
    return false;
  while (accept(".")) {
    const Token &filter = peek();
    if (!filter.is("filter"))
      return fail(filter, "only 'filter' follows a filter"), false;
    take();
    if (!expect("(", "and the condition"))
      return false;
    ExprPtr condition = parseExpression();
    if (!condition || !expect(")", "after the condition"))
      return false;
    if (!loop.filter) {
      loop.filter = std::move(condition);
      continue;
    }
    // The later condition is evaluated where the earlier one holds.
    ExprPtr both = makeExpr(Expr::Binary, filter);
    both->text = "&&";
    both->operands.push_back(std::move(loop.filter));
    both->operands.push_back(std::move(condition));
    loop.filter = std::move(both);
  }
  return true;
}

StmtPtr Parser::parseFor(bool isParallel) {
  StmtPtr stmt = makeStmt(Stmt::ForIn, tokens[position - 1].place);
  stmt->isParallel = isParallel;
  if (!expect("(", "and the domain of the loop"))
    return nullptr;
  if (!isParallel && (atType() || peek(1).is("=")))
    return parseCFor(stmt->place);
  SMLoc place = peek().place;
  std::optional<StringRef> name = expectName("the loop's variable");
  if (!name || !expect("in", "and the domain of the loop"))
    return nullptr;
  stmt->name = *name;
  stmt->symbol = std::make_unique<Symbol>();
  stmt->symbol->name = *name;
  stmt->symbol->place = place;
  if (!parseIterable(*stmt) || !expect(")", "after the domain of the loop"))
    return nullptr;
  stmt->children.push_back(parseBody());
  return stmt->children.back() ? std::move(stmt) : nullptr;
}

/// for (int i = 0; i < n; i++)
StmtPtr Parser::parseCFor(SMLoc place) {
  StmtPtr stmt = makeStmt(Stmt::CFor, place);
  StmtPtr start = makeStmt(Stmt::Block, place), step = makeStmt(Stmt::Block, place);
  bool started = atType() ? parseDeclaration(start->children) : parseSimple(start->children, false);
  if (!started || !expect(";", "after the start of the loop"))
    return nullptr;
  stmt->expressions.push_back(parseExpression());
  if (!stmt->expressions.back() || !expect(";", "after the condition") || !parseSimple(step->children, false) ||
      !expect(")", "after the step"))
    return nullptr;
  StmtPtr body = parseBody();
  if (!body)
    return nullptr;
  stmt->children.push_back(std::move(start));
  stmt->children.push_back(std::move(body));
  stmt->children.push_back(std::move(step));
  return stmt;
}

/// loop (i in 0 to n by 1)
StmtPtr Parser::parseLoop() {
  StmtPtr stmt = makeStmt(Stmt::Loop, tokens[position - 1].place);
  if (!expect("(", "and the variable"))
    return nullptr;
  SMLoc place = peek().place;
  std::optional<StringRef> name = expectName("the loop's variable");
  if (!name)
    return nullptr;
  stmt->symbol = std::make_unique<Symbol>();
  stmt->symbol->name = *name;
  stmt->symbol->place = place;
  for (StringRef word : {"in", "to", "by"}) {
    if (!expect(word, "and a number"))
      return nullptr;
    stmt->expressions.push_back(parseExpression());
    if (!stmt->expressions.back())
      return nullptr;
  }
  if (!expect(")", "after the step"))
    return nullptr;
  stmt->children.push_back(parseBody());
  return stmt->children.back() ? std::move(stmt) : nullptr;
}

/// fixedPoint until (finished : !modified)
StmtPtr Parser::parseFixedPoint() {
  StmtPtr stmt = makeStmt(Stmt::FixedPoint, tokens[position - 1].place);
  if (!expect("until", "after 'fixedPoint'") || !expect("(", "and a variable"))
    return nullptr;
  const Token &variable = peek();
  if (!expectName("the variable that tells the end") || !expect(":", "and the condition"))
    return nullptr;
  stmt->expressions.push_back(makeExpr(Expr::Name, variable));
  stmt->expressions.push_back(parseExpression());
  if (!stmt->expressions.back() || !expect(")", "after the condition"))
    return nullptr;
  stmt->children.push_back(parseBody());
  return stmt->children.back() ? std::move(stmt) : nullptr;
}

/// iterateInBFS(v in g.nodes() from root)
StmtPtr Parser::parseBFS() {
  StmtPtr stmt = makeStmt(Stmt::BFS, tokens[position - 1].place);
  if (!expect("(", "and the variable"))
    return nullptr;
  SMLoc place = peek().place;
  std::optional<StringRef> name = expectName("the loop's variable");
  if (!name || !expect("in", "and 'g.nodes()'"))
    return nullptr;
  stmt->symbol = std::make_unique<Symbol>();
  stmt->symbol->name = *name;
  stmt->symbol->place = place;
  if (!parseIterable(*stmt) || !expect("from", "and the root"))
    return nullptr;
  stmt->expressions.push_back(parseExpression());
  if (!stmt->expressions.back() || !expect(")", "after the root"))
    return nullptr;
  stmt->children.push_back(parseBody());
  return stmt->children.back() ? std::move(stmt) : nullptr;
}

/// iterateInReverse(v != root), after the iterateInBFS whose levels it uses.
StmtPtr Parser::parseReverse() {
  StmtPtr stmt = makeStmt(Stmt::Reverse, tokens[position - 1].place);
  if (!expect("(", "and the condition"))
    return nullptr;
  if (!peek().is(")")) {
    stmt->filter = parseExpression();
    if (!stmt->filter)
      return nullptr;
  }
  if (!expect(")", "after the condition"))
    return nullptr;
  stmt->children.push_back(parseBody());
  return stmt->children.back() ? std::move(stmt) : nullptr;
}
