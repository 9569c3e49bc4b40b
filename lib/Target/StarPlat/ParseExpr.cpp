//===- ParseExpr.cpp - Expressions of StarPlat programs ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace llvm;
using namespace comm::starplat;

ExprPtr comm::starplat::makeExpr(Expr::Kind kind, const Token &token) {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->place = token.place;
  expr->text = token.text;
  return expr;
}

bool comm::starplat::isSame(const Expr &a, const Expr &b) {
  if (a.kind != b.kind || a.text != b.text || a.integer != b.integer || a.number != b.number || a.symbol != b.symbol ||
      a.operands.size() != b.operands.size())
    return false;
  return llvm::all_of(llvm::zip_equal(a.operands, b.operands),
                      [](const auto &pair) { return isSame(*std::get<0>(pair), *std::get<1>(pair)); });
}

bool comm::starplat::contains(const Expr &whole, const Expr &part) {
  return isSame(whole, part) ||
         llvm::any_of(whole.operands, [&](const ExprPtr &operand) { return contains(*operand, part); });
}

static void forEachWithin(const Expr &expr, llvm::function_ref<void(const Expr &)> use) {
  use(expr);
  for (const ExprPtr &operand : expr.operands)
    forEachWithin(*operand, use);
}

void comm::starplat::forEachExpr(const Stmt &stmt, llvm::function_ref<void(const Expr &)> use) {
  for (const std::vector<ExprPtr> *all : {&stmt.expressions, &stmt.targets})
    for (const ExprPtr &expr : *all)
      if (expr)
        forEachWithin(*expr, use);
  if (stmt.filter)
    forEachWithin(*stmt.filter, use);
  for (const StmtPtr &child : stmt.children)
    if (child)
      forEachExpr(*child, use);
}

/// Returns C's precedence; 0 if this is not a binary operator.
static unsigned getPrecedence(StringRef representation) {
  return StringSwitch<unsigned>(representation)
      .Case("||", 1)
      .Case("&&", 2)
      .Case("|", 3)
      .Case("^", 4)
      .Case("&", 5)
      .Cases({"==", "!="}, 6)
      .Cases({"<", ">", "<=", ">="}, 7)
      .Cases({"+", "-"}, 8)
      .Cases({"*", "/", "%"}, 9)
      .Default(0);
}

ExprPtr Parser::parseBinary(unsigned precedence) {
  DepthGuard guard(*this);
  if (isTooDeep(peek()))
    return nullptr;
  ExprPtr left = parseUnary();
  while (left && peek().kind == Token::Symbol) {
    unsigned own = getPrecedence(peek().text);
    if (own <= precedence || (inAngles && peek().is(">")))
      break;
    // Each operator makes the tree deeper, and thus the recursion of all visitors.
    if (++depth; isTooDeep(peek()))
      return nullptr;
    ExprPtr binary = makeExpr(Expr::Binary, take());
    ExprPtr right = parseBinary(own);
    if (!right)
      return nullptr;
    binary->operands.push_back(std::move(left));
    binary->operands.push_back(std::move(right));
    left = std::move(binary);
  }
  return left;
}

ExprPtr Parser::parseUnary() {
  DepthGuard guard(*this);
  const Token &token = peek();
  if (isTooDeep(token))
    return nullptr;
  if (token.is("!") || token.is("-") || token.is("+")) {
    ExprPtr unary = makeExpr(Expr::Unary, take());
    ExprPtr operand = parseUnary();
    if (!operand)
      return nullptr;
    unary->operands.push_back(std::move(operand));
    return unary;
  }
  // (float)x
  if (token.is("(") && peek(1).kind == Token::Name && peek(2).is(")"))
    if (std::optional<Type> type = getSimpleType(peek(1).text); type && type->isScalar()) {
      take();
      ExprPtr cast = makeExpr(Expr::Cast, take());
      take();
      cast->type = *type;
      ExprPtr operand = parseUnary();
      if (!operand)
        return nullptr;
      cast->operands.push_back(std::move(operand));
      return cast;
    }
  return parsePostfix();
}

bool Parser::parseArguments(std::vector<ExprPtr> &arguments) {
  bool outside = std::exchange(inAngles, false);
  if (!peek().is(")"))
    do {
      ExprPtr argument = parseExpression();
      if (!argument)
        return false;
      arguments.push_back(std::move(argument));
    } while (accept(","));
  inAngles = outside;
  return expect(")", "after the arguments");
}

ExprPtr Parser::parsePostfix() {
  ExprPtr expr = parsePrimary();
  unsigned length = 0;
  while (expr) {
    if (++length > 64)
      return fail(peek(), "this expression is nested too deep: split it");
    if (accept(".")) {
      const Token &name = peek();
      // In `nodes().filter(...)`, the loop parses the filter.
      if (name.is("filter")) {
        --position;
        return expr;
      }
      if (!expectName("a property or a function of the graph"))
        return nullptr;
      ExprPtr member = makeExpr(Expr::Member, name);
      member->operands.push_back(std::move(expr));
      if (accept("(")) {
        member->kind = Expr::Method;
        if (name.is("attachNodeProperty") || name.is("attachEdgeProperty"))
          return member; // its arguments are assignments
        if (!parseArguments(member->operands))
          return nullptr;
      }
      expr = std::move(member);
    } else if (peek().is("[")) {
      // `property[v]` is `v.property`.
      const Token &bracket = take();
      bool outside = std::exchange(inAngles, false);
      ExprPtr index = parseExpression();
      inAngles = outside;
      if (!index || !expect("]", "after the index"))
        return nullptr;
      if (expr->kind != Expr::Name) {
        ExprPtr list = std::exchange(expr, makeExpr(Expr::Element, bracket));
        expr->operands.push_back(std::move(list));
      }
      expr->kind = expr->kind == Expr::Name ? Expr::Member : Expr::Element;
      expr->operands.push_back(std::move(index));
    } else {
      break;
    }
  }
  return expr;
}

ExprPtr Parser::parsePrimary() {
  const Token &token = peek();
  switch (token.kind) {
  case Token::Integer: {
    ExprPtr expr = makeExpr(Expr::IntegerLiteral, take());
    if (token.text.getAsInteger(10, expr->integer) || expr->integer > uint64_t(INT64_MAX))
      return fail(token, "this number is too large: integers have 64 bits");
    return expr;
  }
  case Token::Float: {
    ExprPtr expr = makeExpr(Expr::FloatLiteral, take());
    if (token.text.getAsDouble(expr->number) || std::isinf(expr->number))
      return fail(token, "this number cannot be represented: use one that a double has");
    return expr;
  }
  case Token::String:
    return fail(token, "strings have no use here: remove it");
  case Token::End:
    return fail(token, "the program ends in the middle of an expression");
  case Token::Symbol:
    if (accept("(")) {
      bool outside = std::exchange(inAngles, false);
      ExprPtr expr = parseExpression();
      inAngles = outside;
      return expr && expect(")", "after the expression") ? std::move(expr) : nullptr;
    }
    return fail(token, "expected an expression, and found '" + token.text + "'");
  case Token::Name:
    break;
  }
  take();
  bool isTrue = token.is("True") || token.is("true");
  if (isTrue || token.is("False") || token.is("false")) {
    ExprPtr expr = makeExpr(Expr::BoolLiteral, token);
    expr->integer = isTrue;
    return expr;
  }
  if (token.is("INF") || token.is("INT_MAX") || token.is("LONG_MAX"))
    return makeExpr(Expr::Infinity, token);
  if (!peek().is("("))
    return makeExpr(Expr::Name, token);
  take();
  ExprPtr call = makeExpr(Expr::Call, token);
  return parseArguments(call->operands) ? std::move(call) : nullptr;
}
