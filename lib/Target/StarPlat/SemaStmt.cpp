//===- SemaStmt.cpp - Compound statements of StarPlat --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sema.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace comm::starplat;

void Sema::analyze(Stmt &stmt) {
  switch (stmt.kind) {
  case Stmt::Block:
    return analyzeBlock(stmt);
  case Stmt::Declaration:
    return analyzeDeclaration(stmt);
  case Stmt::Assign:
    return analyzeAssign(stmt);
  case Stmt::Reduction:
    return analyzeReduction(stmt);
  case Stmt::Attach:
    return analyzeAttach(stmt);
  case Stmt::If:
    analyzeCondition(*stmt.expressions[0]);
    for (StmtPtr &child : stmt.children)
      analyzeBlock(*child);
    return;
  case Stmt::While:
    analyzeCondition(*stmt.expressions[0]);
    return analyzeLoopBody(stmt, *stmt.children[0], /*isParallel=*/false);
  case Stmt::DoWhile:
    // The condition is in the scope of the body.
    loops.push_back({&stmt, false});
    scopes.emplace_back();
    for (StmtPtr &child : stmt.children[0]->children)
      analyze(*child);
    // Declarations after a break or continue may have been skipped.
    if (stmt.hasBreak || stmt.hasContinue || stmt.mayLeave)
      scopes.back().symbols.clear();
    analyzeCondition(*stmt.expressions[0]);
    scopes.pop_back();
    loops.pop_back();
    return;
  case Stmt::ForIn:
    return analyzeForIn(stmt);
  case Stmt::Loop:
    return analyzeLoop(stmt);
  case Stmt::CFor:
    scopes.emplace_back();
    for (StmtPtr &child : stmt.children[0]->children)
      analyze(*child);
    analyzeCondition(*stmt.expressions[0]);
    for (StmtPtr &child : stmt.children[2]->children)
      analyze(*child);
    analyzeLoopBody(stmt, *stmt.children[1], /*isParallel=*/false);
    scopes.pop_back();
    return;
  case Stmt::FixedPoint:
    return analyzeFixedPoint(stmt);
  case Stmt::BFS:
    return analyzeBFS(stmt);
  case Stmt::Reverse:
    return analyzeReverse(stmt);
  case Stmt::Evaluate:
    check(*stmt.expressions[0]);
    return;
  case Stmt::Return:
    return analyzeReturn(stmt);
  case Stmt::Break:
  case Stmt::Continue:
    return analyzeLeave(stmt);
  }
}

void Sema::analyzeBlock(Stmt &block) {
  scopes.emplace_back();
  for (StmtPtr &child : block.children)
    analyze(*child);
  scopes.pop_back();
}

void Sema::analyzeCondition(Expr &condition) {
  Type type = check(condition);
  if (!type.isError() && !type.isScalar())
    error(condition.place, "a condition is a truth value, and this is of type " + getName(type));
}

void Sema::analyzeLeave(Stmt &stmt) {
  StringRef word = stmt.kind == Stmt::Break ? "break" : "continue";
  if (loops.empty())
    error(stmt.place, "'" + word + "' is in no loop");
  else if (stmt.kind == Stmt::Break && loops.back().second)
    error(stmt.place, "'break' in a forall: its iterations have no order, so that none can end it; use 'for'");
}

void Sema::analyzeLoopBody(Stmt &stmt, Stmt &body, bool isParallel) {
  loops.push_back({&stmt, isParallel});
  parallelDepth += isParallel;
  scopes.emplace_back();
  if (stmt.symbol && stmt.kind != Stmt::Declaration) {
    stmt.symbol->hasInitializer = true;
    declare(*stmt.symbol);
  }
  analyzeFilter(stmt);
  for (StmtPtr &child : body.children)
    analyze(*child);
  scopes.pop_back();
  parallelDepth -= isParallel;
  loops.pop_back();
}

void Sema::analyzeFilter(Stmt &stmt) {
  if (!stmt.filter || stmt.kind == Stmt::Reverse)
    return;
  filterElement = stmt.symbol.get();
  analyzeCondition(*stmt.filter);
  filterElement = nullptr;
}

/// Determines what a loop iterates over. Returns false on an error.
bool Sema::resolveIterable(Stmt &stmt) {
  Expr &over = *stmt.expressions[0];
  if (over.kind == Expr::Name) {
    Type type = check(over);
    stmt.iterable = Iterable::Set;
    if (type.kind != Type::Set && !type.isError())
      error(over.place,
            "a loop is over 'g.nodes()', 'g.neighbors(v)', 'g.nodes_to(v)', 'g.edges()' or a SetN, and this "
            "is of type " +
                getName(type));
    return type.kind == Type::Set;
  }
  int kind = over.kind != Expr::Method ? -1
                                       : StringSwitch<int>(over.text)
                                             .Case("nodes", int(Iterable::Vertices))
                                             .Case("edges", int(Iterable::Edges))
                                             .Cases({"neighbors", "nodes_from"}, int(Iterable::OutNeighbors))
                                             .Case("nodes_to", int(Iterable::InNeighbors))
                                             .Default(-1);
  if (kind < 0) {
    error(over.place, "a loop is over 'g.nodes()', 'g.neighbors(v)', 'g.nodes_to(v)', 'g.edges()' or a SetN");
    return false;
  }
  stmt.iterable = Iterable(kind);
  bool isNeighbors = stmt.iterable == Iterable::OutNeighbors || stmt.iterable == Iterable::InNeighbors;
  return expectGraph(*over.operands[0]) && checkCount(over, isNeighbors) &&
         (!isNeighbors || expectVertex(*over.operands[1]));
}

void Sema::analyzeForIn(Stmt &stmt) {
  bool isKnown = resolveIterable(stmt);
  Symbol &symbol = *stmt.symbol;
  symbol.type = Type{!isKnown ? Type::Error : stmt.iterable == Iterable::Edges ? Type::Edge : Type::Node};
  symbol.isLoopVariable = true;
  loopOf[&symbol] = &stmt;
  bool isNeighbors = stmt.iterable == Iterable::OutNeighbors || stmt.iterable == Iterable::InNeighbors;
  // StarPlat's rule: directly in a breadth-first iteration over v, only neighbors of v on the next level count.
  stmt.onlyNextLevel = false;
  if (isKnown && isNeighbors && !loops.empty()) {
    Stmt *around = loops.back().first;
    bool isTraversal = around->kind == Stmt::BFS || around->kind == Stmt::Reverse;
    bool isChild = llvm::any_of(around->children[0]->children, [&](const StmtPtr &c) { return c.get() == &stmt; });
    if (isTraversal && isChild && stmt.expressions[0]->operands[1]->symbol == around->symbol.get()) {
      stmt.onlyNextLevel = true;
      stmt.traversal = around->kind == Stmt::BFS ? around : around->traversal;
    }
  }
  analyzeLoopBody(stmt, *stmt.children[0], stmt.isParallel);
}

void Sema::analyzeLoop(Stmt &stmt) {
  Type type{Type::Int};
  for (ExprPtr &bound : stmt.expressions) {
    Type each = check(*bound);
    if (!each.isError() && !each.isInteger() && each.kind != Type::Node)
      error(bound->place, "this is of type " + getName(each) + ": the bounds and the step of a loop are integers");
    else if (!each.isError())
      type = promote(type, each);
  }
  const Expr &step = *stmt.expressions[2];
  if (step.kind != Expr::IntegerLiteral || step.integer == 0)
    error(step.place, "the step of a loop is a positive number: write '1', or use 'while'");
  stmt.symbol->type = type;
  analyzeLoopBody(stmt, *stmt.children[0], /*isParallel=*/false);
}

/// Whether the statement assigns the property as a whole.
static bool assignsWhole(const Stmt &stmt, const Symbol *property) {
  if (stmt.kind == Stmt::Assign && stmt.expressions[0]->kind == Expr::Name && stmt.expressions[0]->symbol == property)
    return true;
  if (stmt.kind == Stmt::Attach && stmt.expressions[1]->symbol == property)
    return true;
  return llvm::any_of(stmt.children, [&](const StmtPtr &child) { return assignsWhole(*child, property); });
}

static bool assignsElements(const Stmt &stmt, const Symbol *property) {
  auto isElement = [&](const ExprPtr &target) { return target->kind == Expr::Member && target->symbol == property; };
  if ((stmt.kind == Stmt::Assign && isElement(stmt.expressions[0])) ||
      (stmt.kind == Stmt::Reduction && llvm::any_of(stmt.targets, isElement)))
    return true;
  return llvm::any_of(stmt.children, [&](const StmtPtr &child) { return assignsElements(*child, property); });
}

/// Whether the property is passed to a function, which may change it.
static bool passes(const Expr &expr, const Symbol *property) {
  return llvm::any_of(expr.operands, [&](const ExprPtr &each) {
    return (expr.kind == Expr::Call && each->kind == Expr::Name && each->symbol == property) || passes(*each, property);
  });
}

static bool passes(const Stmt &stmt, const Symbol *property) {
  return llvm::any_of(stmt.expressions, [&](const ExprPtr &each) { return passes(*each, property); }) ||
         llvm::any_of(stmt.children, [&](const StmtPtr &child) { return passes(*child, property); });
}

void Sema::analyzeFixedPoint(Stmt &stmt) {
  if (parallelDepth > 0)
    error(stmt.place, "a fixed point in a forall: each iteration would have rounds of its own; use 'while'");
  expectOwnGraph(stmt.place, "a fixed point");
  Expr &variable = *stmt.expressions[0], &condition = *stmt.expressions[1];
  Type type = check(variable);
  if (!type.isError() && (type.kind != Type::Bool || !variable.symbol || variable.symbol->isParameter))
    error(variable.place, "a fixed point sets a variable of type bool: declare one before it");
  else
    markWritten(variable);
  bool isNegated = condition.kind == Expr::Unary && condition.text == "!";
  Expr &inner = isNegated ? *condition.operands[0] : condition;
  Type tested = check(inner);
  bool isProperty = tested.kind == Type::NodeProperty;
  if (condition.kind != Expr::BoolLiteral && !isProperty && !tested.isError())
    error(condition.place,
          "the condition of a fixed point is '!' and a property of vertices: it ends when none has it");
  if (stmt.mayLeave || (stmt.hasBreak && isProperty))
    error(stmt.place, "a fixed point is left before its condition holds: use 'while'");
  analyzeLoopBody(stmt, *stmt.children[0], /*isParallel=*/false);
  Symbol *property = isProperty ? inner.symbol : nullptr;
  bool assigns = property && assignsElements(*stmt.children[0], property);
  bool replaces = property && assignsWhole(*stmt.children[0], property);
  bool isSet = assigns || replaces || (property && passes(*stmt.children[0], property));
  stmt.isBuffered = assigns && !replaces;
  // After a round, the property holds exactly what the round set.
  stmt.asksNone = isNegated || (untilUnset && stmt.isBuffered);
  stmt.isOnce = untilUnset && property && !isSet;
  if (isProperty && isSet && !stmt.asksNone)
    diagnostics.warning(condition.place, "the fixed point ends when all vertices have '" + inner.text + "': write '!" +
                                             inner.text + "' for when none has it");
  if (property && !isSet)
    diagnostics.warning(condition.place,
                        "nothing in the fixed point sets '" + inner.text + "': " +
                            (untilUnset ? "it has one round"
                                        : "if one round does not end it, none does (with --until-unset one does)"));
  if (stmt.isBuffered && property->type.value != Type::Bool)
    error(condition.place, "'" + inner.text + "' is of type " + getName(tested) +
                               ", and its writes are for the next round: make it a propNode<bool>");
}

void Sema::analyzeBFS(Stmt &stmt) {
  bool isKnown = resolveIterable(stmt);
  if (isKnown && stmt.iterable != Iterable::Vertices)
    error(stmt.expressions[0]->place, "a breadth-first iteration is over 'g.nodes()'");
  expectVertex(*stmt.expressions[1]);
  stmt.symbol->type = Type{Type::Node};
  stmt.symbol->isLoopVariable = true;
  if (parallelDepth > 0)
    error(stmt.place, "a breadth-first iteration in a forall: use 'for', so that there is one at a time");
  analyzeLoopBody(stmt, *stmt.children[0], /*isParallel=*/true);
  scopes.back().traversal = &stmt;
}

void Sema::analyzeReverse(Stmt &stmt) {
  stmt.traversal = nullptr;
  for (const Scope &scope : llvm::reverse(scopes))
    if (scope.traversal) {
      stmt.traversal = scope.traversal;
      break;
    }
  if (!stmt.traversal) {
    error(stmt.place, "iterateInReverse needs the levels of an iterateInBFS before it");
    return;
  }
  stmt.symbol = std::make_unique<Symbol>();
  stmt.symbol->name = stmt.traversal->symbol->name;
  stmt.symbol->place = stmt.place;
  stmt.symbol->type = Type{Type::Node};
  stmt.symbol->isLoopVariable = true;
  if (parallelDepth > 0)
    error(stmt.place, "a breadth-first iteration in a forall: use 'for', so that there is one at a time");
  // The condition may use the variable of the iteration.
  scopes.emplace_back();
  stmt.symbol->hasInitializer = true;
  declare(*stmt.symbol);
  if (stmt.filter) {
    filterElement = stmt.symbol.get();
    analyzeCondition(*stmt.filter);
    filterElement = nullptr;
  }
  scopes.pop_back();
  analyzeLoopBody(stmt, *stmt.children[0], /*isParallel=*/true);
}
