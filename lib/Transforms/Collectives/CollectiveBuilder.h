//===- CollectiveBuilder.h - Build proved collectives -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_COLLECTIVES_COLLECTIVEBUILDER_H
#define COMM_LIB_TRANSFORMS_COLLECTIVES_COLLECTIVEBUILDER_H

#include "Comm/Analysis/Symbolic/CollectivePatterns.h"

namespace comm {

/// Builds the operations of collectives that are proved to be equivalent to a graph.
class CollectiveBuilder {
public:
  /// Builds at the builder's insertion point, which ends up after the operations.
  CollectiveBuilder(mlir::OpBuilder &builder, mlir::Location loc, const Symbols &symbols, mlir::Value communicator)
      : builder(builder), loc(loc), symbols(symbols), communicator(communicator) {}

  MPIOpInterface build(const CollectivePlan &plan);
  /// Returns true if `build` can build it. Otherwise it exceeds what one call of an MPI function does.
  static bool canBuild(const CollectivePlan &plan);

private:
  mlir::Value number(int64_t value, unsigned bits = 64);
  /// Emits the number as an i64.
  mlir::Value emit(const Poly &value);
  mlir::Value emitAtom(Atom atom);
  /// Emits the number as an i32.
  mlir::Value emitInt(const Poly &value);
  mlir::Value emit(const SymbolicAddress &address);
  mlir::Value atRoot(mlir::Value isRoot, mlir::Value root, mlir::Value others);
  mlir::Value constant(llvm::StringRef name, mlir::Type type);
  MPIOpInterface buildRooted(const CollectivePlan &plan);
  void buildBarrierIfEmpty(mlir::Value count);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const Symbols &symbols;
  mlir::Value communicator;
  llvm::DenseMap<Atom, mlir::Value> atoms;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_COLLECTIVES_COLLECTIVEBUILDER_H
