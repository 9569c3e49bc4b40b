//===- Shard.h - MLIR's shard dialect as a way in ----------------*- C++ -*-===//
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

/// Registers the upstream dialects of `shard` programs, and how their operations are sharded and get buffers.
void registerShardDialects(mlir::DialectRegistry &registry);

/// Registers upstream's passes that a shard program goes through, from sharding-propagation down to the llvm dialect,
/// and the pipeline `shard-to-comm`.
void registerShardPasses();

} // namespace comm

#endif // COMM_LIB_PIPELINES_SHARD_H
