//===- EmitStmt.cpp - Emit StarPlat statements ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace comm;
using namespace comm::starplat;
using SType = comm::starplat::Type;

void Emitter::at(llvm::SMLoc place) {
  unsigned buffer = sources.FindBufferContainingLoc(place);
  if (!buffer)
    return;
  auto [line, column] = sources.getLineAndColumn(place, buffer);
  StringRef file = sources.getMemoryBuffer(buffer)->getBufferIdentifier();
  builder.setLoc(FileLineColLoc::get(builder.getContext(), file, line, column));
}

Value Emitter::getGraph() {
  for (const std::unique_ptr<Symbol> &parameter : function->parameters)
    if (parameter->type.kind == SType::Graph)
      return values.lookup(parameter.get());
  return Value();
}

Value Emitter::makeCell(Value init, StringRef name) {
  auto type = graph::CellType::get(builder.getContext(), init.getType());
  return graph::CellOp::create(builder, type, init, name.empty() ? StringAttr() : builder.getStringAttr(name));
}

void Emitter::emit(const Program &program) {
  builder.setInsertionPointToEnd(module.getBody());
  for (const std::unique_ptr<Function> &each : program.functions) {
    SmallVector<mlir::Type> arguments, results;
    SmallVector<DictionaryAttr> attributes;
    for (const std::unique_ptr<Symbol> &parameter : each->parameters) {
      arguments.push_back(lower(parameter->type));
      attributes.push_back(builder.getDictionaryAttr(
          builder.getNamedAttr(graph::kNameAttrName, builder.getStringAttr(parameter->name))));
    }
    if (each->result.kind != SType::Void)
      results.push_back(lower(each->result));
    at(each->place);
    auto type = builder.getFunctionType(arguments, results);
    func::FuncOp::create(builder, each->name, type, ArrayRef<NamedAttribute>(), attributes);
  }
  for (const std::unique_ptr<Function> &each : program.functions)
    forEachExpr(*each->body, [&](const Expr &expr) {
      if (expr.kind == Expr::Call)
        called.insert(expr.text);
    });
  for (const std::unique_ptr<Function> &each : program.functions)
    emit(*each);
}

void Emitter::emit(const Function &each) {
  auto op = module.lookupSymbol<func::FuncOp>(each.name);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.addEntryBlock());
  at(each.place);
  function = &each;
  values.clear();
  levels.clear();
  maps.clear();
  mapped.clear();
  returned = result = Value();
  for (auto [parameter, argument] : llvm::zip_equal(each.parameters, op.getArguments())) {
    bool changes = parameter->type.isScalar() && parameter->numWrites > 0;
    values[parameter.get()] = changes ? makeCell(argument, parameter->name) : Value(argument);
    // Copy lists that change: the caller's list must not.
    if (!parameter->type.isList() || parameter->isReference || parameter->numWrites == 0)
      continue;
    values[parameter.get()] =
        graph::ListOp::create(builder, lower(parameter->type), builder.getStringAttr(parameter->name));
    graph::ListCopyOp::create(builder, argument, values[parameter.get()]);
  }
  for (const std::unique_ptr<Symbol> &property : each.implicitProperties)
    values[property.get()] =
        graph::PropertyOp::create(builder, lower(property->type), getGraph(), builder.getStringAttr(property->name));
  // A return at the end ends the function; earlier ones set a flag that skips the rest.
  ArrayRef<StmtPtr> statements = each.body->children;
  const Stmt *last = !statements.empty() && statements.back()->kind == Stmt::Return ? statements.back().get() : nullptr;
  bool returnsEarly =
      llvm::any_of(last ? statements.drop_back() : statements, [](const StmtPtr &child) { return child->mayLeave; });
  if (returnsEarly) {
    returned = makeCell(truth(false), "returned");
    if (each.result.kind != SType::Void)
      result = makeCell(zero(each.result), "result");
  }
  bool endsByReturn = last && !returnsEarly;
  emitStatements(endsByReturn ? statements.drop_back() : statements);
  SmallVector<Value, 1> results;
  if (each.result.kind != SType::Void) {
    if (each.result.isList()) {
      // The caller gets its own copy of the list.
      results.push_back(graph::ListOp::create(builder, lower(each.result), StringAttr()));
      copyList(*last->expressions[0], results.back());
    } else if (endsByReturn && !last->expressions.empty())
      results.push_back(emitAs(*last->expressions[0], each.result));
    else
      results.push_back(result ? Value(graph::GetOp::create(builder, result)) : zero(each.result));
  }
  func::ReturnOp::create(builder, results);
}

//===----------------------------------------------------------------------===//
// Blocks, and leaving them
//===----------------------------------------------------------------------===//

/// Returns whether nothing has ended the function, this loop, or this iteration; null if nothing can.
Value Emitter::isRunning(Value breaks) {
  Value ended;
  auto add = [&](Value cell) {
    if (!cell)
      return;
    Value value = graph::GetOp::create(builder, cell);
    ended = ended ? Value(arith::OrIOp::create(builder, ended, value)) : value;
  };
  add(returned);
  add(breaks);
  if (!loops.empty())
    add(loops.back().continues);
  return ended ? invert(ended) : Value();
}

void Emitter::emitStatements(ArrayRef<StmtPtr> statements) {
  for (auto [index, stmt] : llvm::enumerate(statements)) {
    emit(*stmt);
    ArrayRef<StmtPtr> rest = statements.drop_front(index + 1);
    if (!stmt->mayLeave || rest.empty())
      continue;
    Value running = isRunning(loops.empty() ? Value() : loops.back().breaks);
    if (!running)
      continue;
    auto guarded = scf::IfOp::create(builder, running, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(guarded.thenBlock());
    return emitStatements(rest);
  }
}

void Emitter::emit(const Stmt &stmt) {
  at(stmt.place);
  switch (stmt.kind) {
  case Stmt::Block:
    return emitStatements(stmt.children);
  case Stmt::Declaration:
    return emitDeclaration(stmt);
  case Stmt::Assign:
    return emitAssign(stmt);
  case Stmt::Reduction:
    return emitReduction(stmt);
  case Stmt::Attach:
    return emitWholeAssign(*stmt.expressions[1]->symbol, *stmt.expressions[2]);
  case Stmt::If:
    return emitIf(stmt);
  case Stmt::While:
    return emitWhile(stmt, *stmt.expressions[0], *stmt.children[0], nullptr, /*testsFirst=*/true);
  case Stmt::DoWhile:
    return emitWhile(stmt, *stmt.expressions[0], *stmt.children[0], nullptr, /*testsFirst=*/false);
  case Stmt::CFor:
    emitStatements(stmt.children[0]->children);
    return emitWhile(stmt, *stmt.expressions[0], *stmt.children[1], stmt.children[2].get(), /*testsFirst=*/true);
  case Stmt::ForIn:
    return emitForIn(stmt);
  case Stmt::Loop:
    return emitLoop(stmt);
  case Stmt::FixedPoint:
    return emitFixedPoint(stmt);
  case Stmt::BFS:
  case Stmt::Reverse:
    return emitTraversal(stmt);
  case Stmt::Evaluate:
    emit(*stmt.expressions[0]);
    return;
  case Stmt::Return:
    return emitReturn(stmt);
  case Stmt::Break:
    graph::SetOp::create(builder, truth(true), loops.back().breaks);
    return;
  case Stmt::Continue:
    graph::SetOp::create(builder, truth(true), loops.back().continues);
    return;
  }
}

void Emitter::emitReturn(const Stmt &stmt) {
  if (result && !stmt.expressions.empty()) {
    Value value = emitAs(*stmt.expressions[0], function->result);
    at(stmt.place);
    graph::SetOp::create(builder, value, result);
  }
  if (returned)
    graph::SetOp::create(builder, truth(true), returned);
}

void Emitter::emitDeclaration(const Stmt &stmt) {
  const Symbol &symbol = *stmt.symbol;
  if (symbol.type.isProperty()) {
    values[&symbol] =
        graph::PropertyOp::create(builder, lower(symbol.type), getGraph(), builder.getStringAttr(symbol.name));
    return;
  }
  if (symbol.type.isMap() || stmt.declaredType.kind == SType::Auto)
    return emitMapDeclaration(stmt);
  if (symbol.type.isList()) {
    Value list = graph::ListOp::create(builder, lower(symbol.type), builder.getStringAttr(symbol.name));
    values[&symbol] = list;
    if (!stmt.expressions.empty())
      copyList(*stmt.expressions[0], list);
    return;
  }
  Value init = stmt.expressions.empty() ? zero(symbol.type) : emitAs(*stmt.expressions[0], symbol.type);
  at(stmt.place);
  values[&symbol] = symbol.numWrites ? makeCell(init, symbol.name) : init;
}

void Emitter::emitIf(const Stmt &stmt) {
  if (emitAsExtremum(stmt))
    return;
  Value condition = emitAs(*stmt.expressions[0], SType{SType::Bool});
  at(stmt.place);
  auto op = scf::IfOp::create(builder, condition, /*withElseRegion=*/stmt.children.size() > 1);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.thenBlock());
  emitStatements(stmt.children[0]->children);
  if (stmt.children.size() == 1)
    return;
  builder.setInsertionPointToStart(op.elseBlock());
  emitStatements(stmt.children[1]->children);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Emits one iteration. `breaks` records whether an earlier iteration ended the loop, if later ones are still visited.
void Emitter::emitBody(const Stmt &loop, const Stmt &body, Value breaks) {
  loops.push_back({breaks, Value()});
  Value continues = loop.hasContinue ? makeCell(truth(false), "continues") : Value();
  Value running = isRunning(breaks);
  loops.back().continues = continues;
  if (!running || (!loop.mayLeave && !breaks)) {
    emitStatements(body.children);
  } else {
    auto guarded = scf::IfOp::create(builder, running, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(guarded.thenBlock());
    emitStatements(body.children);
  }
  loops.pop_back();
}

void Emitter::emitWhile(const Stmt &stmt, const Expr &condition, const Stmt &body, const Stmt *step, bool testsFirst) {
  Value breaks = stmt.hasBreak ? makeCell(truth(false), "breaks") : Value();
  auto test = [&] {
    at(condition.place);
    Value running;
    if (stmt.mayLeave || breaks) {
      loops.push_back({breaks, Value()});
      running = isRunning(breaks);
      loops.pop_back();
    }
    Value value;
    if (running) {
      auto choice = scf::IfOp::create(builder, TypeRange(builder.getI1Type()), running, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(choice.thenBlock());
      scf::YieldOp::create(builder, emitAs(condition, SType{SType::Bool}));
      builder.setInsertionPointToEnd(choice.elseBlock());
      scf::YieldOp::create(builder, truth(false));
      value = choice.getResult(0);
    } else {
      value = emitAs(condition, SType{SType::Bool});
    }
    at(condition.place);
    scf::ConditionOp::create(builder, value, ValueRange());
  };
  auto iterate = [&] {
    emitBody(stmt, body, breaks);
    if (!step)
      return;
    // `continue` executes the step; break and return do not.
    loops.push_back({breaks, Value()});
    Value running = stmt.mayLeave || breaks ? isRunning(breaks) : Value();
    OpBuilder::InsertionGuard guard(builder);
    if (running)
      builder.setInsertionPointToStart(scf::IfOp::create(builder, running, false).thenBlock());
    emitStatements(step->children);
    loops.pop_back();
  };
  at(stmt.place);
  auto loop = scf::WhileOp::create(builder, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&loop.getBefore());
  if (!testsFirst)
    iterate();
  test();
  builder.createBlock(&loop.getAfter());
  if (testsFirst)
    iterate();
  scf::YieldOp::create(builder);
}

/// loop (i in from to end by step): `end` is exclusive.
void Emitter::emitLoop(const Stmt &stmt) {
  const Symbol &symbol = *stmt.symbol;
  Value from = emitAs(*stmt.expressions[0], symbol.type);
  at(stmt.place);
  Value cell = makeCell(from, symbol.name);
  values[&symbol] = cell;
  // Build the equivalent C loop.
  auto name = [&] {
    auto expr = std::make_unique<Expr>();
    expr->kind = Expr::Name;
    expr->place = stmt.place;
    expr->text = symbol.name;
    expr->symbol = const_cast<Symbol *>(&symbol);
    expr->type = symbol.type;
    return expr;
  };
  Expr condition;
  condition.kind = Expr::Binary;
  condition.place = stmt.place;
  condition.text = "<";
  condition.type = SType{SType::Bool};
  condition.operands.push_back(name());
  // Evaluate the end only once.
  Symbol end;
  end.type = symbol.type;
  values[&end] = emitAs(*stmt.expressions[1], symbol.type);
  condition.operands.push_back(name());
  condition.operands[1]->symbol = &end;
  StmtPtr step = makeStmt(Stmt::Block, stmt.place);
  step->children.push_back(makeStmt(Stmt::Assign, stmt.place));
  step->children[0]->text = "+=";
  auto amount = std::make_unique<Expr>();
  amount->kind = Expr::IntegerLiteral;
  amount->place = stmt.place;
  amount->integer = stmt.expressions[2]->integer;
  amount->type = symbol.type;
  step->children[0]->expressions.push_back(name());
  step->children[0]->expressions.push_back(std::move(amount));
  emitWhile(stmt, condition, *stmt.children[0], step.get(), /*testsFirst=*/true);
  values.erase(&end);
}

void Emitter::emitForall(graph::Domain domain, bool ordered, ValueRange over, const Stmt &stmt, Value center,
                         Value levelsOfCenter) {
  Location place = builder.getLoc();
  Value breaks = stmt.hasBreak ? makeCell(truth(false), "breaks") : Value();
  bool hasFilter = stmt.filter || levelsOfCenter;
  auto loop = graph::ForallOp::create(builder, domain, ordered, over, hasFilter);
  OpBuilder::InsertionGuard guard(builder);
  if (hasFilter) {
    builder.setInsertionPointToStart(&loop.getFilter().front());
    Value element = loop.getFilter().getArgument(0), condition;
    values[stmt.symbol.get()] = element;
    if (levelsOfCenter) {
      auto level = [&](Value vertex) {
        return graph::LevelOp::create(builder, builder.getI64Type(), levelsOfCenter, vertex);
      };
      Value one = arith::ConstantOp::create(builder, builder.getI64IntegerAttr(1));
      Value next = graph::CheckedOp::create(builder, builder.getI64Type(), graph::ArithKind::add, level(center), one);
      condition = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, level(element), next);
    }
    if (stmt.filter) {
      Value own = emitAs(*stmt.filter, SType{SType::Bool});
      condition = condition ? Value(arith::AndIOp::create(builder, condition, own)) : own;
    }
    builder.setLoc(place);
    graph::YieldOp::create(builder, condition);
  }
  builder.setInsertionPointToStart(&loop.getBody().front());
  values[stmt.symbol.get()] = loop.getElement();
  if (!ordered && parallelDepth == 0)
    outermost = &stmt;
  parallelDepth += !ordered;
  emitBody(stmt, *stmt.children[0], breaks);
  parallelDepth -= !ordered;
}

void Emitter::emitForIn(const Stmt &stmt) {
  const Expr &over = *stmt.expressions[0];
  graph::Domain domain = graph::Domain::set;
  Value center, levelsOfCenter;
  SmallVector<Value, 2> operands;
  if (stmt.iterable == Iterable::Set) {
    operands.push_back(emit(over));
  } else {
    operands.push_back(emit(*over.operands[0]));
    domain = stmt.iterable == Iterable::Vertices       ? graph::Domain::vertices
             : stmt.iterable == Iterable::Edges        ? graph::Domain::edges
             : stmt.iterable == Iterable::OutNeighbors ? graph::Domain::out_neighbors
                                                       : graph::Domain::in_neighbors;
    if (over.operands.size() > 1) {
      center = emitVertex(*over.operands[1]);
      operands.push_back(center);
    }
  }
  if (stmt.onlyNextLevel && domain == graph::Domain::out_neighbors) {
    domain = graph::Domain::children;
    operands[0] = levels.lookup(stmt.traversal);
  } else if (stmt.onlyNextLevel) {
    levelsOfCenter = levels.lookup(stmt.traversal);
  }
  at(stmt.place);
  emitForall(domain, !stmt.isParallel, operands, stmt, center, levelsOfCenter);
}

void Emitter::emitTraversal(const Stmt &stmt) {
  bool isReverse = stmt.kind == Stmt::Reverse;
  if (!isReverse) {
    Value graphValue = emit(*stmt.expressions[0]->operands[0]), root = emitVertex(*stmt.expressions[1]);
    at(stmt.place);
    levels[&stmt] = graph::LevelsOp::create(builder, graphValue, root);
  }
  Value order = levels.lookup(isReverse ? stmt.traversal : &stmt);
  emitForall(isReverse ? graph::Domain::reverse_levels : graph::Domain::levels, /*ordered=*/false, order, stmt, Value(),
             Value());
}

void Emitter::emitFixedPoint(const Stmt &stmt) {
  Value finished = values.lookup(stmt.expressions[0]->symbol);
  const Expr &condition = *stmt.expressions[1];
  bool isNegated = condition.kind == Expr::Unary;
  const Symbol *symbol = stmt.isOnce ? nullptr : (isNegated ? *condition.operands[0] : condition).symbol;
  Value property = symbol ? values.lookup(symbol) : Value(), next;
  Value breaks = stmt.hasBreak ? makeCell(truth(false), "breaks") : Value();
  if (stmt.isBuffered) {
    next = graph::PropertyOp::create(builder, property.getType(), getGraph(),
                                     builder.getStringAttr((symbol->name + "_next").str()));
    buffers[symbol] = next;
  }
  auto op = graph::FixedPointOp::create(builder, finished, /*all=*/!stmt.asksNone && symbol, property);
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&op.getBody());
  emitBody(stmt, *stmt.children[0], breaks);
  at(stmt.place);
  if (stmt.isBuffered) {
    buffers.erase(symbol);
    graph::CopyOp::create(builder, next, property);
    graph::FillOp::create(builder, next, truth(false));
  }
  if (breaks) {
    auto ended = scf::IfOp::create(builder, graph::GetOp::create(builder, breaks), /*withElseRegion=*/false);
    OpBuilder::InsertionGuard inner(builder);
    builder.setInsertionPointToStart(ended.thenBlock());
    graph::SetOp::create(builder, truth(true), finished);
  }
  graph::YieldOp::create(builder);
}
