//===- Sema.cpp - Names and simple statements of StarPlat ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sema.h"

using namespace llvm;
using namespace comm::starplat;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

void Sema::declare(Symbol &symbol) {
  symbol.numReads = symbol.numWrites = 0;
  symbol.parallelDepth = parallelDepth;
  for (const Symbol *other : scopes.back().symbols)
    if (other->name == symbol.name && symbol.type.isProperty() == other->type.isProperty()) {
      error(symbol.place, "'" + symbol.name + "' is declared twice");
      diagnostics.note(other->place, "the other one is here");
    }
  scopes.back().symbols.push_back(&symbol);
  variables.push_back(&symbol);
}

Symbol *Sema::find(StringRef name) const {
  for (const Scope &scope : llvm::reverse(scopes))
    for (Symbol *symbol : llvm::reverse(scope.symbols))
      if (symbol->name == name)
        return symbol;
  return nullptr;
}

/// Finds a property. Variables do not hide properties in `v.name`.
Symbol *Sema::findProperty(StringRef name, Type::Kind kind) const {
  for (const Scope &scope : llvm::reverse(scopes))
    for (Symbol *symbol : llvm::reverse(scope.symbols))
      if (symbol->name == name && symbol->type.kind == kind)
        return symbol;
  return nullptr;
}

Symbol *Sema::findProperty(StringRef name) const {
  for (const Scope &scope : llvm::reverse(scopes))
    for (Symbol *symbol : llvm::reverse(scope.symbols))
      if (symbol->name == name && symbol->type.isProperty())
        return symbol;
  return nullptr;
}

Symbol *Sema::declareImplicitly(const Expr &name, Type type, Type::Kind value) {
  auto symbol = std::make_unique<Symbol>();
  symbol->name = name.text;
  symbol->type = Type{type.kind, value};
  symbol->place = name.place;
  symbol->hasInitializer = true;
  diagnostics.warning(name.place, "there is no property '" + name.text + "': it becomes '" + getName(symbol->type) +
                                      " " + name.text + ";', at first " + (value == Type::Bool ? "False" : "0") +
                                      " everywhere; declare it");
  noteSimilar(name.text, name.place, /*isProperty=*/true);
  scopes.front().symbols.push_back(symbol.get());
  function->implicitProperties.push_back(std::move(symbol));
  return function->implicitProperties.back().get();
}

void Sema::noteSimilar(StringRef name, SMLoc place, bool isProperty) {
  const Symbol *best = nullptr;
  // For a short name, limit the distance, or any name would be similar.
  unsigned distance = std::min(std::max<size_t>(name.size() / 3, 1) + 1, name.size());
  for (const Scope &scope : scopes)
    for (const Symbol *symbol : scope.symbols)
      if (symbol->type.isProperty() == isProperty)
        if (unsigned d = name.edit_distance_insensitive(symbol->name, true, distance); d < distance && d > 0) {
          best = symbol;
          distance = d;
        }
  if (best)
    diagnostics.note(best->place, "'" + best->name + "' is declared here: was that meant?");
}

void Sema::markRead(Symbol &symbol, SMLoc place) {
  if (symbol.numReads++ == 0)
    symbol.readPlace = place;
}

void Sema::markWritten(const Expr &target) {
  if (target.kind == Expr::Element)
    return markWritten(*target.operands[0]);
  if (!target.symbol)
    return;
  if (target.kind == Expr::Name && target.symbol->isLoopVariable)
    error(target.place, "'" + target.text + "' is the variable of a loop over the graph: it cannot be changed");
  ++target.symbol->numWrites;
}

/// Returns the default of an unset value, in the syntax of programs.
static std::string getZero(const Type &type) {
  return type.kind == Type::Bool || type.value == Type::Bool ? "False" : type.isElement() ? "-1" : "0";
}

/// Reports variables that are read but never set, which is certainly a mistake.
void Sema::reportUnset() {
  for (const Symbol *symbol : variables) {
    if (symbol->numReads == 0 || symbol->numWrites != 0 || symbol->hasInitializer || symbol->type.isError())
      continue;
    std::string zero = getZero(symbol->type);
    std::string text = ("'" + symbol->name + "' is never set").str();
    if (permissive)
      diagnostics.warning(symbol->readPlace, text + ": it is " + zero + " here");
    else
      diagnostics.error(symbol->readPlace, text + ": give it a value before (with --permissive it is " + zero + ")");
    diagnostics.note(symbol->place, "it is declared here");
  }
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Finds break, continue and return statements that leave `stmt`.
static bool findLeaving(Stmt &stmt, bool &breaks, bool &continues) {
  bool returns = stmt.kind == Stmt::Return;
  bool ownBreaks = stmt.kind == Stmt::Break, ownContinues = stmt.kind == Stmt::Continue;
  for (StmtPtr &child : stmt.children)
    returns |= findLeaving(*child, ownBreaks, ownContinues);
  bool isLoop = stmt.kind == Stmt::While || stmt.kind == Stmt::DoWhile || stmt.kind == Stmt::ForIn ||
                stmt.kind == Stmt::Loop || stmt.kind == Stmt::CFor || stmt.kind == Stmt::FixedPoint ||
                stmt.kind == Stmt::BFS || stmt.kind == Stmt::Reverse;
  if (isLoop) {
    stmt.hasBreak = ownBreaks;
    stmt.hasContinue = ownContinues;
    stmt.mayLeave = returns;
    return returns;
  }
  stmt.mayLeave = returns || ownBreaks || ownContinues;
  breaks |= ownBreaks;
  continues |= ownContinues;
  return returns;
}

/// Whether a condition is a constant that holds.
static bool alwaysHolds(const Expr &condition) {
  return (condition.kind == Expr::BoolLiteral || condition.kind == Expr::IntegerLiteral) && condition.integer;
}

/// Whether all paths through the statement return a value.
static bool returnsValue(const Stmt &stmt) {
  switch (stmt.kind) {
  case Stmt::Return:
    return !stmt.expressions.empty();
  case Stmt::Block:
    return llvm::any_of(stmt.children, [](const StmtPtr &child) { return returnsValue(*child); });
  case Stmt::If:
    return stmt.children.size() == 2 && returnsValue(*stmt.children[0]) && returnsValue(*stmt.children[1]);
  case Stmt::While:
  case Stmt::CFor:
    return alwaysHolds(*stmt.expressions[0]) && !stmt.hasBreak;
  case Stmt::DoWhile:
    return !stmt.hasBreak &&
           (alwaysHolds(*stmt.expressions[0]) || (!stmt.hasContinue && returnsValue(*stmt.children[0])));
  default:
    return false;
  }
}

void Sema::run() {
  for (std::unique_ptr<Function> &each : program.functions)
    if (!functions.try_emplace(each->name, each.get()).second)
      error(each->place, "there are two functions '" + each->name + "': functions have one form each");
  if (diagnostics.hasErrors())
    return;
  for (std::unique_ptr<Function> &each : program.functions) {
    bool breaks = false, continues = false;
    findLeaving(*each->body, breaks, continues);
  }
  // A function's return type is known only after it was analyzed, and calls may precede it: iterate.
  if (program.functions.size() > 1) {
    diagnostics.mute(true);
    for (unsigned round = 0; round < 3; ++round)
      for (std::unique_ptr<Function> &each : program.functions)
        analyze(*each);
    diagnostics.mute(false);
  }
  for (std::unique_ptr<Function> &each : program.functions)
    analyze(*each);
}

void Sema::analyze(Function &each) {
  function = &each;
  scopes.assign(1, Scope());
  variables.clear();
  loops.clear();
  loopOf.clear();
  parallelDepth = 0;
  each.implicitProperties.clear();
  unsigned numGraphs = 0;
  for (std::unique_ptr<Symbol> &parameter : each.parameters) {
    declare(*parameter);
    numGraphs += parameter->type.kind == Type::Graph;
  }
  if (numGraphs > 1)
    error(each.place, "the function takes " + Twine(numGraphs) + " graphs: a function takes one, 'Graph g'");
  each.hasGraph = numGraphs > 0;
  analyzeBlock(*each.body);
  bool endsByReturn = !each.body->children.empty() && each.body->children.back()->kind == Stmt::Return;
  if (each.result.isList() && !endsByReturn)
    error(each.place, "the function returns a list, and not at its end: make that its last statement");
  else if (each.result.isScalar() && !diagnostics.hasErrors() && !returnsValue(*each.body))
    reportMissingReturn();
  reportUnset();
}

/// Reports a function that may end without returning a value.
void Sema::reportMissingReturn() {
  std::string text = ("'" + function->name + "' returns a value of type " + getName(function->result) +
                      " in one place, and may end without one")
                         .str();
  if (permissive)
    diagnostics.warning(function->place, text + ": it is " + getZero(function->result) + " then");
  else
    diagnostics.error(function->place, text + ": return one at its end, too (with --permissive it is " +
                                           getZero(function->result) + ")");
}

/// Reports an implicit reference to a graph in a function that has none.
void Sema::expectOwnGraph(SMLoc place, const Twine &what) {
  if (!function->hasGraph)
    error(place, what + " belongs to a graph, and this function has none: add a parameter 'Graph g'");
}

//===----------------------------------------------------------------------===//
// Simple statements
//===----------------------------------------------------------------------===//

void Sema::analyzeDeclaration(Stmt &stmt) {
  if (!stmt.expressions.empty()) {
    Expr &value = *stmt.expressions[0];
    check(value);
    adapt(value, stmt.declaredType);
    if (stmt.declaredType.kind == Type::Auto || stmt.declaredType.isMap())
      ; // see below
    else if (stmt.declaredType.isProperty())
      error(value.place, "a property gets its values by 'g.attachNodeProperty(" + stmt.name + " = ...)'");
    else
      expectConvertible(value, stmt.declaredType);
  }
  if (stmt.declaredType.isProperty())
    expectOwnGraph(stmt.place, "a property");
  Type type = stmt.declaredType;
  if (type.isMap() && !stmt.expressions.empty())
    error(stmt.expressions[0]->place, "a set or map is empty at first: insert its elements afterwards");
  if (type.kind == Type::Auto)
    type = checkReference(stmt);
  if (!type.isError() && !type.isScalar() && !type.isProperty() && !type.isList() && !type.isMap())
    error(stmt.place, "a variable cannot be of type " + getName(stmt.declaredType) + ": make it a parameter");
  if (stmt.declaredType.isProperty() && parallelDepth > 0)
    error(stmt.place, "a property is declared in a forall: declare it before, for all iterations");
  stmt.symbol = std::make_unique<Symbol>();
  stmt.symbol->name = stmt.name;
  stmt.symbol->type = type;
  stmt.symbol->isReference = stmt.declaredType.kind == Type::Auto;
  stmt.symbol->place = stmt.place;
  stmt.symbol->hasInitializer = !stmt.expressions.empty() || type.isList() || type.isMap();
  declare(*stmt.symbol);
}

/// Returns the type of an assignment's target; the value, if any, has been checked.
Type Sema::checkTarget(Expr &target, const Expr *value) {
  if (target.kind == Expr::Member) {
    target.type = checkMember(target, value && !value->type.isError() ? value->type : Type{Type::Int});
    if (!target.symbol && !target.type.isError())
      return error(target.place, "'" + target.text + "' belongs to the graph: it cannot be changed");
  } else if (target.kind == Expr::Name) {
    Symbol *symbol = find(target.text);
    if (!symbol)
      return check(target);
    target.symbol = symbol;
    target.type = symbol->type;
  } else if (target.kind == Expr::Element) {
    return check(target);
  } else {
    check(target);
    return error(target.place, "this cannot be changed: assign to a variable or to a property");
  }
  return target.type;
}

void Sema::analyzeAssign(Stmt &stmt) {
  Expr &target = *stmt.expressions[0], &value = *stmt.expressions[1];
  check(value);
  Type type = checkTarget(target, &value);
  markWritten(target);
  if (type.isError() || value.type.isError())
    return;
  adapt(value, type);
  if (type.isList()) {
    if (stmt.text != "=")
      error(stmt.place, "'" + stmt.text + "' on a whole list: use a loop over its elements");
    else
      expectConvertible(value, type);
    return;
  }
  if (type.isProperty()) {
    expectOwnGraph(stmt.place, "a property");
    if (stmt.text != "=")
      error(stmt.place, "'" + stmt.text + "' on a whole property: use a loop over its vertices or edges");
    else if (value.type.kind != type.kind && !value.type.isScalar())
      error(value.place, "this is of type " + getName(value.type) + ", and " + getName(type) + " is needed");
    else if (!isConvertible(value.type.isProperty() ? Type{value.type.value} : value.type, Type{type.value}))
      error(value.place, "there is no conversion from " + getName(value.type) + " to " + getName(type));
    return;
  }
  if (!type.isScalar()) {
    error(target.place, "a " + getName(type) + " cannot be changed");
    return;
  }
  if (value.type.isProperty())
    error(value.place, "this is a property of all vertices or edges: name the element, as in 'v.name'");
  else
    expectConvertible(value, type);
  bool isBitwise = stmt.text == "&=" || stmt.text == "|=" || stmt.text == "^=";
  if (isBitwise && type.kind != Type::Bool && !type.isInteger())
    error(stmt.place, "'" + stmt.text + "' takes integers or truth values");
  if (stmt.text != "=" && !isBitwise && !type.isNumber())
    error(stmt.place, "'" + stmt.text + "' takes numbers, and this is of type " + getName(type));
}

void Sema::analyzeReduction(Stmt &stmt) {
  Expr &first = *stmt.expressions[0];
  bool isMin = first.kind == Expr::Call && first.text == "Min", isMax = first.kind == Expr::Call && first.text == "Max";
  if ((!isMin && !isMax) || first.operands.size() != 2) {
    error(first.place, "the first value is not 'Min(target, value)' or 'Max(target, value)'");
    return;
  }
  stmt.isMax = isMax;
  if (stmt.targets.size() != stmt.expressions.size()) {
    error(stmt.place, "the number of targets is " + Twine(stmt.targets.size()) + ", and that of values " +
                          Twine(stmt.expressions.size()) + ": each target has one");
    return;
  }
  check(first);
  for (ExprPtr &value : llvm::drop_begin(stmt.expressions))
    check(*value);
  for (auto [target, value] : llvm::zip_equal(stmt.targets, stmt.expressions)) {
    Type type = checkTarget(*target, value.get());
    markWritten(*target);
    adapt(*value, type);
    if (!type.isError() && !type.isScalar())
      error(target->place, "a reduction is of the property of one vertex or edge, or of a variable");
    else
      expectConvertible(*value, type);
    bool isTruth = type.kind == Type::Bool && target.get() == stmt.targets[0].get();
    if (isTruth && stmt.targets.size() > 1)
      error(target->place, "the least or greatest of truth values has no companions: use an int, 0 or 1");
    else if (target->isOfList() && stmt.targets.size() > 1)
      error(target->place, "an element of a list has no companions: reduce it alone");
    else if (target->kind != stmt.targets[0]->kind)
      error(target->place, "variables and properties do not mix in one reduction");
    else if (target->kind == Expr::Member && !isSame(*target->operands[0], *stmt.targets[0]->operands[0]))
      error(target->place, "the targets of one reduction belong to one vertex or edge, and this is another");
  }
  adapt(*first.operands[1], stmt.targets[0]->type);
  if (!isSame(*stmt.targets[0], *first.operands[0])) {
    error(first.operands[0]->place, "the first argument of '" + first.text + "' is not the first target");
    diagnostics.note(stmt.targets[0]->place, "the target is here");
  }
}

/// attachNodeProperty(name = value)
void Sema::analyzeAttach(Stmt &stmt) {
  Expr &name = *stmt.expressions[1], &value = *stmt.expressions[2];
  bool isEdge = stmt.text == "attachEdgeProperty";
  Type::Kind kind = isEdge ? Type::EdgeProperty : Type::NodeProperty;
  expectGraph(*stmt.expressions[0]);
  inEdgeAttach = isEdge;
  check(value);
  inEdgeAttach = false;
  if (parallelDepth > 0)
    error(stmt.place, "'" + stmt.text +
                          "' in a forall: each iteration would set the values of all; do so before or "
                          "after");
  Symbol *symbol = findProperty(name.text, kind);
  if (!symbol && find(name.text)) {
    Symbol *other = find(name.text);
    error(name.place, "'" + name.text + "' is of type " + getName(other->type) + ": " + stmt.text + " takes a " +
                          (isEdge ? "propEdge" : "propNode"));
    diagnostics.note(other->place, "it is declared here");
    return;
  }
  if (!symbol) {
    Type type = value.type.isProperty() ? Type{value.type.value} : value.type;
    if (!permissive || !type.isScalar()) {
      error(name.place, "there is no property '" + name.text + "': declare it with '" +
                            (isEdge ? "propEdge<" : "propNode<") + (type.isScalar() ? getName(type) : "int") + "> " +
                            name.text + ";'" + (type.isScalar() ? ", or use --permissive" : ""));
      noteSimilar(name.text, name.place, /*isProperty=*/true);
      return;
    }
    symbol = declareImplicitly(name, Type{kind}, type.kind);
  }
  name.symbol = symbol;
  name.type = symbol->type;
  ++symbol->numWrites;
  adapt(value, Type{symbol->type.value});
  if (value.type.isProperty() && value.type.kind != kind)
    error(value.place, "this is of type " + getName(value.type) + ", and " + getName(symbol->type) + " is needed");
  else if (!value.type.isProperty())
    expectConvertible(value, Type{symbol->type.value});
}

void Sema::analyzeReturn(Stmt &stmt) {
  if (parallelDepth > 0)
    error(stmt.place, "'return' in a forall: its iterations have no order, so that none can end it; use 'for'");
  Type type{Type::Void};
  if (!stmt.expressions.empty()) {
    type = check(*stmt.expressions[0]);
    adapt(*stmt.expressions[0], function->result);
    type = stmt.expressions[0]->type;
    if (type.isList() && (function->body->children.empty() || function->body->children.back().get() != &stmt))
      error(stmt.place, "the function returns a list, and not at its end: make that its last statement");
    else if (!type.isError() && !type.isScalar() && !type.isList())
      error(stmt.expressions[0]->place, "a function returns a number, a truth value, a vertex or an edge, and this is "
                                        "of type " +
                                            getName(type));
  }
  if (type.isError())
    return;
  if (function->result.kind == Type::Void)
    function->result = type;
  else if (function->result.isNumber() && type.isNumber())
    function->result = promote(function->result, type);
  else if (!isConvertible(type, function->result))
    error(stmt.place, "the function returns values of type " + getName(function->result) + " elsewhere");
}
