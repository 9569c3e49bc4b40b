//===- Interpreter.cpp - Graphs, properties and variables ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Interpreter/Interpreter.h"

#include "Comm/Dialect/Graph/IR/Graph.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/APSInt.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace comm;
using namespace comm::interpreter;

template <typename Op> void Interpreter::on(Handler handler) { handlers[TypeID::get<Op>()] = handler; }

Interpreter::Interpreter(ModuleOp module, const GraphData &graph, const InterpreterOptions &options)
    : module(module), graph(graph), options(options), random(options.seed) {
  registerHandlers();
  registerLoops();
  registerLists();
  registerArith();
}

void Interpreter::registerHandlers() {
  on<graph::NumVerticesOp>(&Interpreter::runQuestion);
  on<graph::NumEdgesOp>(&Interpreter::runQuestion);
  on<graph::DegreeOp>(&Interpreter::runQuestion);
  on<graph::HasEdgeOp>(&Interpreter::runQuestion);
  on<graph::FindEdgeOp>(&Interpreter::runQuestion);
  on<graph::EndpointOp>(&Interpreter::runQuestion);
  on<graph::ToIdOp>(&Interpreter::runConvert);
  on<graph::FromIdOp>(&Interpreter::runConvert);
  on<graph::ConvertOp>(&Interpreter::runConvert);
  on<graph::CheckedOp>(&Interpreter::runChecked);
  on<graph::WeightsOp>(&Interpreter::runProperty);
  on<graph::PropertyOp>(&Interpreter::runProperty);
  on<graph::FillOp>(&Interpreter::runWhole);
  on<graph::CopyOp>(&Interpreter::runWhole);
  on<graph::LoadOp>(&Interpreter::runElement);
  on<graph::StoreOp>(&Interpreter::runElement);
  on<graph::ReduceOp>(&Interpreter::runReduce);
  on<graph::AccumulateOp>(&Interpreter::runReduce);
  on<graph::CellOp>(&Interpreter::runCell);
  on<graph::GetOp>(&Interpreter::runCell);
  on<graph::SetOp>(&Interpreter::runCell);
  on<graph::LevelsOp>(&Interpreter::runLevels);
  on<graph::LevelOp>(&Interpreter::runLevels);
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// For vertices and edges, the zero value means none.
static int64_t getZero(Type type) { return isa<graph::VertexType, graph::EdgeType>(type) ? -1 : 0; }

RuntimeValue Interpreter::makeProperty(Type type) const {
  auto property = cast<graph::PropertyType>(type);
  size_t size = property.getOf() == graph::Element::vertex ? graph.numVertices : graph.getNumEdges();
  RuntimeValue value;
  value.object = std::make_shared<Object>();
  if (isa<FloatType>(property.getValueType()))
    value.object->numbers.assign(size, 0);
  else
    value.object->integers.assign(size, getZero(property.getValueType()));
  return value;
}

FailureOr<RuntimeValue> Interpreter::makeWeights(Type type, Operation *where) const {
  Type valueType = cast<graph::PropertyType>(type).getValueType();
  RuntimeValue value = makeProperty(type);
  for (auto [edge, weight] : llvm::enumerate(graph.weights)) {
    if (isa<FloatType>(valueType)) {
      value.object->numbers[edge] = valueType.isF32() ? float(weight) : weight;
      continue;
    }
    double limit = std::ldexp(1.0, valueType.getIntOrFloatBitWidth() - 1);
    if (weight != std::trunc(weight) || weight >= limit || weight < -limit)
      return where->emitError() << "the edge from " << graph.sources[edge] << " to " << graph.targets[edge]
                                << " has the weight " << weight << ", which " << valueType << " does not have";
    value.object->integers[edge] = int64_t(weight);
  }
  return value;
}

RuntimeValue Interpreter::get(const Object &object, Type type, int64_t index) const {
  RuntimeValue value;
  if (isa<FloatType>(type))
    value.number = object.numbers[index];
  else
    value.integer = object.integers[index];
  return value;
}

void Interpreter::set(Object &object, Type type, int64_t index, const RuntimeValue &value) {
  if (isa<FloatType>(type))
    object.numbers[index] = value.number;
  else
    object.integers[index] = value.integer;
}

LogicalResult Interpreter::checkVertex(Operation *op, int64_t vertex) const {
  if (graph.hasVertex(vertex))
    return success();
  return op->emitError() << "there is no vertex " << vertex << ": the graph has " << graph.numVertices << " vertices";
}

LogicalResult Interpreter::checkIndex(Operation *op, Type property, int64_t index) const {
  if (cast<graph::PropertyType>(property).getOf() == graph::Element::vertex)
    return checkVertex(op, index);
  return checkEdge(op, index);
}

LogicalResult Interpreter::checkEdge(Operation *op, int64_t edge) const {
  if (graph.hasEdge(edge))
    return success();
  // The result of an unsuccessful search for an edge.
  if (edge == -1)
    return op->emitError("this is not an edge: the search found none, or none was given");
  return op->emitError() << "there is no edge " << edge << ": the graph has " << graph.getNumEdges() << " edges";
}

//===----------------------------------------------------------------------===//
// Queries and numbers
//===----------------------------------------------------------------------===//

LogicalResult Interpreter::runQuestion(Operation *op, Frame &frame) {
  int64_t result = 0;
  SmallVector<int64_t, 2> elements;
  for (Value operand : op->getOperands().drop_front())
    elements.push_back(at(frame, operand).integer);
  if (auto endpoint = dyn_cast<graph::EndpointOp>(op)) {
    if (failed(checkEdge(op, elements[0])))
      return failure();
    result = (endpoint.getDirection() == graph::Direction::out ? graph.sources : graph.targets)[elements[0]];
  } else {
    for (int64_t vertex : elements)
      if (failed(checkVertex(op, vertex)))
        return failure();
    if (auto degree = dyn_cast<graph::DegreeOp>(op)) {
      const auto &begin = degree.getDirection() == graph::Direction::out ? graph.outBegin : graph.inBegin;
      result = begin[elements[0] + 1] - begin[elements[0]];
    } else if (isa<graph::NumVerticesOp>(op)) {
      result = graph.numVertices;
    } else if (isa<graph::NumEdgesOp>(op)) {
      result = graph.getNumEdges();
    } else {
      result = graph.findEdge(elements[0], elements[1]);
      if (isa<graph::HasEdgeOp>(op))
        result = result >= 0;
    }
  }
  at(frame, op->getResult(0)).integer = result;
  return success();
}

/// Whether an integer type can represent the number; always true for floating-point types.
static bool hasNumber(Type type, int64_t number) {
  return !type.isInteger(32) || (number >= INT32_MIN && number <= INT32_MAX);
}

/// The largest value of an integer type represents infinity.
static int64_t getLargest(Type type) { return type.isInteger(32) ? INT32_MAX : INT64_MAX; }

LogicalResult Interpreter::runConvert(Operation *op, Frame &frame) {
  RuntimeValue &result = at(frame, op->getResult(0));
  const RuntimeValue &operand = at(frame, op->getOperand(0));
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  bool isFromFloat = isa<FloatType>(from), isToFloat = isa<FloatType>(to), isNumber = isa<graph::ConvertOp>(op);
  // Convert infinity to infinity.
  if (isNumber && !(isFromFloat && isToFloat)) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    bool isInfinite = isFromFloat ? operand.number == infinite : operand.integer == getLargest(from);
    if (isInfinite) {
      result.number = infinite;
      result.integer = isToFloat ? 0 : getLargest(to);
      return success();
    }
  }
  if (isFromFloat && !isToFloat) {
    double number = std::trunc(operand.number), limit = std::ldexp(1.0, to.getIntOrFloatBitWidth() - 1);
    if (!(number >= -limit && number < limit) || int64_t(number) == getLargest(to))
      return op->emitError() << "the number " << operand.number << " is outside of the range of " << to;
    result.integer = int64_t(number);
    return success();
  }
  double number = isa<FloatType>(from) ? operand.number : double(operand.integer);
  if (to.isF32())
    number = isa<FloatType>(from) ? float(operand.number) : float(operand.integer);
  if (!hasNumber(to, operand.integer) || (isNumber && !isToFloat && operand.integer == getLargest(to)))
    return op->emitError() << "the number " << operand.integer << " is outside of the range of " << to;
  result.number = number;
  result.integer = operand.integer;
  return success();
}

/// Returns the sum, product and so on, or nullopt if the type cannot represent it.
static std::optional<int64_t> compute(graph::ArithKind kind, Type type, int64_t a, int64_t b) {
  int64_t largest = getLargest(type), result = 0;
  bool overflow = false;
  switch (kind) {
  case graph::ArithKind::add:
    if (a == largest || b == largest)
      return largest;
    overflow = __builtin_add_overflow(a, b, &result);
    break;
  case graph::ArithKind::sub:
    if (a == largest)
      return largest;
    overflow = __builtin_sub_overflow(a, b, &result);
    break;
  case graph::ArithKind::mul:
    overflow = __builtin_mul_overflow(a, b, &result);
    break;
  case graph::ArithKind::div:
    overflow = a == INT64_MIN && b == -1;
    result = overflow ? 0 : a / b;
    break;
  case graph::ArithKind::rem:
    result = b == -1 ? 0 : a % b;
    break;
  }
  // The largest value represents infinity, so no finite result may equal it.
  bool isFinite = a != largest && b != largest;
  if (overflow || !hasNumber(type, result) || (isFinite && result == largest))
    return std::nullopt;
  return result;
}

LogicalResult Interpreter::runChecked(Operation *op, Frame &frame) {
  auto checked = cast<graph::CheckedOp>(op);
  int64_t a = at(frame, checked.getLhs()).integer, b = at(frame, checked.getRhs()).integer;
  bool divides = checked.getKind() == graph::ArithKind::div || checked.getKind() == graph::ArithKind::rem;
  if (divides && b == 0)
    return op->emitError() << "a division of " << a << " by zero";
  std::optional<int64_t> result = compute(checked.getKind(), checked.getType(), a, b);
  if (!result)
    return op->emitError() << "the result of " << graph::stringifyArithKind(checked.getKind()) << " " << a << ", " << b
                           << " is outside of the range of " << checked.getType();
  at(frame, checked).integer = *result;
  return success();
}

//===----------------------------------------------------------------------===//
// Properties and variables
//===----------------------------------------------------------------------===//

LogicalResult Interpreter::runProperty(Operation *op, Frame &frame) {
  Type type = op->getResult(0).getType();
  if (isa<graph::WeightsOp>(op)) {
    RuntimeValue &result = at(frame, op->getResult(0));
    if (result.object)
      return success(); // weights are immutable
    FailureOr<RuntimeValue> weights = makeWeights(type, op);
    if (failed(weights))
      return failure();
    result = *weights;
    return success();
  }
  RuntimeValue value = makeProperty(type);
  if (std::optional<StringRef> name = cast<graph::PropertyOp>(op).getName())
    named[*name] = {type, value};
  at(frame, op->getResult(0)) = value;
  return success();
}

LogicalResult Interpreter::runWhole(Operation *op, Frame &frame) {
  if (auto copy = dyn_cast<graph::CopyOp>(op)) {
    const Object &from = *at(frame, copy.getFrom()).object;
    Object &to = *at(frame, copy.getTo()).object;
    to.integers = from.integers;
    to.numbers = from.numbers;
    return success();
  }
  auto fill = cast<graph::FillOp>(op);
  const RuntimeValue &value = at(frame, fill.getValue());
  Object &object = *at(frame, fill.getProperty()).object;
  std::fill(object.integers.begin(), object.integers.end(), value.integer);
  std::fill(object.numbers.begin(), object.numbers.end(), value.number);
  return success();
}

LogicalResult Interpreter::runElement(Operation *op, Frame &frame) {
  bool isLoad = isa<graph::LoadOp>(op);
  Value property = op->getOperand(isLoad ? 0 : 1);
  int64_t index = at(frame, op->getOperand(isLoad ? 1 : 2)).integer;
  if (failed(checkIndex(op, property.getType(), index)))
    return failure();
  Type type = cast<graph::PropertyType>(property.getType()).getValueType();
  Object &object = *at(frame, property).object;
  if (isLoad)
    at(frame, op->getResult(0)) = get(object.atBeginning ? *object.atBeginning : object, type, index);
  else
    set(object, type, index, at(frame, op->getOperand(0)));
  return success();
}

/// Combines a value into element `index` of the object. Returns whether that changed it.
FailureOr<bool> Interpreter::combine(Operation *op, int kindNumber, Type type, int64_t index, Object &object,
                                     const RuntimeValue &value, Type) {
  auto kind = graph::ReductionKind(kindNumber);
  if (isa<FloatType>(type)) {
    double old = object.numbers[index], result = old;
    switch (kind) {
    case graph::ReductionKind::sum:
      result = old + value.number;
      break;
    case graph::ReductionKind::product:
      result = old * value.number;
      break;
    case graph::ReductionKind::min:
      result = value.number < old ? value.number : old;
      break;
    default:
      result = value.number > old ? value.number : old;
    }
    object.numbers[index] = type.isF32() ? float(result) : result;
    return result != old;
  }
  int64_t old = object.integers[index];
  std::optional<int64_t> result;
  switch (kind) {
  case graph::ReductionKind::sum:
    result = compute(graph::ArithKind::add, type, old, value.integer);
    break;
  case graph::ReductionKind::product:
    result = compute(graph::ArithKind::mul, type, old, value.integer);
    break;
  case graph::ReductionKind::min:
    result = std::min(old, value.integer);
    break;
  case graph::ReductionKind::max:
    result = std::max(old, value.integer);
    break;
  case graph::ReductionKind::conjunction:
    result = old & value.integer;
    break;
  case graph::ReductionKind::disjunction:
    result = old | value.integer;
    break;
  case graph::ReductionKind::count:
    result = compute(graph::ArithKind::add, type, old, value.integer != 0);
    break;
  }
  if (!result)
    return op->emitError() << "the " << graph::stringifyReductionKind(kind) << " of " << old << " and " << value.integer
                           << " is outside of the range of " << type;
  object.integers[index] = *result;
  return *result != old;
}

/// Fields that the type does not use are ignored.
static bool isSame(Type type, const RuntimeValue &a, const RuntimeValue &b) {
  return isa<FloatType>(type) ? a.number == b.number : a.integer == b.integer;
}
static bool isLess(Type type, const RuntimeValue &a, const RuntimeValue &b) {
  return isa<FloatType>(type) ? a.number < b.number : a.integer < b.integer;
}

/// Updates the companions together with the value. If several reductions of a forall attain the same value, the
/// lexicographically smallest companions win.
void Interpreter::setCompanions(ValueRange companions, ValueRange values, int64_t index, Object &object, bool changed,
                                bool isTie, Frame &frame) {
  if (companions.empty())
    return;
  auto at = size_t(index);
  if (object.changedIn.size() <= at)
    object.changedIn.resize(std::max(object.integers.size(), object.numbers.size()));
  bool replaces = changed;
  if (!changed && isTie && parallelDepth > 0 && object.changedIn[at] == epoch)
    for (auto [companion, value] : llvm::zip_equal(companions, values)) {
      RuntimeValue now = get(*this->at(frame, companion).object, value.getType(), index);
      const RuntimeValue &given = this->at(frame, value);
      if (isSame(value.getType(), now, given))
        continue;
      replaces = isLess(value.getType(), given, now);
      break;
    }
  if (changed)
    object.changedIn[at] = parallelDepth > 0 ? epoch : 0;
  if (!replaces)
    return;
  for (auto [companion, value] : llvm::zip_equal(companions, values))
    set(*this->at(frame, companion).object, value.getType(), index, this->at(frame, value));
}

LogicalResult Interpreter::runReduce(Operation *op, Frame &frame) {
  if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
    int64_t index = at(frame, reduce.getIndex()).integer;
    if (failed(checkIndex(op, reduce.getProperty().getType(), index)))
      return failure();
    Type type = reduce.getProperty().getType().getValueType();
    Object &object = *at(frame, reduce.getProperty()).object;
    const RuntimeValue &value = at(frame, reduce.getValue());
    bool isTie = isSame(type, get(object, type, index), value);
    FailureOr<bool> changed = combine(op, int(reduce.getKind()), type, index, object, value, type);
    if (failed(changed))
      return failure();
    setCompanions(reduce.getCompanions(), reduce.getCompanionValues(), index, object, *changed, isTie, frame);
    return success();
  }
  auto reduce = cast<graph::AccumulateOp>(op);
  Type type = reduce.getCell().getType().getValueType();
  Object &object = *at(frame, reduce.getCell()).object;
  const RuntimeValue &value = at(frame, reduce.getValue());
  bool isTie = isSame(type, get(object, type, 0), value);
  FailureOr<bool> changed = combine(op, int(reduce.getKind()), type, 0, object, value, type);
  if (failed(changed))
    return failure();
  setCompanions(reduce.getCompanions(), reduce.getCompanionValues(), 0, object, *changed, isTie, frame);
  return success();
}

LogicalResult Interpreter::runCell(Operation *op, Frame &frame) {
  if (auto cell = dyn_cast<graph::CellOp>(op)) {
    RuntimeValue result;
    result.object = std::make_shared<Object>();
    result.object->integers.resize(1);
    result.object->numbers.resize(1);
    set(*result.object, cell.getInit().getType(), 0, at(frame, cell.getInit()));
    at(frame, cell) = result;
  } else if (auto getOp = dyn_cast<graph::GetOp>(op)) {
    at(frame, getOp) = get(*at(frame, getOp.getCell()).object, getOp.getType(), 0);
  } else {
    auto setOp = cast<graph::SetOp>(op);
    set(*at(frame, setOp.getCell()).object, setOp.getValue().getType(), 0, at(frame, setOp.getValue()));
  }
  return success();
}

LogicalResult Interpreter::runLevels(Operation *op, Frame &frame) {
  if (auto level = dyn_cast<graph::LevelOp>(op)) {
    int64_t vertex = at(frame, level.getVertex()).integer;
    if (failed(checkVertex(op, vertex)))
      return failure();
    at(frame, level).integer = at(frame, level.getLevels()).object->integers[vertex];
    return success();
  }
  auto levels = cast<graph::LevelsOp>(op);
  int64_t root = at(frame, levels.getRoot()).integer;
  if (failed(checkVertex(op, root)))
    return failure();
  RuntimeValue result;
  result.object = std::make_shared<Object>();
  std::vector<int64_t> &found = result.object->integers;
  found.assign(graph.numVertices, -1);
  found[root] = 0;
  std::vector<int64_t> frontier = {root};
  while (!frontier.empty()) {
    std::vector<int64_t> next;
    for (int64_t vertex : frontier)
      for (int64_t edge = graph.outBegin[vertex]; edge < graph.outBegin[vertex + 1]; ++edge)
        if (int64_t target = graph.targets[edge]; found[target] < 0) {
          found[target] = int64_t(result.object->order.size()) + 1;
          next.push_back(target);
        }
    llvm::sort(frontier);
    result.object->order.push_back(std::move(frontier));
    frontier = std::move(next);
  }
  at(frame, levels) = result;
  return success();
}
