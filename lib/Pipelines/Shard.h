//===- Shard.h - MLIR's shard dialect as a front end ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PIPELINES_SHARD_H
#define COMM_LIB_PIPELINES_SHARD_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace comm {

/// Registers the upstream dialects of `shard` programs, with sharding and bufferization interfaces.
void registerShardDialects(mlir::DialectRegistry &registry);

/// Registers the upstream passes for shard programs, from sharding-propagation to the llvm dialect, and the pipeline
/// `shard-to-comm`.
void registerShardPasses();

} // namespace comm

#endif // COMM_LIB_PIPELINES_SHARD_H
