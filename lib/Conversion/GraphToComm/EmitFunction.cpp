//===- EmitFunction.cpp - The program, its values and branches -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "Comm/Analysis/Graph/Accesses.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace comm;
using namespace comm::graphlowering;

bool Emitter::fail(Operation *op, const Twine &message) {
  if (!failed)
    op->emitError() << message;
  failed = true;
  return false;
}

//===----------------------------------------------------------------------===//
// Types and values
//===----------------------------------------------------------------------===//

Type Emitter::lower(Type type) {
  if (type.isIntOrFloat())
    return type;
  return isa<graph::VertexType, graph::EdgeType>(type) ? code.i64() : code.pointer();
}

/// enum comm_graph_value_type.
int64_t Emitter::typeNumber(Type type) {
  if (isa<graph::VertexType>(type))
    return 5;
  if (isa<graph::EdgeType>(type))
    return 6;
  if (type.isInteger())
    return type.isInteger(1) ? 0 : type.isInteger(32) ? 1 : 2;
  return type.isF32() ? 3 : 4;
}

Lowered Emitter::get(Value value) {
  auto found = values.find(value);
  if (found == values.end()) {
    fail(value.getDefiningOp() ? value.getDefiningOp() : value.getParentBlock()->getParentOp(),
         "has a value that the lowering of graph programs does not know");
    return {code.integer(0), Value(), false};
  }
  Lowered lowered = found->second;
  lowered.value = here(lowered.value);
  if (lowered.local)
    lowered.local = here(lowered.local);
  return lowered;
}

Value Emitter::here(Value value) {
  if (!sweepEntry || !value)
    return value;
  Operation *function = sweepEntry->getParentOp();
  if (function->isAncestor(value.getParentBlock()->getParentOp()))
    return value;
  OpBuilder::InsertionGuard guard(builder);
  if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    Value &copy = captured[value];
    if (!copy) {
      builder.setInsertionPointToStart(sweepEntry);
      copy = code.constant(cast<TypedAttr>(constant.getValue()));
    }
    return copy;
  }
  auto [found, isNew] = captured.try_emplace(value, Value());
  if (isNew) {
    builder.setInsertionPointToStart(sweepEntry);
    int64_t index = int64_t(captured.size()) - 1;
    Value loaded = code.load(value.getType(), code.field(sweepEntry->getArgument(1), 8 * index));
    captured[value] = loaded;
    return loaded;
  }
  return found->second;
}

Value Emitter::topology(unsigned field) { return here(topologyFields[field]); }

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

std::string Emitter::makeSignature(func::FuncOp function) {
  bool needsWeights = false, needsRealWeights = false, needsIn = false;
  auto addWeights = [&](Type type) {
    bool isReal = isa<FloatType>(cast<graph::PropertyType>(type).getValueType());
    (isReal ? needsRealWeights : needsWeights) = true;
  };
  std::string parameters;
  llvm::raw_string_ostream os(parameters);
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    std::string name = graph::getObjectName(function.getArgument(index)).str();
    if (name.empty())
      name = "arg" + std::to_string(index);
    if (auto property = dyn_cast<graph::PropertyType>(type)) {
      bool isEdges = property.getOf() == graph::Element::edge;
      bool areWeights = graph::areWeights(function.getArgument(index));
      bool isRead = llvm::all_of(function.getArgument(index).getUsers(),
                                 [](Operation *user) { return isa<graph::LoadOp>(user); });
      os << (areWeights && isRead ? "weights "
             : isEdges            ? "edge "
                                  : "vertex ")
         << property.getValueType() << ' ' << name << '\n';
      if (areWeights)
        addWeights(type);
    } else {
      bool isGraph = isa<graph::GraphType>(type), isSet = isa<graph::SetType>(type);
      auto list = dyn_cast<graph::ListType>(type);
      // For a list: the innermost element type, and one sign per additional level of lists.
      if (list)
        os << "list" << std::string(list.getScalar().second, '+') << ' ' << list.getScalar().first << ' ' << name
           << '\n';
      else
        os << (isGraph ? "graph" : isSet ? "set" : "scalar") << ' ' << type << ' ' << name << '\n';
    }
  }
  function->getParentOfType<ModuleOp>().walk([&](Operation *op) {
    if (auto property = dyn_cast<graph::PropertyOp>(op); property && property.getName())
      os << "local " << *property.getName() << '\n';
    if (auto weights = dyn_cast<graph::WeightsOp>(op))
      addWeights(weights.getType());
    if (auto degree = dyn_cast<graph::DegreeOp>(op))
      needsIn |= degree.getDirection() == graph::Direction::in;
    if (auto forall = dyn_cast<graph::ForallOp>(op))
      needsIn |= forall.getDomain() == graph::Domain::in_neighbors;
  });
  std::string text = "function ";
  llvm::raw_string_ostream all(text);
  if (function.getNumResults())
    all << function.getResultTypes()[0];
  else
    all << "none";
  all << ' ' << function.getName() << '\n';
  if (needsWeights || needsRealWeights)
    all << (needsWeights ? "needs weights\n" : "needs real-weights\n");
  if (needsIn)
    all << "needs in\n";
  if (function->hasAttr(graph::kBalancedAttrName))
    all << "balances edges\n";
  return text + parameters;
}

/// Emits the beginning of a function.
bool Emitter::beginFunction(func::FuncOp function, Block *block) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return fail(function, "does not have a single-block body: graph programs are structured");
  if (function.getNumResults() > 1)
    return fail(function, "has several results: return one, and the others as properties");
  entry = block;
  builder.setLoc(function.getLoc());
  builder.setInsertionPointToEnd(entry);
  runValue = entry->getArgument(0);
  values.clear();
  ends.clear();
  flags.clear();
  tracked.clear();
  weights.clear();
  topologyFields.clear();
  Value structure = code.call("comm_graph_run_topology", code.pointer(), runValue);
  for (unsigned i = 0; i < 11; ++i)
    topologyFields.push_back(code.load(i < 6 ? code.i64() : code.pointer(), code.field(structure, 8 * i)));
  return true;
}

bool Emitter::endFunction(func::FuncOp function, Value result) {
  Block &body = function.getBody().front();
  emitBlock(body);
  if (failed)
    return false;
  auto end = cast<func::ReturnOp>(body.getTerminator());
  if (end.getNumOperands())
    code.store(getValue(end.getOperand(0)), result);
  closeWindow();
  code.finish(entry);
  return true;
}

bool Emitter::emitProgram(func::FuncOp function) {
  if (function.getNumResults() && isa<graph::ListType>(function.getResultTypes()[0]))
    return fail(function, "has a list as its result, which is not printed: return a number, or fill a property");
  code.makeString("comm_graph_program_signature", makeSignature(function));
  Block *block = code.makeFunction("comm_graph_program", {code.pointer(), code.pointer(), code.pointer()},
                                   /*isPrivate=*/false);
  isCalled = false;
  if (!beginFunction(function, block))
    return false;
  for (auto [index, argument] : llvm::enumerate(function.getArguments())) {
    Type type = argument.getType();
    if (isa<graph::GraphType>(type))
      set(argument, runValue);
    else
      set(argument, code.fromSlot(entry->getArgument(1), int64_t(index), lower(type)));
  }
  openWindow();
  return endFunction(function, entry->getArgument(2));
}

//===----------------------------------------------------------------------===//
// Recursive functions
//===----------------------------------------------------------------------===//

static std::string getCodeName(StringRef name) { return ("comm_graph_function_" + name).str(); }

/// All processes call the function together, with the state of the run, the arguments, and the address for the result.
void Emitter::declareCalled(func::FuncOp function) {
  SmallVector<Type> types = {code.pointer()};
  for (Type type : function.getArgumentTypes())
    types.push_back(lower(type));
  types.push_back(code.pointer());
  called[function] = code.makeFunction(getCodeName(function.getName()), types, /*isPrivate=*/true);
}

bool Emitter::emitCalled(func::FuncOp function) {
  isCalled = true;
  if (!beginFunction(function, called.lookup(function)))
    return false;
  code.call("comm_graph_run_enter", Type(), {runValue, code.string(function.getName()), place(function)});
  for (auto [index, argument] : llvm::enumerate(function.getArguments()))
    set(argument, isa<graph::GraphType>(argument.getType()) ? runValue : entry->getArgument(index + 1));
  return endFunction(function, entry->getArguments().back());
}

void Emitter::emitCall(func::CallOp op) {
  if (loop) {
    fail(op, "calls the recursive function '" + op.getCallee() + "' in an iteration of a forall: use 'for'");
    return;
  }
  SmallVector<Value> arguments = {run()};
  for (auto [index, operand] : llvm::enumerate(op.getOperands())) {
    if (isa<graph::PropertyType>(operand.getType()) &&
        llvm::is_contained(op.getOperands().drop_front(index + 1), operand)) {
      fail(op, "passes one property twice: each parameter of a function must be a different property");
      return;
    }
    if (operand.getDefiningOp<graph::WeightsOp>()) {
      fail(op, "passes the weights of the graph to the recursive function '" + op.getCallee() +
                   "', which might change them: copy them to a property first");
      return;
    }
    arguments.push_back(getValue(operand));
  }
  Type result = op.getNumResults() ? lower(op.getResultTypes()[0]) : Type();
  arguments.push_back(result ? code.allocate(entry, result) : code.null());
  code.call(getCodeName(op.getCallee()), Type(), arguments);
  if (result)
    set(op.getResult(0), code.load(result, arguments.back()));
}

void Emitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (failed)
      return;
    builder.setLoc(op.getLoc());
    emitOp(&op);
  }
  freeLists(block);
}

void Emitter::emitOp(Operation *op) {
  using namespace graph;
  llvm::TypeSwitch<Operation *>(op)
      .Case<NumVerticesOp, NumEdgesOp, DegreeOp, HasEdgeOp, FindEdgeOp, EndpointOp, WeightsOp, LevelsOp, LevelOp>(
          [&](auto each) { emitQuestion(each); })
      .Case<ToIdOp, FromIdOp>([&](auto each) { emitIds(each); })
      .Case<PropertyOp, FillOp, CopyOp>([&](auto each) { emitWhole(each); })
      .Case([&](CheckedOp each) { emitChecked(each); })
      .Case([&](ConvertOp each) { emitConvert(each); })
      .Case([&](LoadOp each) { emitLoad(each); })
      .Case([&](StoreOp each) { emitStore(each); })
      .Case([&](ReduceOp each) { emitReduce(each); })
      .Case<ListOp, ListSizeOp, ListPushOp, ListPopOp, ListAssignOp, ListCopyOp, ListFindOp>(
          [&](auto each) { emitList(each); })
      .Case<ListGetOp, ListSetOp, ListReduceOp>([&](auto each) { emitListElement(each); })
      .Case([&](CellOp each) { emitCell(each); })
      .Case([&](GetOp each) { emitGet(each); })
      .Case([&](SetOp each) { emitSet(each); })
      .Case([&](AccumulateOp each) { emitAccumulate(each); })
      .Case([&](ForallOp each) { emitForall(each); })
      .Case([&](FixedPointOp each) { emitFixedPoint(each); })
      .Case([&](scf::IfOp each) { emitIf(each); })
      .Case([&](scf::WhileOp each) { emitWhile(each); })
      .Case([&](func::CallOp each) { emitCall(each); })
      .Default([&](Operation *each) { emitGeneric(each); });
}

/// Emits an operation on scalars.
void Emitter::emitGeneric(Operation *op) {
  auto isScalar = [](Type type) { return type.isIntOrFloat() || isa<graph::VertexType, graph::EdgeType>(type); };
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) || op->getNumRegions() ||
      !llvm::all_of(op->getOperandTypes(), isScalar) || !llvm::all_of(op->getResultTypes(), isScalar)) {
    fail(op,
         "is an operation '" + op->getName().getStringRef() + "' that the lowering of graph programs does not support");
    return;
  }
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.addOperands(getValue(operand));
  for (Type type : op->getResultTypes())
    state.addTypes(lower(type));
  state.addAttributes(op->getAttrs());
  Operation *copy = builder.create(state);
  for (auto [from, to] : llvm::zip_equal(op->getResults(), copy->getResults()))
    set(from, to);
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

void Emitter::when(Value condition, llvm::function_ref<void()> body) {
  auto op = scf::IfOp::create(builder, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.thenBlock());
  body();
}

Value Emitter::choose(Value condition, Type type, llvm::function_ref<Value()> yes, llvm::function_ref<Value()> no) {
  auto op = scf::IfOp::create(builder, TypeRange(type), condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  for (bool isThen : {true, false}) {
    builder.setInsertionPointToEnd(isThen ? op.thenBlock() : op.elseBlock());
    Value value = isThen ? yes() : no();
    scf::YieldOp::create(builder, value);
  }
  return op.getResult(0);
}

void Emitter::count(Value from, Value to, llvm::function_ref<void(Value)> body) {
  auto op = scf::ForOp::create(builder, from, to, code.integer(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.getBody());
  body(op.getInductionVar());
}

static SmallVector<Type> lowerTypes(TypeRange types, llvm::function_ref<Type(Type)> lower) {
  return llvm::map_to_vector(types, [&](Type type) { return lower(type); });
}

void Emitter::emitIf(scf::IfOp op) {
  auto lowerType = [&](Type type) { return lower(type); };
  auto copy = scf::IfOp::create(builder, lowerTypes(op.getResultTypes(), lowerType), getValue(op.getCondition()),
                                /*withElseRegion=*/!op.getElseRegion().empty());
  OpBuilder::InsertionGuard guard(builder);
  for (bool isThen : {true, false}) {
    Region &region = isThen ? op.getThenRegion() : op.getElseRegion();
    if (region.empty())
      continue;
    Block *to = isThen ? copy.thenBlock() : copy.elseBlock();
    if (op.getNumResults() == 0)
      builder.setInsertionPointToStart(to);
    else
      builder.setInsertionPointToEnd(to);
    emitBlock(region.front());
    if (op.getNumResults() == 0)
      continue;
    SmallVector<Value> yielded;
    for (Value value : region.front().getTerminator()->getOperands())
      yielded.push_back(getValue(value));
    scf::YieldOp::create(builder, yielded);
  }
  for (auto [from, to] : llvm::zip_equal(op.getResults(), copy.getResults()))
    set(from, to);
}

void Emitter::emitWhile(scf::WhileOp op) {
  auto lowerType = [&](Type type) { return lower(type); };
  SmallVector<Value> inits;
  for (Value init : op.getInits())
    inits.push_back(getValue(init));
  auto copy = scf::WhileOp::create(builder, lowerTypes(op.getResultTypes(), lowerType), inits);
  OpBuilder::InsertionGuard guard(builder);
  for (bool isBefore : {true, false}) {
    Block *from = isBefore ? op.getBeforeBody() : op.getAfterBody();
    SmallVector<Type> types = lowerTypes(from->getArgumentTypes(), lowerType);
    Block *to = builder.createBlock(isBefore ? &copy.getBefore() : &copy.getAfter(), {}, types,
                                    SmallVector<Location>(types.size(), op.getLoc()));
    for (auto [argument, lowered] : llvm::zip_equal(from->getArguments(), to->getArguments()))
      set(argument, lowered);
    emitBlock(*from);
    SmallVector<Value> operands;
    for (Value value : from->getTerminator()->getOperands())
      operands.push_back(getValue(value));
    builder.setLoc(op.getLoc());
    if (isBefore)
      scf::ConditionOp::create(builder, operands.front(), ArrayRef(operands).drop_front());
    else
      scf::YieldOp::create(builder, operands);
  }
  for (auto [from, to] : llvm::zip_equal(op.getResults(), copy.getResults()))
    set(from, to);
}
