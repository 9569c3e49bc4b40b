//===- InitAll.h - Registers all that Comm has --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_INITALL_H
#define COMM_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace comm {

/// Registers the comm dialect, the upstream dialects that its pipelines read and write, and their translations to and
/// from LLVM IR.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers what functions of the llvm dialect need, for the compiler plugin. MLIR's importer loads all dialects that
/// are registered, and those of all targets take longer than a small file.
void registerDialectsForLLVM(mlir::DialectRegistry &registry);

/// Registers the passes and named pipelines of Comm.
void registerAllPasses();

} // namespace comm

#endif // COMM_INITALL_H
