//===- Interpreter.h - Run programs of the graph dialect --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines the semantics of the graph dialect by running programs sequentially in one memory. Other ways to run them are
// compared with this one.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_INTERPRETER_INTERPRETER_H
#define COMM_INTERPRETER_INTERPRETER_H

#include "Comm/Interpreter/GraphData.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <memory>
#include <random>

namespace comm::interpreter {

/// A value with an identity: a property, variable, set, level structure or list.
struct Object {
  Object() = default;
  Object(const Object &other) : integers(other.integers), numbers(other.numbers) {
    for (const std::shared_ptr<Object> &each : other.lists)
      lists.push_back(std::make_shared<Object>(*each));
  }

  /// The values of a property, the value of a variable, the vertices of a set, or the level of each vertex.
  std::vector<int64_t> integers;
  std::vector<double> numbers;
  /// The elements of a list of lists.
  std::vector<std::shared_ptr<Object>> lists;
  /// The vertices of each level.
  std::vector<std::vector<int64_t>> order;
  /// For each value that reductions with companions change, the forall that changed it last.
  std::vector<uint64_t> changedIn;
  /// The values at the beginning of a forall that reduces this object, which reads in the forall see.
  std::unique_ptr<Object> atBeginning;
};

/// A value at run time. `integer` holds truth values, integers, vertices and edges; `number` holds floating-point
/// numbers.
struct RuntimeValue {
  int64_t integer = 0;
  double number = 0;
  std::shared_ptr<Object> object;
};

/// The order in which the iterations of a forall run. Without races, all orders give the same result except for the
/// rounding of sums.
enum class Order { Ascending, Descending, Random };

struct InterpreterOptions {
  Order order = Order::Ascending;
  uint64_t seed = 0;
  /// Stop with an error after this many operations; 0 means never.
  uint64_t maxSteps = 0;
};

class Interpreter {
public:
  Interpreter(mlir::ModuleOp module, const GraphData &graph, const InterpreterOptions &options);

  /// Runs the function. On failure, emits an error at the operation that stopped the program.
  mlir::FailureOr<std::vector<RuntimeValue>> run(mlir::Operation *function, std::vector<RuntimeValue> arguments);

  /// Creates a property of that type that is zero everywhere.
  RuntimeValue makeProperty(mlir::Type type) const;
  /// Returns the weights of the graph. Fails if the type cannot represent them.
  mlir::FailureOr<RuntimeValue> makeWeights(mlir::Type type, mlir::Operation *where) const;
  /// Returns the properties that the program created, by name: the last one of each.
  const llvm::StringMap<std::pair<mlir::Type, RuntimeValue>> &getNamedProperties() const { return named; }

private:
  struct Frame {
    std::vector<RuntimeValue> values;
    const llvm::DenseMap<mlir::Value, unsigned> *slots = nullptr;
    std::vector<RuntimeValue> results;
  };
  using Handler = mlir::LogicalResult (Interpreter::*)(mlir::Operation *, Frame &);

  void registerHandlers();
  void registerLoops();
  void registerLists();
  void registerArith();
  template <typename Op> void on(Handler handler);

  RuntimeValue &at(Frame &frame, mlir::Value value) { return frame.values[frame.slots->lookup(value)]; }
  const llvm::DenseMap<mlir::Value, unsigned> &getSlots(mlir::Operation *function);
  mlir::LogicalResult runBlock(mlir::Block &block, Frame &frame);
  mlir::LogicalResult runIterations(mlir::Operation *loop, std::vector<std::pair<int64_t, int64_t>> elements,
                                    Frame &frame);
  const llvm::SmallVector<mlir::Value> &getSnapshots(mlir::Operation *loop);
  mlir::LogicalResult checkVertex(mlir::Operation *op, int64_t vertex) const;
  mlir::LogicalResult checkEdge(mlir::Operation *op, int64_t edge) const;
  mlir::LogicalResult checkIndex(mlir::Operation *op, mlir::Type property, int64_t index) const;
  mlir::FailureOr<bool> combine(mlir::Operation *op, int kind, mlir::Type type, int64_t index, Object &object,
                                const RuntimeValue &value, mlir::Type valueType);
  void set(Object &object, mlir::Type type, int64_t index, const RuntimeValue &value);
  void setCompanions(mlir::ValueRange companions, mlir::ValueRange values, int64_t index, Object &object, bool changed,
                     bool isTie, Frame &frame);
  RuntimeValue get(const Object &object, mlir::Type type, int64_t index) const;

  // One function for each kind of operation.
  mlir::LogicalResult runQuestion(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult runChecked(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult runConvert(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult runProperty(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult runWhole(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult runElement(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult runReduce(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult runCell(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult runLevels(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult runList(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult runListElement(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult runListEnd(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult runForall(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult runFixedPoint(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult runIf(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult runWhile(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult runCall(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult runTerminator(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult runConstant(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult runInteger(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult runFloat(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult runReal(mlir::Operation *op, Frame &frame);

  mlir::ModuleOp module;
  const GraphData &graph;
  InterpreterOptions options;
  std::mt19937_64 random;
  llvm::DenseMap<mlir::TypeID, Handler> handlers;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<llvm::DenseMap<mlir::Value, unsigned>>> slotsOf;
  llvm::StringMap<std::pair<mlir::Type, RuntimeValue>> named;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> snapshotsOf;
  uint64_t numSteps = 0;
  unsigned callDepth = 0;
  /// The number of outermost unordered foralls (counting each level) so far, and of those that are running.
  uint64_t epoch = 0;
  unsigned parallelDepth = 0;
};

} // namespace comm::interpreter

#endif // COMM_INTERPRETER_INTERPRETER_H
