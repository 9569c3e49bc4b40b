//===- Control.cpp - Functions, loops and branches -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Interpreter/Interpreter.h"

#include "Comm/Analysis/Graph/Accesses.h"
#include "Comm/Dialect/Graph/IR/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace comm;
using namespace comm::interpreter;

template <typename Op> void Interpreter::on(Handler handler) { handlers[TypeID::get<Op>()] = handler; }

void Interpreter::registerLoops() {
  on<graph::ForallOp>(&Interpreter::runForall);
  on<graph::FixedPointOp>(&Interpreter::runFixedPoint);
  on<graph::YieldOp>(&Interpreter::runTerminator);
  on<scf::IfOp>(&Interpreter::runIf);
  on<scf::WhileOp>(&Interpreter::runWhile);
  on<scf::YieldOp>(&Interpreter::runTerminator);
  on<scf::ConditionOp>(&Interpreter::runTerminator);
  on<func::CallOp>(&Interpreter::runCall);
  on<func::ReturnOp>(&Interpreter::runTerminator);
}

/// Returns the frame slot of each value of a function.
const llvm::DenseMap<Value, unsigned> &Interpreter::getSlots(Operation *function) {
  std::unique_ptr<llvm::DenseMap<Value, unsigned>> &slots = slotsOf[function];
  if (slots)
    return *slots;
  slots = std::make_unique<llvm::DenseMap<Value, unsigned>>();
  auto add = [&](Value value) { slots->try_emplace(value, slots->size()); };
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::for_each(op->getResults(), add);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), add);
  });
  return *slots;
}

FailureOr<std::vector<RuntimeValue>> Interpreter::run(Operation *op, std::vector<RuntimeValue> arguments) {
  auto function = cast<func::FuncOp>(op);
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return op->emitError() << "the function '" << function.getName() << "' has no body of one block to interpret";
  if (callDepth >= 2000)
    return op->emitError() << "the function '" << function.getName() << "' calls itself too often: 2000 calls are open";
  ++callDepth;
  Frame frame;
  frame.slots = &getSlots(op);
  frame.values.resize(frame.slots->size());
  for (auto [argument, value] : llvm::zip_equal(function.getArguments(), arguments))
    at(frame, argument) = std::move(value);
  LogicalResult done = runBlock(function.getBody().front(), frame);
  --callDepth;
  if (failed(done))
    return failure();
  return std::move(frame.results);
}

LogicalResult Interpreter::runBlock(Block &block, Frame &frame) {
  for (Operation &op : block) {
    if (options.maxSteps && ++numSteps > options.maxSteps)
      return op.emitError() << "the program executes more than " << options.maxSteps
                            << " operations, which is the limit";
    auto handler = handlers.find(op.getName().getTypeID());
    if (handler == handlers.end())
      return op.emitError() << "the interpreter does not know '" << op.getName() << "'";
    if (failed((this->*handler->second)(&op, frame)))
      return failure();
  }
  return success();
}

/// Keeps the yielded values until the parent operation takes them.
LogicalResult Interpreter::runTerminator(Operation *op, Frame &frame) {
  frame.results.clear();
  for (Value operand : op->getOperands())
    frame.results.push_back(at(frame, operand));
  return success();
}

LogicalResult Interpreter::runCall(Operation *op, Frame &frame) {
  auto call = cast<func::CallOp>(op);
  auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
  std::vector<RuntimeValue> arguments;
  for (Value operand : op->getOperands())
    arguments.push_back(at(frame, operand));
  FailureOr<std::vector<RuntimeValue>> results = run(callee, std::move(arguments));
  if (failed(results))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op->getResults(), *results))
    at(frame, result) = value;
  return success();
}

LogicalResult Interpreter::runIf(Operation *op, Frame &frame) {
  auto choice = cast<scf::IfOp>(op);
  Region &region = at(frame, choice.getCondition()).integer ? choice.getThenRegion() : choice.getElseRegion();
  if (region.empty())
    return success();
  if (failed(runBlock(region.front(), frame)))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op->getResults(), frame.results))
    at(frame, result) = value;
  return success();
}

LogicalResult Interpreter::runWhile(Operation *op, Frame &frame) {
  auto loop = cast<scf::WhileOp>(op);
  auto give = [&](ValueRange to, ArrayRef<RuntimeValue> from) {
    for (auto [value, given] : llvm::zip_equal(to, from))
      at(frame, value) = given;
  };
  std::vector<RuntimeValue> carried;
  for (Value operand : op->getOperands())
    carried.push_back(at(frame, operand));
  while (true) {
    give(loop.getBeforeArguments(), carried);
    if (failed(runBlock(*loop.getBeforeBody(), frame)))
      return failure();
    bool goesOn = frame.results.front().integer;
    carried.assign(frame.results.begin() + 1, frame.results.end());
    if (!goesOn)
      break;
    give(loop.getAfterArguments(), carried);
    if (failed(runBlock(*loop.getAfterBody(), frame)))
      return failure();
    carried = frame.results;
  }
  give(op->getResults(), carried);
  return success();
}

LogicalResult Interpreter::runFixedPoint(Operation *op, Frame &frame) {
  auto loop = cast<graph::FixedPointOp>(op);
  std::shared_ptr<Object> finished = at(frame, loop.getFinished()).object;
  while (!finished->integers[0]) {
    finished->integers[0] = true;
    if (failed(runBlock(loop.getBody().front(), frame)))
      return failure();
    if (!loop.getProperty())
      continue;
    const Object &property = *at(frame, loop.getProperty()).object;
    auto holds = [&](auto value) { return (value != 0) != loop.getAll(); };
    if (llvm::any_of(property.integers, holds) || llvm::any_of(property.numbers, holds))
      finished->integers[0] = false;
  }
  return success();
}

/// Returns the properties whose initial values are visible throughout the outermost forall.
const llvm::SmallVector<Value> &Interpreter::getSnapshots(Operation *loop) {
  auto [found, isNew] = snapshotsOf.try_emplace(loop);
  if (isNew)
    found->second = graph::getSnapshots(cast<graph::ForallOp>(loop));
  return found->second;
}

LogicalResult Interpreter::runIterations(Operation *op, std::vector<std::pair<int64_t, int64_t>> elements,
                                         Frame &frame) {
  auto loop = cast<graph::ForallOp>(op);
  bool isParallel = !loop.getOrdered();
  std::vector<std::shared_ptr<Object>> kept;
  if (isParallel && parallelDepth == 0) {
    ++epoch;
    for (Value property : getSnapshots(op))
      kept.push_back(at(frame, property).object);
  }
  for (const std::shared_ptr<Object> &object : kept)
    object->atBeginning = std::make_unique<Object>(*object);
  llvm::scope_exit forget([&] {
    for (const std::shared_ptr<Object> &object : kept)
      object->atBeginning = nullptr;
  });
  parallelDepth += isParallel;
  llvm::scope_exit leave([&] { parallelDepth -= isParallel; });
  if (!loop.getOrdered() && options.order == Order::Descending)
    std::reverse(elements.begin(), elements.end());
  if (!loop.getOrdered() && options.order == Order::Random)
    std::shuffle(elements.begin(), elements.end(), random);
  auto give = [&](Region &region, std::pair<int64_t, int64_t> element) {
    at(frame, region.getArgument(0)).integer = element.first;
    if (region.getNumArguments() > 1)
      at(frame, region.getArgument(1)).integer = element.second;
  };
  for (std::pair<int64_t, int64_t> element : elements) {
    if (loop.hasFilter()) {
      give(loop.getFilter(), element);
      if (failed(runBlock(loop.getFilter().front(), frame)))
        return failure();
      if (!frame.results.front().integer)
        continue;
    }
    give(loop.getBody(), element);
    if (failed(runBlock(loop.getBody().front(), frame)))
      return failure();
  }
  return success();
}

LogicalResult Interpreter::runForall(Operation *op, Frame &frame) {
  auto loop = cast<graph::ForallOp>(op);
  std::vector<std::pair<int64_t, int64_t>> elements;
  int64_t center = loop.getCenter() ? at(frame, loop.getCenter()).integer : 0;
  if (loop.getCenter() && failed(checkVertex(op, center)))
    return failure();
  std::shared_ptr<Object> over = at(frame, loop.getOver()[0]).object;
  auto runLevel = [&](ArrayRef<int64_t> vertices) {
    elements.clear();
    for (int64_t vertex : vertices)
      elements.emplace_back(vertex, 0);
    return runIterations(op, elements, frame);
  };
  switch (loop.getDomain()) {
  case graph::Domain::vertices:
  case graph::Domain::edges: {
    int64_t size = loop.getDomain() == graph::Domain::vertices ? graph.numVertices : graph.getNumEdges();
    for (int64_t element = 0; element < size; ++element)
      elements.emplace_back(element, 0);
    break;
  }
  case graph::Domain::out_neighbors:
  case graph::Domain::children:
    for (int64_t edge = graph.outBegin[center]; edge < graph.outBegin[center + 1]; ++edge) {
      int64_t target = graph.targets[edge];
      if (loop.getDomain() == graph::Domain::out_neighbors ||
          (over->integers[center] >= 0 && over->integers[target] == over->integers[center] + 1))
        elements.emplace_back(target, edge);
    }
    break;
  case graph::Domain::in_neighbors:
    for (int64_t i = graph.inBegin[center]; i < graph.inBegin[center + 1]; ++i)
      elements.emplace_back(graph.sources[graph.inEdges[i]], graph.inEdges[i]);
    break;
  case graph::Domain::set:
    return runLevel(over->integers);
  case graph::Domain::levels:
    for (const std::vector<int64_t> &level : over->order)
      if (failed(runLevel(level)))
        return failure();
    return success();
  case graph::Domain::reverse_levels:
    for (const std::vector<int64_t> &level : llvm::reverse(over->order))
      if (failed(runLevel(level)))
        return failure();
    return success();
  }
  return runIterations(op, std::move(elements), frame);
}
