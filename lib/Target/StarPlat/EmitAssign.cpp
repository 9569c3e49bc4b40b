//===- EmitAssign.cpp - Emit StarPlat assignments -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace comm;
using namespace comm::starplat;
using SType = comm::starplat::Type;
using Reduction = comm::graph::ReductionKind;

/// Returns the object that writes to a property modify: the buffer for the next round in a fixed point that has one.
Value Emitter::getWritten(const Symbol &property) {
  Value buffer = buffers.lookup(&property);
  return buffer ? buffer : values.lookup(&property);
}

static SType getElementType(const Symbol &property) {
  return SType{property.type.kind == SType::NodeProperty ? SType::Node : SType::Edge};
}

void Emitter::store(const Expr &target, Value value) {
  if (target.kind == Expr::Name && !target.isOfList()) {
    graph::SetOp::create(builder, value, values.lookup(target.symbol));
    return;
  }
  Location place = builder.getLoc();
  if (target.isOfList()) {
    SmallVector<Value> indices;
    Value list = getList(target, indices);
    builder.setLoc(place);
    graph::ListSetOp::create(builder, value, takeOut(list, ArrayRef(indices).drop_back()), indices.back());
    return;
  }
  Value index = emitAs(*target.operands[0], getElementType(*target.symbol));
  builder.setLoc(place);
  graph::StoreOp::create(builder, value, getWritten(*target.symbol), index);
}

void Emitter::reduce(Reduction kind, const Expr &target, Value value, ValueRange companions,
                     ValueRange companionValues) {
  if (target.kind == Expr::Name && !target.isOfList()) {
    graph::AccumulateOp::create(builder, kind, values.lookup(target.symbol), value, companions, companionValues);
    return;
  }
  Location place = builder.getLoc();
  if (target.isOfList()) {
    SmallVector<Value> indices;
    Value list = getList(target, indices);
    builder.setLoc(place);
    list = takeOut(list, ArrayRef(indices).drop_back());
    graph::ListReduceOp::create(builder, kind, list, indices.back(), value);
    return;
  }
  Value index = emitAs(*target.operands[0], getElementType(*target.symbol));
  builder.setLoc(place);
  graph::ReduceOp::create(builder, kind, getWritten(*target.symbol), index, value, companions, companionValues);
}

/// Returns the reduction equivalent to `target op= value`, if there is one and it does not have to be computed in a
/// wider type than the target's.
std::optional<Reduction> Emitter::getReduction(const Expr &target, StringRef op, const Expr &value) {
  bool isOuterVariable = target.kind == Expr::Name && parallelDepth > target.symbol->parallelDepth;
  if (target.kind != Expr::Member && !target.isOfList() && !isOuterVariable)
    return std::nullopt;
  SType type = target.type;
  bool isBool = type.kind == SType::Bool;
  auto kind = llvm::StringSwitch<std::optional<Reduction>>(op)
                  .Cases({"+", "-"}, Reduction::sum)
                  .Case("*", Reduction::product)
                  .Cases({"&", "&&"}, Reduction::conjunction)
                  .Cases({"|", "||"}, Reduction::disjunction)
                  .Case("min", Reduction::min)
                  .Case("max", Reduction::max)
                  .Default(std::nullopt);
  if (!kind || contains(value, target))
    return std::nullopt;
  // For truth values, the minimum is 'and' and the maximum is 'or'.
  if (isBool && (op == "min" || op == "max"))
    return value.type.kind != SType::Bool ? std::nullopt
           : op == "min"                  ? std::optional(Reduction::conjunction)
                                          : std::optional(Reduction::disjunction);
  bool isLogical = *kind == Reduction::conjunction || *kind == Reduction::disjunction;
  if (isLogical) {
    // a
    //
    // b is a truth value even for numbers; a | b of numbers is bitwise.
    if (isBool ? value.type.kind != SType::Bool : (op.size() == 2 || type.isFloat() || !value.type.isInteger()))
      return std::nullopt;
  } else if (isBool || (type.isInteger() && value.type.isFloat()) || (!type.isNumber() && value.type != type)) {
    return std::nullopt;
  } else if (type.isElement() && *kind != Reduction::min && *kind != Reduction::max) {
    return std::nullopt;
  }
  return kind;
}

/// Emits `target op= value` as a reduction if possible.
bool Emitter::emitAsReduction(const Expr &target, StringRef op, const Expr &value) {
  std::optional<Reduction> kind = getReduction(target, op, value);
  if (!kind)
    return false;
  SType type = target.type;
  Location place = builder.getLoc();
  Value combined = emitAs(value, type);
  builder.setLoc(place);
  if (op == "-")
    combined = negate(combined, type);
  reduce(*kind, target, combined);
  return true;
}

/// Returns the value if this is another form of `target op= value`: `target = target op value`, `target = min(target,
/// value)`.
static const Expr *getCombined(const Expr &target, const Expr &value, StringRef &op) {
  if (value.operands.size() != 2)
    return nullptr;
  const Expr *left = value.operands[0].get(), *right = value.operands[1].get();
  if (value.kind == Expr::Call) {
    StringRef name = value.text;
    name.consume_front("std::");
    if (!name.equals_insensitive("min") && !name.equals_insensitive("max"))
      return nullptr;
    op = name.equals_insensitive("min") ? "min" : "max";
  } else if (value.kind == Expr::Binary) {
    op = value.text;
  } else {
    return nullptr;
  }
  if (isSame(*left, target))
    return right;
  return isSame(*right, target) && op != "-" ? left : nullptr;
}

void Emitter::emitAssign(const Stmt &stmt) {
  const Expr &target = *stmt.expressions[0], &value = *stmt.expressions[1];
  if (target.type.isList())
    return emitListAssign(target, value);
  if (target.type.isProperty())
    return emitWholeAssign(*target.symbol, value);
  if (stmt.text == "=") {
    StringRef op;
    const Expr *combined = getCombined(target, value, op);
    if (combined && emitAsReduction(target, op, *combined))
      return;
    Value result = emitAs(value, target.type);
    at(stmt.place);
    return store(target, result);
  }
  StringRef op = stmt.text.drop_back();
  if (emitAsReduction(target, op, value))
    return;
  SType type = target.type;
  // As in C: compute in the common type, then convert.
  SType common = type;
  if (type.isNumber() && value.type.isNumber() && value.type.kind > type.kind)
    common = value.type;
  Value left = emitAs(target, common), right = emitAs(value, common);
  at(stmt.place);
  store(target, convert(emitArithmetic(op, left, right, common), common, type));
}

/// Assigns a value, or another property, to all vertices or edges.
void Emitter::emitWholeAssign(const Symbol &property, const Expr &value) {
  Location place = builder.getLoc();
  Value object = values.lookup(&property);
  SType type{property.type.value};
  bool isEach = value.kind != Expr::Name && !value.type.isProperty();
  std::function<bool(const Expr &)> namesEdge = [&](const Expr &expr) {
    return expr.kind == Expr::CurrentEdge ||
           llvm::any_of(expr.operands, [&](const ExprPtr &each) { return namesEdge(*each); });
  };
  isEach = isEach && namesEdge(value);
  if (value.type == property.type) {
    Value from = emit(value);
    builder.setLoc(place);
    graph::CopyOp::create(builder, from, object);
    return;
  }
  if (!isEach && !value.type.isProperty()) {
    Value result = emitAs(value, type);
    builder.setLoc(place);
    graph::FillOp::create(builder, object, result);
    return;
  }
  // The value differs per element, or the property's values must be converted.
  Value graphValue = getGraph(), from;
  if (!isEach)
    from = emit(value);
  builder.setLoc(place);
  bool isVertex = property.type.kind == SType::NodeProperty;
  auto loop = graph::ForallOp::create(builder, isVertex ? graph::Domain::vertices : graph::Domain::edges,
                                      /*ordered=*/false, graphValue, /*hasFilter=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&loop.getBody().front());
  Value element = loop.getElement();
  Value result;
  if (isEach) {
    currentEdge = element;
    result = emitAs(value, type);
  } else {
    result = convert(graph::LoadOp::create(builder, from, element), SType{value.type.value}, type);
  }
  builder.setLoc(place);
  graph::StoreOp::create(builder, result, object, element);
}

void Emitter::emitReduction(const Stmt &stmt) {
  SmallVector<Value> companions, companionValues;
  for (auto [target, value] : llvm::drop_begin(llvm::zip_equal(stmt.targets, stmt.expressions))) {
    companions.push_back(target->kind == Expr::Name ? values.lookup(target->symbol) : getWritten(*target->symbol));
    companionValues.push_back(emitAs(*value, target->type));
  }
  const Expr &target = *stmt.targets[0];
  Value value = emitAs(*stmt.expressions[0]->operands[1], target.type);
  at(stmt.place);
  Reduction kind = stmt.isMax ? Reduction::max : Reduction::min;
  if (target.type.kind == SType::Bool)
    kind = stmt.isMax ? Reduction::disjunction : Reduction::conjunction;
  reduce(kind, target, value, companions, companionValues);
}

/// Whether several iterations of a forall may access this vertex or edge, which makes accesses other than reductions a
/// race.
bool Emitter::isShared(const Expr &element) {
  auto argument = dyn_cast_or_null<BlockArgument>(element.kind == Expr::Name ? values.lookup(element.symbol) : Value());
  Operation *own = argument ? argument.getOwner()->getParentOp() : nullptr;
  for (Operation *each = builder.getInsertionBlock()->getParentOp(); each; each = each->getParentOp())
    if (auto loop = dyn_cast<graph::ForallOp>(each); loop && !loop.getOrdered() && each != own)
      return true;
  return false;
}

/// Returns true if the enclosing foralls name the property only twice, in the condition and in the assignment, and no
/// function calls this one.
bool Emitter::isOnlySetOnce(const Symbol &property) {
  unsigned uses = 0;
  forEachExpr(*outermost, [&](const Expr &expr) { uses += expr.symbol == &property; });
  return uses == 2 && !called.contains(function->name);
}

namespace {
/// The parts of `if (value < target) { target = value; ... }`.
struct Extremum {
  const Stmt *assign = nullptr;
  /// Assignments that set companions of the target, and those of constants to variables where the target is a property.
  SmallVector<const Stmt *> companions, flags;
  /// An additional condition; may be null.
  const Expr *other = nullptr;
  bool isMin = false;
  /// The target is a truth value that is set if it is not set yet.
  bool isTruth = false;
  /// Whether a constant replaces another one: `if (target == constant) target = another;`.
  bool isStep = false;
};
} // namespace

/// Whether `condition` compares the value of an assignment with its target.
static bool comparesTarget(const Expr &condition, const Stmt &assign, bool mayBeEqual, bool &isMin) {
  if (condition.kind != Expr::Binary || assign.kind != Stmt::Assign || assign.text != "=")
    return false;
  StringRef op = condition.text;
  bool less = op.front() == '<';
  if (op != "<" && op != ">" && !(mayBeEqual && (op == "<=" || op == ">=")))
    return false;
  const Expr &target = *assign.expressions[0], &value = *assign.expressions[1];
  const Expr &left = *condition.operands[0], &right = *condition.operands[1];
  bool valueFirst = isSame(left, value) && isSame(right, target);
  isMin = less == valueFirst;
  return valueFirst || (isSame(right, value) && isSame(left, target));
}

/// Whether `condition` states that a truth value differs from what the assignment sets: `if (!seen) seen = True;`.
static bool differsFromTarget(const Expr &condition, const Stmt &assign, bool &isMin) {
  if (assign.kind != Stmt::Assign || assign.text != "=" || assign.expressions[1]->kind != Expr::BoolLiteral)
    return false;
  const Expr &target = *assign.expressions[0];
  bool value = assign.expressions[1]->integer != 0;
  isMin = !value;
  if (condition.kind == Expr::Unary)
    return value && condition.text == "!" && isSame(*condition.operands[0], target);
  bool compares = condition.kind == Expr::Binary && condition.operands[1]->kind == Expr::BoolLiteral;
  if (!compares)
    return !value && isSame(condition, target);
  bool isValue = (condition.operands[1]->integer != 0) == value;
  return condition.text == (isValue ? "!=" : "==") && isSame(*condition.operands[0], target);
}

static bool isConstant(const Expr &value) {
  return value.kind == Expr::IntegerLiteral || value.kind == Expr::FloatLiteral || value.kind == Expr::BoolLiteral ||
         value.kind == Expr::Infinity ||
         (value.kind == Expr::Unary && value.text == "-" && isConstant(*value.operands[0]));
}

/// Returns the integer value of a literal; the largest one for INF.
static std::optional<int64_t> getInteger(const Expr &value) {
  if (value.kind == Expr::Infinity)
    return INT64_MAX;
  if (value.kind == Expr::Unary && value.text == "-" && value.operands[0]->kind == Expr::IntegerLiteral)
    return -int64_t(value.operands[0]->integer);
  return value.kind == Expr::IntegerLiteral ? std::optional(int64_t(value.integer)) : std::nullopt;
}

/// Returns whether the assignment replaces the constant with which `condition` compares its target by another one. All
/// iterations that set one target then write the same value, and only if it differs from the old one.
static bool replacesConstant(const Expr &condition, const Stmt &assign, bool &isMin) {
  if (condition.kind != Expr::Binary || condition.text != "==" || assign.kind != Stmt::Assign || assign.text != "=" ||
      !assign.expressions[0]->type.isInteger())
    return false;
  const Expr &left = *condition.operands[0], &right = *condition.operands[1], &target = *assign.expressions[0];
  bool isFirst = isSame(left, target);
  if (!isFirst && !isSame(right, target))
    return false;
  std::optional<int64_t> before = getInteger(isFirst ? right : left), after = getInteger(*assign.expressions[1]);
  if (!before || !after || *before == *after)
    return false;
  isMin = *after < *before;
  return true;
}

static bool isLoopVariable(const Expr &expr) {
  return expr.kind == Expr::Name && expr.type.isElement() && expr.symbol && expr.symbol->isLoopVariable;
}

/// Whether an expression can be evaluated where C would not evaluate it, because it cannot stop the program.
static bool isHarmless(const Expr &expr) {
  bool isGood = isConstant(expr) || expr.kind == Expr::Name ||
                (expr.kind == Expr::Member && !expr.isOfList() && isLoopVariable(*expr.operands[0])) ||
                (expr.kind == Expr::Unary && expr.text == "!") ||
                (expr.kind == Expr::Binary && (expr.text == "&&" || expr.text == "||" || expr.text.ends_with("=") ||
                                               expr.text == "<" || expr.text == ">"));
  return isGood && llvm::all_of(expr.operands, [](const ExprPtr &each) { return isHarmless(*each); });
}

/// Matches `if (value < target) { target = value; ... }`, regardless of the context.
static std::optional<Extremum> matchExtremum(const Stmt &stmt) {
  if (stmt.children.size() != 1 || stmt.children[0]->children.empty())
    return std::nullopt;
  const std::vector<StmtPtr> &body = stmt.children[0]->children;
  Extremum result;
  auto find = [&](const Expr &condition, const Expr *other) {
    for (const StmtPtr &each : body) {
      if (result.assign)
        return;
      result.isTruth = differsFromTarget(condition, *each, result.isMin);
      result.isStep = !result.isTruth && replacesConstant(condition, *each, result.isMin);
      if (result.isTruth || result.isStep ||
          comparesTarget(condition, *each, /*mayBeEqual=*/body.size() == 1, result.isMin))
        result.assign = each.get();
      result.other = other;
    }
  };
  const Expr &condition = *stmt.expressions[0];
  if (condition.kind == Expr::Binary && condition.text == "&&") {
    find(*condition.operands[1], condition.operands[0].get());
    if (isHarmless(*condition.operands[1]))
      find(*condition.operands[0], condition.operands[1].get());
  } else {
    find(condition, nullptr);
  }
  if (!result.assign || (result.other && contains(*result.other, *result.assign->expressions[0])))
    return std::nullopt;
  const Expr &target = *result.assign->expressions[0];
  for (const StmtPtr &each : body) {
    if (each.get() == result.assign)
      continue;
    if (each->kind != Stmt::Assign || each->text != "=")
      return std::nullopt;
    const Expr &set = *each->expressions[0];
    bool isCompanion = set.kind == target.kind && !set.isOfList() && set.type.isScalar() &&
                       (set.kind == Expr::Name || isSame(*set.operands[0], *target.operands[0]));
    // All iterations that set a constant set the same.
    bool isFlag = isConstant(*each->expressions[1]) && !set.isOfList() &&
                  (set.kind == Expr::Name || (isCompanion && (result.isTruth || result.isStep)));
    if (!isCompanion && !isFlag)
      return std::nullopt;
    bool isAlone = isFlag && (!isCompanion || set.kind == Expr::Member);
    (isAlone ? result.flags : result.companions).push_back(each.get());
  }
  // In C, reads after an assignment see the new value; here, all assignments happen at once.
  for (const StmtPtr &each : body)
    for (const StmtPtr &value : body) {
      bool isTwice = each != value && isSame(*each->expressions[0], *value->expressions[0]);
      if (body.size() > 1 && (isTwice || contains(*value->expressions[1], *each->expressions[0])))
        return std::nullopt;
    }
  return result;
}

/// Whether the conversion to the target's type preserves the order of values.
static bool keepsOrder(SType value, SType target) {
  return value == target || (value.isElement() && target.isNumber()) ||
         (value.isNumber() && target.isNumber() && value.kind <= target.kind);
}

/// Emits `if (value < target) target = value;` as a minimum, and likewise `other && value < target` under the condition
/// `other`. Other assignments in the block become companions if iterations would race for them. `if (target ==
/// constant) target = another;` is a minimum or maximum as well.
bool Emitter::emitAsExtremum(const Stmt &stmt) {
  std::optional<Extremum> found = parallelDepth == 0 ? std::nullopt : matchExtremum(stmt);
  if (!found)
    return false;
  const Expr &target = *found->assign->expressions[0], &value = *found->assign->expressions[1];
  std::optional<Reduction> kind = getReduction(target, found->isMin ? "min" : "max", value);
  bool isNarrowed = value.type.kind == SType::Long && target.type.kind == SType::Int;
  if (!kind || (!isNarrowed && !keepsOrder(value.type, target.type)))
    return false;
  auto isOuterVariable = [&](const Stmt *set) { return parallelDepth > set->expressions[0]->symbol->parallelDepth; };
  // The property of the next round is not the one that the condition reads.
  bool isOnce = found->isTruth || found->isStep;
  if (isOnce && (target.kind != Expr::Member || target.isOfList() || buffers.lookup(target.symbol)))
    return false;
  if (isOnce || !found->companions.empty() || !found->flags.empty()) {
    // A truth value has no companions, and a value that is set once must be the same for all iterations that set it.
    bool mayHaveCompanions = target.type.kind != SType::Bool && !found->isStep;
    bool isGood = (mayHaveCompanions || found->companions.empty()) && !target.isOfList();
    if (target.kind == Expr::Name ? !llvm::all_of(found->companions, isOuterVariable) : !isShared(*target.operands[0]))
      isGood = false;
    if (!isGood)
      return false;
  }
  // The condition reads the value from before the forall. A read elsewhere in it would miss what was set.
  bool setsMore =
      llvm::any_of(found->flags, [](const Stmt *flag) { return flag->expressions[0]->kind == Expr::Member; });
  if ((found->isStep || (found->isTruth && setsMore)) && (isNarrowed || !isOnlySetOnce(*target.symbol)))
    return false;
  // Compare with the old target even if other iterations improve it: emit the flags first.
  Value improves;
  if (found->isStep || !found->flags.empty()) {
    improves = emitAs(*stmt.expressions[0], SType{SType::Bool});
    at(stmt.place);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(scf::IfOp::create(builder, improves, /*withElseRegion=*/false).thenBlock());
    for (const Stmt *flag : found->flags)
      emit(*flag);
  }
  OpBuilder::InsertionGuard guard(builder);
  if (found->isStep) {
    at(stmt.place);
    builder.setInsertionPointToStart(scf::IfOp::create(builder, improves).thenBlock());
  } else if (found->other) {
    Value holds = emitAs(*found->other, SType{SType::Bool});
    at(stmt.place);
    builder.setInsertionPointToStart(scf::IfOp::create(builder, holds).thenBlock());
  }
  Value given = emit(value);
  at(stmt.place);
  if (isNarrowed) {
    // A number that is worse than any value of the target's type is not an error.
    auto [predicate, limit] = found->isMin ? std::pair(arith::CmpIPredicate::sle, int64_t(INT32_MAX))
                                           : std::pair(arith::CmpIPredicate::sge, int64_t(INT32_MIN));
    Value end = arith::ConstantOp::create(builder, builder.getI64IntegerAttr(limit));
    Value fits = arith::CmpIOp::create(builder, predicate, given, end);
    builder.setInsertionPointToStart(scf::IfOp::create(builder, fits).thenBlock());
  }
  given = convert(given, value.type, target.type);
  SmallVector<Value> companions, companionValues;
  for (const Stmt *companion : found->companions) {
    const Expr &set = *companion->expressions[0];
    companions.push_back(set.kind == Expr::Name ? values.lookup(set.symbol) : getWritten(*set.symbol));
    companionValues.push_back(emitAs(*companion->expressions[1], set.type));
  }
  at(stmt.place);
  reduce(*kind, target, given, companions, companionValues);
  return true;
}
