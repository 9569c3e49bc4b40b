//===- Emit.h - Emit the graph dialect --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TARGET_STARPLAT_EMIT_H
#define COMM_TARGET_STARPLAT_EMIT_H

#include "AST.h"

#include "Comm/Dialect/Graph/IR/Graph.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"

namespace comm::starplat {

/// Emits operations for a program without errors.
class Emitter {
public:
  Emitter(mlir::ModuleOp module, const llvm::SourceMgr &sources)
      : module(module), sources(sources), builder(module.getLoc(), module.getContext()) {}

  void emit(const Program &program);

private:
  /// Cells that record whether a loop was left or an iteration was skipped, for the statements that follow.
  struct Leaving {
    mlir::Value breaks, continues;
  };

  void emit(const Function &function);
  void at(llvm::SMLoc place);
  /// Returns the function's graph.
  mlir::Value getGraph();
  mlir::Type lower(Type type);
  mlir::Value makeCell(mlir::Value init, llvm::StringRef name);

  // Statements.
  void emit(const Stmt &stmt);
  void emitStatements(llvm::ArrayRef<StmtPtr> statements);
  void emitDeclaration(const Stmt &stmt);
  void emitAssign(const Stmt &stmt);
  void emitWholeAssign(const Symbol &property, const Expr &value);
  void emitReduction(const Stmt &stmt);
  std::optional<graph::ReductionKind> getReduction(const Expr &target, llvm::StringRef op, const Expr &value);
  bool emitAsReduction(const Expr &target, llvm::StringRef op, const Expr &value);
  void emitIf(const Stmt &stmt);
  bool emitAsExtremum(const Stmt &stmt);
  bool isShared(const Expr &element);
  bool isOnlySetOnce(const Symbol &property);
  void emitWhile(const Stmt &stmt, const Expr &condition, const Stmt &body, const Stmt *step, bool testsFirst);
  void emitForIn(const Stmt &stmt);
  void emitLoop(const Stmt &stmt);
  void emitFixedPoint(const Stmt &stmt);
  void emitTraversal(const Stmt &stmt);
  void emitReturn(const Stmt &stmt);
  void emitBody(const Stmt &loop, const Stmt &body, mlir::Value breaks);
  /// With `levelsOfCenter`, visits only elements on the level after that of `center`.
  void emitForall(graph::Domain domain, bool ordered, mlir::ValueRange over, const Stmt &stmt, mlir::Value center,
                  mlir::Value levelsOfCenter);
  mlir::Value isRunning(mlir::Value breaks);

  // Targets.
  void store(const Expr &target, mlir::Value value);
  void reduce(graph::ReductionKind kind, const Expr &target, mlir::Value value, mlir::ValueRange companions = {},
              mlir::ValueRange values = {});
  mlir::Value getWritten(const Symbol &property);

  /// A set or map: lists of keys and values, in insertion order. A map of maps has lists of lists; `index` selects one
  /// of them, for the map within.
  struct Map {
    Type type;
    mlir::Value keys, values, innerKeys, innerValues, cursor, index;
  };

  // Sets and maps.
  void emitMapDeclaration(const Stmt &stmt);
  Map getMap(const Expr &expr);
  mlir::Value makeList(Type element, llvm::StringRef name);
  mlir::Value getKeys(const Map &map);
  mlir::Value getValues(const Map &map);
  mlir::Value emitLookup(const Map &map, const Expr &key);
  mlir::Value findOrMake(const Map &map, mlir::Value key, llvm::function_ref<mlir::Value()> value);
  mlir::Value emitMapMethod(const Expr &expr);
  void emitSwap(const Map &a, const Map &b);
  void emitClear(const Map &map);

  // Lists.
  mlir::Value getList(const Expr &expr, llvm::SmallVectorImpl<mlir::Value> &indices);
  mlir::Value emitList(const Expr &expr);
  mlir::Value emitElement(const Expr &expr);
  void emitListAssign(const Expr &target, const Expr &value);
  void copyList(const Expr &from, mlir::Value to);
  mlir::Value takeOut(mlir::Value list, llvm::ArrayRef<mlir::Value> indices);
  mlir::Value emitListMethod(const Expr &expr);

  // Expressions.
  mlir::Value emit(const Expr &expr);
  mlir::Value emitMember(const Expr &expr);
  mlir::Value emitMethod(const Expr &expr);
  mlir::Value emitCall(const Expr &expr);
  mlir::Value emitReal(const Expr &expr);
  mlir::Value emitBinary(const Expr &expr);
  mlir::Value emitLogical(const Expr &expr);
  mlir::Value emitComparison(const Expr &expr);
  mlir::Value emitArithmetic(llvm::StringRef op, mlir::Value left, mlir::Value right, Type type);
  mlir::Value emitExtremum(bool isMax, mlir::Value left, mlir::Value right, Type type);
  mlir::Value emitAs(const Expr &expr, Type type) { return convert(emit(expr), expr.type, type); }
  mlir::Value emitVertex(const Expr &expr) { return emitAs(expr, Type{Type::Node}); }
  mlir::Value convert(mlir::Value value, Type from, Type to);
  mlir::Value zero(Type type);
  mlir::Value truth(bool value);
  mlir::Value negate(mlir::Value value, Type type);
  mlir::Value invert(mlir::Value value);

  mlir::ModuleOp module;
  const llvm::SourceMgr &sources;
  mlir::ImplicitLocOpBuilder builder;

  const Function *function = nullptr;
  /// The cell of a variable that changes, the value of any other.
  llvm::DenseMap<const Symbol *, mlir::Value> values;
  llvm::DenseMap<const Stmt *, mlir::Value> levels;
  llvm::DenseMap<const Symbol *, Map> maps;
  /// For a name bound to a scalar in a map, the list and the indices of the scalar.
  llvm::DenseMap<const Symbol *, std::pair<mlir::Value, llvm::SmallVector<mlir::Value, 2>>> mapped;
  /// Properties whose writes take effect in the next round of a fixed point.
  llvm::DenseMap<const Symbol *, mlir::Value> buffers;
  llvm::SmallVector<Leaving> loops;
  mlir::Value returned, result;
  mlir::Value currentEdge;
  unsigned parallelDepth = 0;
  /// The outermost of the foralls around the current statement.
  const Stmt *outermost = nullptr;
  /// Names of functions that some function calls.
  llvm::StringSet<> called;
};

} // namespace comm::starplat

#endif // COMM_TARGET_STARPLAT_EMIT_H
