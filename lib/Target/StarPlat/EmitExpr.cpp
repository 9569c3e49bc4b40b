//===- EmitExpr.cpp - Emit StarPlat expressions ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace comm;
using namespace comm::starplat;
using Kind = comm::starplat::Type::Kind;
using SType = comm::starplat::Type;

mlir::Type Emitter::lower(SType type) {
  MLIRContext *context = builder.getContext();
  switch (type.kind) {
  case SType::Bool:
    return builder.getI1Type();
  case SType::Int:
    return builder.getI32Type();
  case SType::Long:
    return builder.getI64Type();
  case SType::Float:
    return builder.getF32Type();
  case SType::Double:
    return builder.getF64Type();
  case SType::Node:
    return graph::VertexType::get(context);
  case SType::Edge:
    return graph::EdgeType::get(context);
  case SType::Graph:
    return graph::GraphType::get(context);
  case SType::Set:
    return graph::SetType::get(context);
  case SType::NodeProperty:
    return graph::PropertyType::get(context, graph::Element::vertex, lower(SType{type.value}));
  case SType::EdgeProperty:
    return graph::PropertyType::get(context, graph::Element::edge, lower(SType{type.value}));
  case SType::List:
    return graph::ListType::get(context, lower(type.getElement()));
  case SType::Map:
  case SType::Auto:
  case SType::Error:
  case SType::Void:
    break;
  }
  return builder.getNoneType();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value Emitter::truth(bool value) { return arith::ConstantOp::create(builder, builder.getBoolAttr(value)).getResult(); }

/// Returns zero, false, or no vertex or edge.
Value Emitter::zero(SType type) {
  if (type.isElement()) {
    Value none = arith::ConstantOp::create(builder, builder.getI64IntegerAttr(-1));
    return graph::FromIdOp::create(builder, lower(type), none);
  }
  return arith::ConstantOp::create(builder, builder.getZeroAttr(lower(type)));
}

Value Emitter::invert(Value value) { return arith::XOrIOp::create(builder, value, truth(true)); }

Value Emitter::negate(Value value, SType type) {
  if (type.isFloat())
    return builder.createOrFold<arith::NegFOp>(value);
  return builder.createOrFold<graph::CheckedOp>(graph::ArithKind::sub, zero(type), value);
}

Value Emitter::convert(Value value, SType from, SType to) {
  if (from == to)
    return value;
  if (from.isElement()) {
    if (to.isInteger())
      return graph::ToIdOp::create(builder, lower(to), value);
    return convert(graph::ToIdOp::create(builder, builder.getI64Type(), value), SType{SType::Long}, to);
  }
  if (to.isElement())
    return graph::FromIdOp::create(builder, lower(to), value);
  if (to.kind == SType::Bool) {
    if (from.isFloat())
      return arith::CmpFOp::create(builder, arith::CmpFPredicate::UNE, value, zero(from));
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, value, zero(from));
  }
  if (from.kind == SType::Bool) {
    if (to.isInteger())
      return arith::ExtUIOp::create(builder, lower(to), value);
    Value one = arith::ConstantOp::create(builder, builder.getFloatAttr(lower(to), 1.0));
    return arith::SelectOp::create(builder, value, one, zero(to));
  }
  return builder.createOrFold<graph::ConvertOp>(lower(to), value);
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

Value Emitter::emit(const Expr &expr) {
  at(expr.place);
  mlir::Type type = lower(expr.type);
  switch (expr.kind) {
  case Expr::IntegerLiteral:
    return arith::ConstantOp::create(builder, builder.getIntegerAttr(type, expr.integer));
  case Expr::FloatLiteral:
    return arith::ConstantOp::create(builder, builder.getFloatAttr(type, expr.number));
  case Expr::BoolLiteral:
    return truth(expr.integer);
  case Expr::Infinity: {
    if (auto floatType = dyn_cast<FloatType>(type))
      return arith::ConstantOp::create(builder,
                                       builder.getFloatAttr(type, APFloat::getInf(floatType.getFloatSemantics())));
    return arith::ConstantOp::create(
        builder, builder.getIntegerAttr(type, APInt::getSignedMaxValue(type.getIntOrFloatBitWidth())));
  }
  case Expr::CurrentEdge:
    return currentEdge;
  case Expr::Name: {
    if (expr.isOfList())
      return emitElement(expr);
    Value value = values.lookup(expr.symbol);
    if (isa<graph::CellType>(value.getType()))
      return graph::GetOp::create(builder, value);
    return value;
  }
  case Expr::Element:
    return emitElement(expr);
  case Expr::Member:
    return expr.isOfList() ? emitElement(expr) : emitMember(expr);
  case Expr::Method:
    return emitMethod(expr);
  case Expr::Call:
    return emitCall(expr);
  case Expr::Unary: {
    Value value = emit(*expr.operands[0]);
    at(expr.place);
    if (expr.text == "!")
      return invert(convert(value, expr.operands[0]->type, expr.type));
    value = convert(value, expr.operands[0]->type, expr.type);
    return expr.text == "-" ? negate(value, expr.type) : value;
  }
  case Expr::Binary:
    return emitBinary(expr);
  case Expr::Cast:
    return emitAs(*expr.operands[0], expr.type);
  }
  return Value();
}

Value Emitter::emitMember(const Expr &expr) {
  const Expr &base = *expr.operands[0];
  if (base.type.kind == SType::Graph)
    return graph::WeightsOp::create(builder, lower(expr.type), emit(base));
  Value graphValue = getGraph();
  bool isVertex = expr.symbol && expr.symbol->type.kind == SType::NodeProperty;
  Value element = emitAs(base, SType{isVertex ? SType::Node : SType::Edge});
  at(expr.place);
  if (expr.symbol)
    return graph::LoadOp::create(builder, values.lookup(expr.symbol), element);
  if (expr.text == "weight") {
    auto type = graph::PropertyType::get(builder.getContext(), graph::Element::edge, builder.getI32Type());
    return graph::LoadOp::create(builder, graph::WeightsOp::create(builder, type, graphValue), element);
  }
  bool isSource = getEdgeEnd(expr.text) == EdgeEnd::Source;
  return graph::EndpointOp::create(builder, isSource ? graph::Direction::out : graph::Direction::in, graphValue,
                                   element);
}

Value Emitter::emitMethod(const Expr &expr) {
  if (expr.operands[0]->type.isList())
    return emitListMethod(expr);
  if (expr.operands[0]->type.isMap())
    return emitMapMethod(expr);
  Value graphValue = emit(*expr.operands[0]);
  SmallVector<Value, 2> vertices;
  for (const ExprPtr &argument : llvm::drop_begin(expr.operands))
    vertices.push_back(emitVertex(*argument));
  at(expr.place);
  mlir::Type type = lower(expr.type);
  if (expr.text == "num_nodes")
    return graph::NumVerticesOp::create(builder, type, graphValue);
  if (expr.text == "num_edges")
    return graph::NumEdgesOp::create(builder, type, graphValue);
  if (expr.text == "getEdgeLen")
    return graph::WeightsOp::create(builder, type, graphValue);
  if (expr.text == "get_edge")
    return graph::FindEdgeOp::create(builder, type, graphValue, vertices[0], vertices[1]);
  if (vertices.size() == 2)
    return graph::HasEdgeOp::create(builder, type, graphValue, vertices[0], vertices[1]);
  bool isIn = expr.text == "count_inNbrs" || expr.text == "getInDegree";
  return graph::DegreeOp::create(builder, type, isIn ? graph::Direction::in : graph::Direction::out, graphValue,
                                 vertices[0]);
}

Value Emitter::emitExtremum(bool isMax, Value left, Value right, SType type) {
  if (type.isElement()) {
    auto id = [&](Value value) { return graph::ToIdOp::create(builder, builder.getI64Type(), value); };
    auto predicate = isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt;
    return arith::SelectOp::create(builder, arith::CmpIOp::create(builder, predicate, id(left), id(right)), left,
                                   right);
  }
  if (type.isFloat())
    return isMax ? Value(arith::MaximumFOp::create(builder, left, right))
                 : Value(arith::MinimumFOp::create(builder, left, right));
  if (type.kind == SType::Bool)
    return isMax ? Value(arith::OrIOp::create(builder, left, right))
                 : Value(arith::AndIOp::create(builder, left, right));
  return isMax ? Value(arith::MaxSIOp::create(builder, left, right))
               : Value(arith::MinSIOp::create(builder, left, right));
}

/// Emits a call to a math function.
Value Emitter::emitReal(const Expr &expr) {
  SmallVector<Value> arguments;
  for (const ExprPtr &argument : expr.operands)
    arguments.push_back(emitAs(*argument, expr.type));
  at(expr.place);
  StringRef name = expr.text == "pow" ? "powf" : expr.text;
  OperationState state(builder.getLoc(), ("math." + name).str(), arguments, lower(expr.type));
  return builder.create(state)->getResult(0);
}

Value Emitter::emitCall(const Expr &expr) {
  StringRef name = expr.text;
  name.consume_front("std::");
  if (name.equals_insensitive("min") || name.equals_insensitive("max")) {
    Value left = emitAs(*expr.operands[0], expr.type), right = emitAs(*expr.operands[1], expr.type);
    at(expr.place);
    return emitExtremum(name.equals_insensitive("max"), left, right, expr.type);
  }
  if (name == "abs" || name == "fabs") {
    Value value = emitAs(*expr.operands[0], expr.type);
    at(expr.place);
    return emitExtremum(/*isMax=*/true, value, negate(value, expr.type), expr.type);
  }
  auto callee = module.lookupSymbol<func::FuncOp>(expr.text);
  if (!callee)
    return emitReal(expr);
  SmallVector<Value> arguments;
  for (auto [argument, type] : llvm::zip_equal(expr.operands, callee.getArgumentTypes())) {
    if (argument->type.isScalar()) {
      // Recover the parameter's type from its lowered form, which is unique for scalars.
      SType wanted = argument->type;
      for (Kind kind : {SType::Bool, SType::Int, SType::Long, SType::Float, SType::Double, SType::Node, SType::Edge})
        if (lower(SType{kind}) == type)
          wanted = SType{kind};
      arguments.push_back(emitAs(*argument, wanted));
    } else {
      arguments.push_back(emit(*argument));
    }
  }
  at(expr.place);
  auto call = func::CallOp::create(builder, callee, arguments);
  return call.getNumResults() ? call.getResult(0) : Value();
}

/// Whether evaluation may stop the program, in which case `a && b` must not evaluate b if a is false.
static bool mayStop(const Expr &expr) {
  bool isArithmetic = expr.kind == Expr::Binary && expr.type.isInteger();
  return isArithmetic || expr.kind == Expr::Element || expr.kind == Expr::Cast || expr.kind == Expr::Member ||
         expr.kind == Expr::Method || expr.kind == Expr::Call ||
         llvm::any_of(expr.operands, [](const ExprPtr &operand) { return mayStop(*operand); });
}

Value Emitter::emitLogical(const Expr &expr) {
  bool isAnd = expr.text == "&&";
  SType boolean{SType::Bool};
  Value left = emitAs(*expr.operands[0], boolean);
  if (!mayStop(*expr.operands[1])) {
    Value right = emitAs(*expr.operands[1], boolean);
    at(expr.place);
    return isAnd ? Value(arith::AndIOp::create(builder, left, right))
                 : Value(arith::OrIOp::create(builder, left, right));
  }
  at(expr.place);
  auto choice = scf::IfOp::create(builder, TypeRange(builder.getI1Type()), left, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  for (bool isThen : {true, false}) {
    builder.setInsertionPointToEnd(isThen ? choice.thenBlock() : choice.elseBlock());
    Value value = isThen == isAnd ? emitAs(*expr.operands[1], boolean) : truth(!isAnd);
    at(expr.place);
    scf::YieldOp::create(builder, value);
  }
  return choice.getResult(0);
}

Value Emitter::emitComparison(const Expr &expr) {
  const Expr &a = *expr.operands[0], &b = *expr.operands[1];
  SType type = a.type.kind == SType::Bool && b.type.kind == SType::Bool ? a.type : starplat::Type{SType::Long};
  if (a.type.isNumber() || b.type.isNumber()) {
    // Elements are compared with integers by number, which may need 64 bits.
    bool hasElement = a.type.isElement() || b.type.isElement();
    auto rank = [&](SType each) { return each.isNumber() ? each.kind : hasElement ? SType::Long : SType::Int; };
    type = SType{std::max(rank(a.type), rank(b.type))};
  }
  Value left = emitAs(a, type), right = emitAs(b, type);
  at(expr.place);
  StringRef op = expr.text;
  if (type.isFloat()) {
    auto predicate = llvm::StringSwitch<arith::CmpFPredicate>(op)
                         .Case("==", arith::CmpFPredicate::OEQ)
                         .Case("!=", arith::CmpFPredicate::UNE)
                         .Case("<", arith::CmpFPredicate::OLT)
                         .Case("<=", arith::CmpFPredicate::OLE)
                         .Case(">", arith::CmpFPredicate::OGT)
                         .Default(arith::CmpFPredicate::OGE);
    return arith::CmpFOp::create(builder, predicate, left, right);
  }
  bool isBool = type.kind == SType::Bool; // True is 1, which as a signed bit is -1
  auto predicate = llvm::StringSwitch<arith::CmpIPredicate>(op)
                       .Case("==", arith::CmpIPredicate::eq)
                       .Case("!=", arith::CmpIPredicate::ne)
                       .Case("<", isBool ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt)
                       .Case("<=", isBool ? arith::CmpIPredicate::ule : arith::CmpIPredicate::sle)
                       .Case(">", isBool ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt)
                       .Default(isBool ? arith::CmpIPredicate::uge : arith::CmpIPredicate::sge);
  return arith::CmpIOp::create(builder, predicate, left, right);
}

Value Emitter::emitArithmetic(StringRef op, Value left, Value right, SType type) {
  if (op == "&")
    return arith::AndIOp::create(builder, left, right);
  if (op == "|")
    return arith::OrIOp::create(builder, left, right);
  if (op == "^")
    return arith::XOrIOp::create(builder, left, right);
  if (type.isFloat()) {
    if (op == "+")
      return arith::AddFOp::create(builder, left, right);
    if (op == "-")
      return arith::SubFOp::create(builder, left, right);
    if (op == "*")
      return arith::MulFOp::create(builder, left, right);
    return arith::DivFOp::create(builder, left, right);
  }
  auto kind = llvm::StringSwitch<graph::ArithKind>(op)
                  .Case("+", graph::ArithKind::add)
                  .Case("-", graph::ArithKind::sub)
                  .Case("*", graph::ArithKind::mul)
                  .Case("/", graph::ArithKind::div)
                  .Default(graph::ArithKind::rem);
  return graph::CheckedOp::create(builder, lower(type), kind, left, right);
}

Value Emitter::emitBinary(const Expr &expr) {
  if (expr.text == "&&" || expr.text == "||")
    return emitLogical(expr);
  bool isBitwise = expr.text == "&" || expr.text == "|" || expr.text == "^";
  if (expr.type.kind == SType::Bool && !isBitwise)
    return emitComparison(expr);
  Value left = emitAs(*expr.operands[0], expr.type), right = emitAs(*expr.operands[1], expr.type);
  at(expr.place);
  return emitArithmetic(expr.text, left, right, expr.type);
}
