//===- Parser.cpp - Functions and simple statements of StarPlat ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace comm::starplat;

StmtPtr comm::starplat::makeStmt(Stmt::Kind kind, SMLoc place) {
  auto stmt = std::make_unique<Stmt>();
  stmt->kind = kind;
  stmt->place = place;
  return stmt;
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

bool Parser::accept(StringRef representation) {
  if (!peek().is(representation))
    return false;
  take();
  return true;
}

/// Reports a missing token after the last one, where the user would insert it.
bool Parser::expect(StringRef representation, StringRef where) {
  if (accept(representation))
    return true;
  const Token &token = peek();
  const Token &last = position == 0 ? token : tokens[position - 1];
  bool sameFile = last.text.end() <= token.place.getPointer();
  diagnostics.error(sameFile ? SMLoc::getFromPointer(last.text.end()) : token.place,
                    "expected '" + representation + "' " + where);
  return false;
}

std::optional<StringRef> Parser::expectName(StringRef what) {
  if (peek().kind == Token::Name)
    return take().text;
  fail(peek(), "expected the name of " + what);
  return std::nullopt;
}

std::nullptr_t Parser::fail(const Token &token, const Twine &text) {
  diagnostics.error(token.place, text);
  return nullptr;
}

bool Parser::isTooDeep(const Token &token) {
  if (depth < 400)
    return false;
  fail(token, "this is nested too deep: split it");
  return true;
}

/// After an error, skips to the end of the statement or block.
void Parser::synchronize() {
  for (unsigned braces = 0; peek().kind != Token::End; take()) {
    if (peek().is("function"))
      return;
    if (peek().is("{"))
      ++braces;
    if (peek().is("}") && braces-- <= 1) {
      take();
      return;
    }
    if (peek().is(";") && braces == 0) {
      take();
      return;
    }
  }
}

//===----------------------------------------------------------------------===//
// Types and functions
//===----------------------------------------------------------------------===//

std::optional<Type> comm::starplat::getSimpleType(StringRef name) {
  return StringSwitch<std::optional<Type>>(name)
      .Case("bool", Type{Type::Bool})
      .Case("int", Type{Type::Int})
      .Case("long", Type{Type::Long})
      .Case("float", Type{Type::Float})
      .Case("double", Type{Type::Double})
      .Case("node", Type{Type::Node})
      .Case("edge", Type{Type::Edge})
      .Case("Graph", Type{Type::Graph})
      .Default(std::nullopt);
}

/// Types of StarPlat that do not belong to graph algorithms, or whose data each process would have for itself.
static bool isForeignType(StringRef name) {
  return StringSwitch<bool>(name)
      .Cases({"nodeMap", "std", "list", "updates", "SetE"}, true)
      .Cases({"GNN", "BTree", "Point", "Edge", "Triangle", "geomCompleteGraph", "dirGraph", "string"}, true)
      .Default(false);
}

std::string comm::starplat::getName(Type type) {
  switch (type.kind) {
  case Type::Error:
    return "unknown";
  case Type::Void:
    return "nothing";
  case Type::Bool:
    return "bool";
  case Type::Int:
    return "int";
  case Type::Long:
    return "long";
  case Type::Float:
    return "float";
  case Type::Double:
    return "double";
  case Type::Node:
    return "node";
  case Type::Edge:
    return "edge";
  case Type::Graph:
    return "Graph";
  case Type::Set:
    return "SetN";
  case Type::NodeProperty:
    return "propNode<" + getName(Type{type.value}) + ">";
  case Type::EdgeProperty:
    return "propEdge<" + getName(Type{type.value}) + ">";
  case Type::List:
    return "container<" + getName(type.getElement()) + ">";
  case Type::Map: {
    bool isSet = type.depth == 1 && type.value == Type::Void;
    std::string key = getName(Type{type.key});
    return isSet ? "hashSet<" + key + ">" : "hashMap<" + key + "," + getName(type.getMapped()) + ">";
  }
  case Type::Auto:
    return "auto &";
  }
  return "unknown";
}

/// container<...> or std::vector<...>
bool Parser::atList() const {
  return (peek().is("container") && peek(1).is("<")) ||
         (peek().is("std") && peek(1).is("::") && peek(2).is("vector") && peek(3).is("<"));
}

std::optional<Type> Parser::parseListType() {
  DepthGuard guard(*this);
  if (isTooDeep(peek()))
    return std::nullopt;
  while (!accept("<"))
    take();
  const Token &element = peek();
  std::optional<Type> type = parseType();
  if (!type)
    return std::nullopt;
  if (!type->isScalar() && !type->isList()) {
    fail(element, "a list has values of type bool, int, long, float, double, node or edge, or lists");
    return std::nullopt;
  }
  if (!expect(">", "after the type of the values"))
    return std::nullopt;
  return Type::makeList(*type);
}

/// hashSet<...>, hashMap<...>, auto &
bool Parser::atMap() const {
  return ((peek().is("hashSet") || peek().is("hashMap")) && peek(1).is("<")) || (peek().is("auto") && peek(1).is("&"));
}

std::optional<Type> Parser::parseMapType() {
  const Token &name = take();
  if (name.is("auto"))
    return take(), Type{Type::Auto};
  take();
  const Token &first = peek();
  std::optional<Type> key = parseType(), mapped = Type{Type::Void};
  if (!key)
    return std::nullopt;
  if (!key->isInteger() && key->kind != Type::Node) {
    fail(first, "keys have the type int, long or node");
    return std::nullopt;
  }
  if (name.is("hashMap")) {
    if (!expect(",", "and what belongs to it"))
      return std::nullopt;
    const Token &second = peek();
    mapped = parseType();
    if (!mapped)
      return std::nullopt;
    if (!mapped->isScalar() && (!mapped->isMap() || mapped->depth > 1)) {
      fail(second, "a map has values of type bool, int, long, float, double, node or edge, or sets and maps of those");
      return std::nullopt;
    }
  }
  if (!expect(">", "after the types"))
    return std::nullopt;
  if (mapped->isMap())
    return Type{Type::Map, mapped->value, 2, key->kind, mapped->key};
  return Type{Type::Map, mapped->kind, 1, key->kind};
}

bool Parser::atType() const {
  StringRef text = peek().text;
  bool isType =
      getSimpleType(text) || text == "propNode" || text == "propEdge" || text == "SetN" || atList() || atMap();
  if (peek().kind != Token::Name)
    return false;
  return isType || (isForeignType(text) && !peek(1).is("=") && !peek(1).is("."));
}

bool Parser::atUnknownType() const { return peek().kind == Token::Name && peek(1).kind == Token::Name; }

std::optional<Type> Parser::parseType() {
  const Token &token = peek();
  if (std::optional<Type> simple = getSimpleType(token.text)) {
    take();
    return simple;
  }
  bool isNodeProperty = token.is("propNode");
  if (isNodeProperty || token.is("propEdge")) {
    take();
    if (!expect("<", "and the type of the values"))
      return std::nullopt;
    const Token &value = take();
    std::optional<Type> type = getSimpleType(value.text);
    if (!type || !type->isScalar()) {
      fail(value, "a property has values of type bool, int, long, float, double, node or edge");
      return std::nullopt;
    }
    if (!expect(">", "after the type of the values"))
      return std::nullopt;
    return Type{isNodeProperty ? Type::NodeProperty : Type::EdgeProperty, type->kind};
  }
  if (atList())
    return parseListType();
  if (atMap())
    return parseMapType();
  if (accept("SetN")) {
    if (accept("<") && (!expectName("a graph") || !expect(">", "after the graph")))
      return std::nullopt;
    return Type{Type::Set};
  }
  if (isForeignType(token.text) || atUnknownType())
    fail(token, "the type '" + token.text +
                    "' is not supported: graph programs have Graph, bool, int, long, float, double, node, edge, "
                    "propNode, propEdge, SetN, container or std::vector, hashSet and hashMap");
  else
    fail(token, "expected a type, and found '" + token.text + "'");
  return std::nullopt;
}

bool Parser::parseParameter(Function &function) {
  SMLoc place = peek().place;
  std::optional<Type> type = parseType();
  if (!type)
    return false;
  if (type->isMap() || type->kind == Type::Auto) {
    fail(peek(), "sets and maps cannot be parameters: use them in the function that declares them");
    return false;
  }
  bool isReference = type->isList() && accept("&");
  if (peek().is("&") || peek().is("*")) {
    fail(peek(), "parameters are passed by value: return what the caller needs");
    return false;
  }
  place = peek().place;
  std::optional<StringRef> name = expectName("the parameter");
  if (!name)
    return false;
  auto symbol = std::make_unique<Symbol>();
  symbol->name = *name;
  symbol->type = *type;
  symbol->place = place;
  symbol->isParameter = symbol->hasInitializer = true;
  symbol->isReference = isReference;
  function.parameters.push_back(std::move(symbol));
  return true;
}

std::unique_ptr<Function> Parser::parseFunction() {
  if (!accept("function")) {
    fail(peek(), "a program consists of functions: write 'function name(Graph g, ...) { ... }'");
    return nullptr;
  }
  auto function = std::make_unique<Function>();
  function->place = peek().place;
  std::optional<StringRef> name = expectName("the function");
  if (!name || !expect("(", "and the parameters"))
    return nullptr;
  function->name = *name;
  if (!peek().is(")"))
    do
      if (!parseParameter(*function))
        return nullptr;
    while (accept(","));
  if (!expect(")", "after the parameters"))
    return nullptr;
  function->body = parseBlock();
  return function->body ? std::move(function) : nullptr;
}

Program Parser::parseProgram() {
  Program program;
  while (peek().kind != Token::End) {
    depth = 0;
    if (std::unique_ptr<Function> function = parseFunction()) {
      program.functions.push_back(std::move(function));
      continue;
    }
    while (peek().kind != Token::End && !peek().is("function"))
      take();
  }
  if (program.functions.empty() && !diagnostics.hasErrors())
    fail(peek(), "the program has no function: write 'function name(Graph g, ...) { ... }'");
  return program;
}

//===----------------------------------------------------------------------===//
// Simple statements
//===----------------------------------------------------------------------===//

bool Parser::parseDeclaration(std::vector<StmtPtr> &statements) {
  std::optional<Type> type = parseType();
  if (!type)
    return false;
  do {
    StmtPtr stmt = makeStmt(Stmt::Declaration, peek().place);
    std::optional<StringRef> name = expectName("the variable");
    if (!name)
      return false;
    stmt->name = *name;
    stmt->declaredType = *type;
    if (peek().is("["))
      return fail(peek(), "variables are no arrays: 'container<" + getName(*type) + "> " + *name +
                              ";' is a list, and '" + *name + ".assign(n, 0);' makes it long"),
             false;
    if (accept("=")) {
      stmt->expressions.push_back(parseExpression());
      if (!stmt->expressions.back())
        return false;
    }
    statements.push_back(std::move(stmt));
  } while (accept(","));
  return true;
}

/// attachNodeProperty(a = 0, b = False), one statement for each. The opening parenthesis has been consumed.
bool Parser::parseAttach(ExprPtr method, std::vector<StmtPtr> &statements) {
  bool isFirst = true;
  do {
    StmtPtr stmt = makeStmt(Stmt::Attach, method->place);
    stmt->text = method->text;
    ExprPtr graph = std::make_unique<Expr>();
    if (method->operands[0]->kind != Expr::Name) {
      diagnostics.error(method->place, "properties are attached to a graph: write 'g." + method->text + "(...)'");
      return false;
    }
    graph->kind = Expr::Name;
    graph->place = method->operands[0]->place;
    graph->text = method->operands[0]->text;
    const Token &name = peek();
    if (isFirst && name.is(")"))
      break;
    isFirst = false;
    if (!expectName("a property") || !expect("=", "and the value"))
      return false;
    ExprPtr value = parseExpression();
    if (!value)
      return false;
    stmt->expressions.push_back(std::move(graph));
    stmt->expressions.push_back(makeExpr(Expr::Name, name));
    stmt->expressions.push_back(std::move(value));
    statements.push_back(std::move(stmt));
  } while (accept(","));
  return expect(")", "after the properties");
}

bool Parser::parseSimple(std::vector<StmtPtr> &statements, bool needsSemicolon) {
  // A declaration of a type that the language does not have.
  if (atUnknownType())
    return parseType().has_value();
  const Token &first = peek();
  bool isPrefix = accept("++") || accept("--");
  ExprPtr target = parsePostfix();
  if (!target)
    return false;
  const Token &op = peek();
  bool isIncrement = !isPrefix && (op.is("++") || op.is("--"));
  if (isPrefix || isIncrement) {
    StmtPtr stmt = makeStmt(Stmt::Assign, isPrefix ? first.place : op.place);
    stmt->text = (isPrefix ? first : take()).is("++") ? "+=" : "-=";
    ExprPtr one = makeExpr(Expr::IntegerLiteral, op);
    one->text = "1";
    one->integer = 1;
    stmt->expressions.push_back(std::move(target));
    stmt->expressions.push_back(std::move(one));
    statements.push_back(std::move(stmt));
  } else if (op.kind == Token::Symbol && op.text.ends_with("=") && op.text != "==" && op.text != "!=" &&
             op.text != "<=" && op.text != ">=") {
    take();
    if (op.is("=") && peek().is("<")) {
      std::vector<ExprPtr> targets;
      targets.push_back(std::move(target));
      StmtPtr stmt = parseReductionValues(std::move(targets), op.place);
      if (!stmt)
        return false;
      statements.push_back(std::move(stmt));
    } else {
      StmtPtr stmt = makeStmt(Stmt::Assign, op.place);
      stmt->text = op.text;
      ExprPtr value = parseExpression();
      if (!value)
        return false;
      stmt->expressions.push_back(std::move(target));
      stmt->expressions.push_back(std::move(value));
      statements.push_back(std::move(stmt));
    }
  } else if (target->kind == Expr::Method &&
             (target->text == "attachNodeProperty" || target->text == "attachEdgeProperty")) {
    if (!parseAttach(std::move(target), statements))
      return false;
  } else if (target->kind == Expr::Method || target->kind == Expr::Call) {
    StmtPtr stmt = makeStmt(Stmt::Evaluate, target->place);
    stmt->expressions.push_back(std::move(target));
    statements.push_back(std::move(stmt));
  } else {
    return fail(op, "this statement does nothing: assign a value, or call a function"), false;
  }
  return !needsSemicolon || expect(";", "after the statement");
}

/// <Min(target, value), values>
StmtPtr Parser::parseReductionValues(std::vector<ExprPtr> targets, SMLoc place) {
  StmtPtr stmt = makeStmt(Stmt::Reduction, place);
  stmt->targets = std::move(targets);
  if (!expect("<", "and the values"))
    return nullptr;
  inAngles = true;
  do {
    ExprPtr value = parseExpression();
    if (!value) {
      inAngles = false;
      return nullptr;
    }
    stmt->expressions.push_back(std::move(value));
  } while (accept(","));
  inAngles = false;
  return expect(">", "after the values") ? std::move(stmt) : nullptr;
}

/// <targets> = <Min(target, value), values>;
StmtPtr Parser::parseReduction() {
  SMLoc place = take().place;
  std::vector<ExprPtr> targets;
  inAngles = true;
  do {
    targets.push_back(parsePostfix());
    if (!targets.back()) {
      inAngles = false;
      return nullptr;
    }
  } while (accept(","));
  inAngles = false;
  if (!expect(">", "after the targets") || !expect("=", "and the values"))
    return nullptr;
  StmtPtr stmt = parseReductionValues(std::move(targets), place);
  return stmt && expect(";", "after the statement") ? std::move(stmt) : nullptr;
}
