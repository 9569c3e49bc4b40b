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
// Discardable attributes (declared in GraphBase.td, which tells what each is for)
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
inline constexpr llvm::StringLiteral kJoinsAttrName = GraphDialect::JoinsAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kLocalAttrName = GraphDialect::LocalAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kNameAttrName = GraphDialect::NameAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kOverlappedAttrName = GraphDialect::OverlappedAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kPrioritizedAttrName = GraphDialect::PrioritizedAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kPullsAttrName = GraphDialect::PullsAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kTrackedAttrName = GraphDialect::TrackedAttrHelper::getNameStr();

enum class AccessKind { Read, Write, Reduce };

/// One thing that an operation does to a property, a cell or a list.
struct Access {
  AccessKind kind;
  /// The property, cell, or list that is in no other.
  mlir::Value object;
  /// The vertex or edge; null for all of them, for cells and for lists.
  mlir::Value index;
  /// What is written or combined; null for reads, and if it has no single value.
  mlir::Value value;
  /// How, if it is a reduction.
  ReductionKind reduction = ReductionKind::sum;
  /// The write happens only if the reduction of the same operation changes its object.
  bool isCompanion = false;
};

/// The program's end by an error: operations that may cause one have an effect on it, and so stay.
struct StopResource : public mlir::SideEffects::Resource::Base<StopResource> {
  llvm::StringRef getName() final { return "graph.stop"; }
};

/// The type of what a property is indexed with.
mlir::Type getIndexType(PropertyType property);

/// The list that a list is a part of, or it itself.
mlir::Value getWholeList(mlir::Value list);

/// Whether the result is the same however often, and in whichever order, values are combined, and every combination
/// moves the result in one direction only.
bool isMonotonic(ReductionKind kind);

} // namespace comm::graph

#include "Comm/Dialect/Graph/IR/GraphInterfaces.h.inc"

#define GET_OP_CLASSES
#include "Comm/Dialect/Graph/IR/GraphOps.h.inc"

#endif // COMM_DIALECT_GRAPH_IR_GRAPH_H
