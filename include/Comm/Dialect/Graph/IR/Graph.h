//===- Graph.h - The graph dialect --------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_GRAPH_IR_GRAPH_H
#define COMM_DIALECT_GRAPH_IR_GRAPH_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Comm/Dialect/Graph/IR/GraphDialect.h.inc"
#include "Comm/Dialect/Graph/IR/GraphEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Comm/Dialect/Graph/IR/GraphAttributes.h.inc"
#define GET_TYPEDEF_CLASSES
#include "Comm/Dialect/Graph/IR/GraphTypes.h.inc"

namespace comm::graph {

//===----------------------------------------------------------------------===//
// Discardable attributes (declared and explained in GraphBase.td)
//===----------------------------------------------------------------------===//

inline constexpr llvm::StringLiteral kAggregatedAttrName = GraphDialect::AggregatedAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kBalancedAttrName = GraphDialect::BalancedAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kByDegreeAttrName = GraphDialect::ByDegreeAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kCachedAttrName = GraphDialect::CachedAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kChangesAttrName = GraphDialect::ChangesAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kCombinedAttrName = GraphDialect::CombinedAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kCopiedAttrName = GraphDialect::CopiedAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kGatheredAttrName = GraphDialect::GatheredAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kImmediateAttrName = GraphDialect::ImmediateAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kInteriorFirstAttrName = GraphDialect::InteriorFirstAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kJoinsAttrName = GraphDialect::JoinsAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kLocalAttrName = GraphDialect::LocalAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kNameAttrName = GraphDialect::NameAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kOverlappedAttrName = GraphDialect::OverlappedAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kPrioritizedAttrName = GraphDialect::PrioritizedAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kPullsAttrName = GraphDialect::PullsAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kTrackedAttrName = GraphDialect::TrackedAttrHelper::getNameStr();

enum class AccessKind { Read, Write, Reduce };

/// One access of an operation to a property, a cell or a list.
struct Access {
  AccessKind kind;
  /// The property, cell, or outermost list.
  mlir::Value object;
  /// The vertex or edge; null for an access to all of them, and for cells and lists.
  mlir::Value index;
  /// The value that is written or combined; null for reads, and if there is no single value.
  mlir::Value value;
  /// The operator, if it is a reduction.
  ReductionKind reduction = ReductionKind::sum;
  /// The write happens only if the reduction of the same operation changes its object.
  bool isCompanion = false;
};

/// The end of the program by an error. Operations that may cause one have an effect on it, so that they are kept.
struct StopResource : public mlir::SideEffects::Resource::Base<StopResource> {
  llvm::StringRef getName() final { return "graph.stop"; }
};

/// Returns the type of a property's indices.
mlir::Type getIndexType(PropertyType property);

/// Returns the outermost list that contains the list, possibly itself.
mlir::Value getWholeList(mlir::Value list);

/// Whether values can be combined repeatedly and in any order with the same result, and every combination moves the
/// result in the same direction.
bool isMonotonic(ReductionKind kind);

} // namespace comm::graph

#include "Comm/Dialect/Graph/IR/GraphInterfaces.h.inc"

#define GET_OP_CLASSES
#include "Comm/Dialect/Graph/IR/GraphOps.h.inc"

#endif // COMM_DIALECT_GRAPH_IR_GRAPH_H
