//===- Arguments.cpp - Arguments and results of programs -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "Comm/Analysis/Graph/Accesses.h"
#include "Comm/Dialect/Graph/IR/Graph.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace comm;
using namespace comm::interpreter;

static llvm::raw_ostream &error() { return llvm::WithColor::error(llvm::errs(), "comm-graph-interpret"); }

static bool parseScalar(StringRef text, Type type, RuntimeValue &value) {
  text = text.trim();
  if (type.isInteger(1)) {
    value.integer = text == "True" || text == "true" || text == "1";
    return value.integer || text == "False" || text == "false" || text == "0";
  }
  if (isa<FloatType>(type)) {
    if (text.getAsDouble(value.number))
      return false;
    if (type.isF32())
      value.number = float(value.number);
    return true;
  }
  return !text.getAsInteger(10, value.integer) &&
         (!type.isInteger(32) || (value.integer >= INT32_MIN && value.integer <= INT32_MAX));
}

/// Elements are separated by commas, nested lists by semicolons: one semicolon per level of nesting within.
static bool readList(StringRef text, graph::ListType type, Object &list) {
  auto [scalar, depth] = type.getScalar();
  SmallVector<StringRef> words;
  if (!text.empty())
    text.split(words, depth == 1 ? std::string(",") : std::string(depth - 1, ';'));
  for (StringRef word : words) {
    RuntimeValue value;
    if (depth > 1) {
      list.lists.push_back(std::make_shared<Object>());
      if (!readList(word, cast<graph::ListType>(type.getElementType()), *list.lists.back()))
        return false;
      continue;
    }
    if (!parseScalar(word, scalar, value))
      return false;
    if (isa<FloatType>(scalar))
      list.numbers.push_back(value.number);
    else
      list.integers.push_back(value.integer);
  }
  return true;
}

/// @FILE has one value per line.
static bool readProperty(StringRef text, Type type, RuntimeValue &value) {
  auto buffer = text.consume_front("@") ? llvm::MemoryBuffer::getFile(text) : std::errc::invalid_argument;
  if (!buffer)
    return false;
  Type valueType = cast<graph::PropertyType>(type).getValueType();
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  bool isFloat = isa<FloatType>(valueType);
  size_t size = isFloat ? value.object->numbers.size() : value.object->integers.size();
  if (lines.size() != size)
    return false;
  for (auto [index, line] : llvm::enumerate(lines)) {
    RuntimeValue each;
    if (!parseScalar(line, valueType, each))
      return false;
    if (isFloat)
      value.object->numbers[index] = each.number;
    else
      value.object->integers[index] = each.integer;
  }
  return true;
}

std::optional<std::vector<RuntimeValue>> comm::interpreter::makeArguments(func::FuncOp function,
                                                                          Interpreter &interpreter,
                                                                          const GraphData &graph,
                                                                          ArrayRef<std::string> given) {
  llvm::StringMap<StringRef> values;
  for (StringRef each : given) {
    auto [name, value] = each.split('=');
    values[name] = value;
  }
  std::vector<RuntimeValue> arguments;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    StringRef name = graph::getObjectName(function.getArgument(index));
    auto found = values.find(name);
    bool isGiven = found != values.end();
    StringRef text = isGiven ? found->second : "";
    if (isGiven)
      values.erase(found);
    bool isSet = isa<graph::SetType>(type);
    if (!isGiven && (isSet || !isa<graph::PropertyType, graph::ListType, graph::GraphType>(type))) {
      error() << "the parameter '" << name << "' has no value: give it with --arg " << name
              << (isSet ? "=VERTEX,...\n" : "=VALUE\n");
      return std::nullopt;
    }
    RuntimeValue value;
    bool isGood = true;
    if (auto property = dyn_cast<graph::PropertyType>(type)) {
      value = interpreter.makeProperty(type);
      if (isGiven) {
        isGood = readProperty(text, type, value);
      } else if (graph::areWeights(function.getArgument(index))) {
        FailureOr<RuntimeValue> weights = interpreter.makeWeights(type, function);
        if (failed(weights))
          return std::nullopt;
        value = *weights;
      }
    } else if (auto list = dyn_cast<graph::ListType>(type)) {
      value.object = std::make_shared<Object>();
      isGood = readList(text, list, *value.object);
    } else if (isSet) {
      llvm::SmallDenseSet<int64_t> seen;
      value.object = std::make_shared<Object>();
      SmallVector<StringRef> words;
      text.split(words, ',', -1, /*KeepEmpty=*/false);
      for (StringRef word : words) {
        int64_t vertex;
        isGood = isGood && !word.trim().getAsInteger(10, vertex) && graph.hasVertex(vertex);
        // Sets contain each vertex once.
        if (isGood && seen.insert(vertex).second)
          value.object->integers.push_back(vertex);
      }
    } else if (!isa<graph::GraphType>(type)) {
      isGood = parseScalar(text, type, value);
    }
    if (!isGood) {
      error() << "'" << text << "' is not a value for '" << name << "' of type " << type
              << ": a number, True or False, vertices of the graph separated by commas for a set, values separated by "
                 "commas for a list (and lists by semicolons), or @FILE with a line for each value of a property\n";
      return std::nullopt;
    }
    arguments.push_back(value);
  }
  for (const auto &each : values) {
    error() << "the function has no parameter '" << each.getKey() << "'\n";
    return std::nullopt;
  }
  return arguments;
}

void comm::interpreter::printScalar(Type type, const RuntimeValue &value) {
  if (type.isInteger(1))
    llvm::outs() << (value.integer ? "True" : "False");
  else if (isa<FloatType>(type))
    llvm::outs() << llvm::format(type.isF32() ? "%.9g" : "%.17g", value.number);
  else
    llvm::outs() << value.integer;
}

void comm::interpreter::printProperty(StringRef name, Type type, const RuntimeValue &value, const GraphData &graph) {
  auto property = cast<graph::PropertyType>(type);
  bool isFloat = isa<FloatType>(property.getValueType());
  llvm::outs() << "property " << name << "\n";
  size_t size = isFloat ? value.object->numbers.size() : value.object->integers.size();
  for (size_t index = 0; index < size; ++index) {
    if (property.getOf() == graph::Element::edge)
      llvm::outs() << graph.sources[index] << " " << graph.targets[index] << " ";
    else
      llvm::outs() << index << " ";
    RuntimeValue each;
    if (isFloat)
      each.number = value.object->numbers[index];
    else
      each.integer = value.object->integers[index];
    printScalar(property.getValueType(), each);
    llvm::outs() << "\n";
  }
}
