//===- CollectiveBuilder.h - Collectives that were proved ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_COLLECTIVES_COLLECTIVEBUILDER_H
#define COMM_LIB_TRANSFORMS_COLLECTIVES_COLLECTIVEBUILDER_H

#include "Comm/Analysis/Symbolic/CollectivePatterns.h"

namespace comm {

/// Builds the operations of collectives that were proved to be a graph.
class CollectiveBuilder {
public:
  /// Builds at the builder's insertion point, which follows it.
  CollectiveBuilder(mlir::OpBuilder &builder, mlir::Location loc, const Symbols &symbols, mlir::Value communicator)
      : builder(builder), loc(loc), symbols(symbols), communicator(communicator) {}

  MPIOpInterface build(const CollectivePlan &plan);
  /// True if `build` builds it; else it is beyond what MPI's functions do at once.
  static bool canBuild(const CollectivePlan &plan);

private:
  mlir::Value number(int64_t value, unsigned bits = 64);
  /// The number as an i64.
  mlir::Value emit(const Poly &value);
  mlir::Value emitAtom(Atom atom);
  /// As an i32.
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
