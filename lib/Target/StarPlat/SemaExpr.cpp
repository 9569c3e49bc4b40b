//===- SemaExpr.cpp - Types of StarPlat expressions ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sema.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace comm::starplat;

std::optional<EdgeEnd> comm::starplat::getEdgeEnd(StringRef member) {
  return StringSwitch<std::optional<EdgeEnd>>(member)
      .Cases({"source", "src"}, EdgeEnd::Source)
      .Cases({"destination", "dest", "dst", "data"}, EdgeEnd::Target)
      .Default(std::nullopt);
}

/// In arithmetic, a vertex or edge is its number.
static Type getCounted(Type type) { return type.isElement() ? Type{Type::Int} : type; }

void comm::starplat::adapt(Expr &expr, Type wanted) {
  if (expr.kind == Expr::Unary && expr.text != "!" && expr.type.isNumber()) {
    adapt(*expr.operands[0], wanted);
    expr.type = getCounted(expr.operands[0]->type);
  }
  // In a wider type, the number that represents INF as an int is just a number.
  bool isOnlyNumber = expr.kind == Expr::IntegerLiteral && expr.integer == uint64_t(INT32_MAX);
  if (isOnlyNumber && wanted.isNumber() && wanted.kind != Type::Int)
    expr.type = Type{Type::Long};
  if ((expr.kind == Expr::Infinity && wanted.isNumber()) || (expr.kind == Expr::FloatLiteral && wanted.isFloat()))
    expr.type = wanted;
}

Type comm::starplat::promote(Type a, Type b) {
  auto rank = [](Type type) { return type.isNumber() ? int(type.kind) : int(Type::Int); };
  static_assert(Type::Int < Type::Long && Type::Long < Type::Float && Type::Float < Type::Double);
  return Type{Type::Kind(std::max(rank(a), rank(b)))};
}

bool comm::starplat::isConvertible(Type from, Type to) {
  if (from.isError() || to.isError() || from == to)
    return true;
  if (!from.isScalar() || !to.isScalar())
    return false;
  // Vertices and edges convert to and from numbers.
  if (from.isElement() || to.isElement())
    return (from.isInteger() || to.isInteger()) || (from.isElement() && to.isNumber());
  return true;
}

Type Sema::error(SMLoc place, const Twine &text) {
  diagnostics.error(place, text);
  return Type{Type::Error};
}

void Sema::expectConvertible(const Expr &expr, Type to) {
  if (!isConvertible(expr.type, to))
    error(expr.place,
          "this is of type " + getName(expr.type) + ", and " + getName(to) + " is needed: there is no conversion");
}

bool Sema::checkCount(const Expr &expr, size_t wanted) {
  size_t given = expr.operands.size() - (expr.kind == Expr::Method);
  if (given == wanted)
    return true;
  error(expr.place, "'" + expr.text + "' takes " + Twine(wanted) + " argument" + (wanted == 1 ? "" : "s") + ", and " +
                        Twine(given) + (given == 1 ? " is" : " are") + " given");
  return false;
}

bool Sema::expectGraph(Expr &expr) {
  Type type = check(expr);
  if (type.kind == Type::Graph)
    return true;
  if (!type.isError())
    error(expr.place, "this is of type " + getName(type) + ", and a Graph is needed");
  return false;
}

bool Sema::expectVertex(Expr &expr) {
  Type type = check(expr);
  if (type.kind == Type::Node || type.isInteger())
    return true;
  if (!type.isError())
    error(expr.place, "this is of type " + getName(type) + ", and a vertex is needed");
  return false;
}

Type Sema::check(Expr &expr) {
  switch (expr.kind) {
  case Expr::IntegerLiteral:
    return expr.type = Type{expr.integer <= uint64_t(INT32_MAX) ? Type::Int : Type::Long};
  case Expr::FloatLiteral:
    return expr.type = Type{Type::Double};
  case Expr::BoolLiteral:
    return expr.type = Type{Type::Bool};
  case Expr::Infinity:
    return expr.type = Type{expr.text == "LONG_MAX" ? Type::Long : Type::Int};
  case Expr::CurrentEdge:
    return expr.type = Type{Type::Edge};
  case Expr::Name:
    return expr.type = checkName(expr);
  case Expr::Member:
    return expr.type = checkMember(expr);
  case Expr::Element:
    return expr.type = checkElement(expr);
  case Expr::Method:
    return expr.type = checkMethod(expr);
  case Expr::Call:
    return expr.type = checkCall(expr);
  case Expr::Unary:
    return expr.type = checkUnary(expr);
  case Expr::Cast:
    check(*expr.operands[0]);
    expectConvertible(*expr.operands[0], expr.type);
    return expr.type;
  case Expr::Binary:
    return expr.type = checkBinary(expr);
  }
  return Type{Type::Error};
}

Type Sema::checkName(Expr &expr) {
  Symbol *symbol = find(expr.text);
  if (!symbol) {
    error(expr.place, "'" + expr.text + "' is not declared");
    noteSimilar(expr.text, expr.place, /*isProperty=*/false);
    return Type{Type::Error};
  }
  if (symbol->type.isProperty() && filterElement) {
    // filter(modified == True) refers to the vertex that the loop visits.
    auto element = std::make_unique<Expr>();
    element->kind = Expr::Name;
    element->place = expr.place;
    element->text = filterElement->name;
    expr.kind = Expr::Member;
    expr.operands.push_back(std::move(element));
    return checkMember(expr);
  }
  expr.symbol = symbol;
  markRead(*symbol, expr.place);
  return symbol->type;
}

/// `written`: the type of the assigned value, if the member is a target.
Type Sema::checkMember(Expr &expr, Type written) {
  Expr &base = *expr.operands[0];
  if (inEdgeAttach && base.kind == Expr::Name && !find(base.text)) {
    std::string text = ("'" + base.text + "' is not declared").str();
    if (!permissive)
      return error(base.place, text + ": write the property alone, as in '" + expr.text.str() +
                                   "', or with --permissive take it for the edge that gets the value");
    diagnostics.warning(base.place, text + ": it is taken for the edge that gets the value");
    base.kind = Expr::CurrentEdge;
  }
  Type type = check(base);
  if (type.isError())
    return type;
  if (type.kind == Type::Graph) {
    if (expr.text == "weights")
      return Type{Type::EdgeProperty, Type::Int};
    return error(expr.place, "a Graph has no '" + expr.text + "': properties belong to vertices and edges");
  }
  if (!type.isElement() && !type.isInteger())
    return error(expr.place, "this is of type " + getName(type) + ": only vertices and edges have properties");
  bool mayBeEdge = type.kind != Type::Node, mayBeNode = type.kind != Type::Edge;
  Symbol *property = mayBeEdge && mayBeNode ? findProperty(expr.text)
                     : mayBeEdge            ? findProperty(expr.text, Type::EdgeProperty)
                                            : findProperty(expr.text, Type::NodeProperty);
  if (!property && mayBeNode)
    property = findList(expr.text);
  expr.symbol = property;
  if (property && property->type.isList())
    return property->type.getElement();
  if (property) {
    if (written.isError())
      markRead(*property, expr.place);
    return Type{property->type.value};
  }
  if (mayBeEdge && written.isError()) {
    expectOwnGraph(expr.place, "an edge");
    if (expr.text == "weight")
      return Type{Type::Int};
    if (getEdgeEnd(expr.text))
      return Type{Type::Node};
  }
  if (Symbol *other = findProperty(expr.text)) {
    error(expr.place, "'" + expr.text + "' is a property of " +
                          (other->type.kind == Type::NodeProperty ? "vertices" : "edges") + ", and this is " +
                          (mayBeNode ? "a vertex" : "an edge"));
    diagnostics.note(other->place, "it is declared here");
    return Type{Type::Error};
  }
  if (!written.isScalar() || !permissive) {
    StringRef kind = mayBeNode ? "propNode" : "propEdge";
    error(expr.place, "there is no property '" + expr.text + "': declare it with '" + kind + "<" +
                          (written.isScalar() ? getName(written) : "int") + "> " + expr.text + ";'" +
                          (written.isScalar() ? ", or use --permissive" : ""));
    noteSimilar(expr.text, expr.place, /*isProperty=*/true);
    return Type{Type::Error};
  }
  expr.symbol = declareImplicitly(expr, Type{mayBeNode ? Type::NodeProperty : Type::EdgeProperty}, written.kind);
  return Type{expr.symbol->type.value};
}

Type Sema::checkMethod(Expr &expr) {
  Type type = check(*expr.operands[0]);
  if (type.isList() || type.isMap())
    return type.isList() ? checkListMethod(expr) : checkMapMethod(expr);
  if (type.kind == Type::Set)
    return error(expr.place, "a SetN has no function '" + expr.text +
                                 "': loops go through it; 'for (v in s) { n += 1; }' counts its vertices");
  if (!expectGraph(*expr.operands[0]))
    return Type{Type::Error};
  enum { Unknown, Count, Degree, Pair, Weights, Loop };
  int kind = StringSwitch<int>(expr.text)
                 .Cases({"num_nodes", "num_edges"}, Count)
                 .Cases({"count_outNbrs", "count_inNbrs", "getOutDegree", "getInDegree"}, Degree)
                 .Cases({"is_an_edge", "check_if_nbr", "get_edge"}, Pair)
                 .Case("getEdgeLen", Weights)
                 .Cases({"nodes", "edges", "neighbors", "nodes_to", "nodes_from"}, Loop)
                 .Default(Unknown);
  switch (kind) {
  case Count:
    checkCount(expr, 0);
    return Type{Type::Long};
  case Weights:
    checkCount(expr, 0);
    return Type{Type::EdgeProperty, Type::Int};
  case Degree:
    if (checkCount(expr, 1))
      expectVertex(*expr.operands[1]);
    return Type{Type::Long};
  case Pair: {
    Type result{expr.text == "get_edge" ? Type::Edge : Type::Bool};
    if (!checkCount(expr, 2) || !expectVertex(*expr.operands[1]) || !expectVertex(*expr.operands[2]))
      return result;
    const Stmt *loop = loopOf.lookup(expr.operands[2]->symbol);
    if (expr.text == "get_edge" && loop && loop->iterable == Iterable::InNeighbors &&
        isSame(*loop->expressions[0]->operands[1], *expr.operands[1]))
      diagnostics.warning(expr.place, "the edge leads from '" + expr.operands[2]->text +
                                          "', which the loop visits, and not to it: a directed graph may have no such "
                                          "edge, or one of another weight; exchange the arguments");
    return result;
  }
  case Loop:
    return error(expr.place, "'" + expr.text + "' is what loops are over: it has no value");
  default:
    return error(expr.place, "a Graph has no function '" + expr.text +
                                 "': num_nodes, num_edges, count_outNbrs, count_inNbrs, is_an_edge, get_edge, nodes, "
                                 "neighbors, nodes_to, nodes_from and edges are there");
  }
}

Type Sema::checkCall(Expr &expr) {
  bool isExtremum =
      StringSwitch<bool>(expr.text).Cases({"min", "max", "Min", "Max", "std::min", "std::max"}, true).Default(false);
  for (ExprPtr &argument : expr.operands)
    check(*argument);
  if (isExtremum) {
    if (!checkCount(expr, 2))
      return Type{Type::Error};
    Expr &a = *expr.operands[0], &b = *expr.operands[1];
    adapt(a, b.type);
    adapt(b, a.type);
    if (a.type == b.type && a.type.isScalar())
      return a.type;
    Type type = promote(a.type, b.type);
    expectConvertible(a, type);
    expectConvertible(b, type);
    return type;
  }
  if (expr.text == "abs" || expr.text == "fabs") {
    if (!checkCount(expr, 1))
      return Type{Type::Error};
    Type type = getCounted(expr.operands[0]->type);
    if (!type.isError() && !type.isNumber())
      return error(expr.place, "'" + expr.text + "' takes a number");
    return type;
  }
  Function *callee = functions.lookup(expr.text);
  size_t numReal =
      StringSwitch<size_t>(expr.text).Cases({"sqrt", "exp", "log", "floor", "ceil"}, 1).Case("pow", 2).Default(0);
  if (!callee && numReal) {
    if (!checkCount(expr, numReal))
      return Type{Type::Error};
    Type real{Type::Float};
    for (ExprPtr &argument : expr.operands) {
      if (argument->type.isError())
        return Type{Type::Error};
      if (!getCounted(argument->type).isNumber())
        return error(argument->place,
                     "'" + expr.text + "' takes numbers, and this is of type " + getName(argument->type));
      if (argument->type.kind != Type::Float)
        real = Type{Type::Double};
    }
    return real;
  }
  if (!callee)
    return error(expr.place, "there is no function '" + expr.text + "' in this program");
  if (!checkCount(expr, callee->parameters.size()))
    return callee->result;
  for (auto [index, argument] : llvm::enumerate(expr.operands)) {
    Type wanted = callee->parameters[index]->type;
    adapt(*argument, wanted);
    expectConvertible(*argument, wanted);
    if (!wanted.isProperty() && !wanted.isList())
      continue;
    if (wanted.isList() && argument->kind != Expr::Name && argument->kind != Expr::Call)
      error(argument->place, "a function takes a list that has a name: copy this one to a variable");
    if (argument->symbol && (wanted.isProperty() || callee->parameters[index]->isReference))
      ++argument->symbol->numWrites; // the function may modify it
    for (const ExprPtr &other : llvm::drop_begin(expr.operands, index + 1))
      if (argument->symbol && argument->kind == Expr::Name && other->kind == Expr::Name &&
          other->symbol == argument->symbol)
        error(other->place, "the " + StringRef(wanted.isList() ? "list" : "property") + " '" + other->text +
                                "' is given twice: a function takes each as another one");
  }
  return callee->result;
}

Type Sema::checkUnary(Expr &expr) {
  Type type = check(*expr.operands[0]);
  if (type.isError())
    return type;
  if (expr.text == "!") {
    if (!type.isScalar())
      return error(expr.place, "'!' takes a truth value, and this is of type " + getName(type));
    return Type{Type::Bool};
  }
  if (!getCounted(type).isNumber())
    return error(expr.place, "'" + expr.text + "' takes a number, and this is of type " + getName(type));
  return getCounted(type);
}

Type Sema::checkBinary(Expr &expr) {
  Expr &left = *expr.operands[0], &right = *expr.operands[1];
  Type a = check(left), b = check(right);
  if (a.isError() || b.isError())
    return Type{Type::Error};
  if (!a.isScalar() || !b.isScalar()) {
    Type wrong = a.isScalar() ? b : a;
    if (wrong.isProperty())
      return error(expr.place, "this is a property of all vertices or edges: name the element, as in 'v.name'");
    return error(expr.place, "'" + expr.text + "' has an operand of type " + getName(wrong));
  }
  adapt(left, b);
  adapt(right, a);
  a = left.type;
  b = right.type;
  StringRef op = expr.text;
  if (op == "&&" || op == "||") {
    for (Expr *operand : {&left, &right})
      if (operand->type.isNumber()) {
        diagnostics.warning(expr.place, "'" + op +
                                            "' makes True or False of numbers: compare them with 0 if that is "
                                            "meant");
        break;
      }
    return Type{Type::Bool};
  }
  bool isComparison = StringSwitch<bool>(op).Cases({"==", "!=", "<", ">", "<=", ">="}, true).Default(false);
  if (isComparison) {
    if ((a.kind == Type::Node && b.kind == Type::Edge) || (a.kind == Type::Edge && b.kind == Type::Node))
      return error(expr.place, "a vertex and an edge cannot be compared");
    return Type{Type::Bool};
  }
  if ((op == "&" || op == "|" || op == "^") && a.kind == Type::Bool && b.kind == Type::Bool)
    return Type{Type::Bool};
  Type result = promote(a, b);
  if ((op == "&" || op == "|" || op == "^" || op == "%") && !result.isInteger())
    return error(expr.place, "'" + op + "' takes integers");
  return result;
}
