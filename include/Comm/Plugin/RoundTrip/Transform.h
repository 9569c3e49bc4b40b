//===- Transform.h - Functions of a module through MLIR ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the compiler plugin and the C API do with a module of LLVM IR: the functions that call MPI are extracted, go
// through a pipeline, and come back.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_ROUNDTRIP_TRANSFORM_H
#define COMM_PLUGIN_ROUNDTRIP_TRANSFORM_H

#include "Comm/Plugin/RoundTrip/Extract.h"
#include "Comm/Plugin/RoundTrip/RoundTrip.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <vector>

namespace comm {

/// A function that Comm leaves alone, and why.
struct LeftAlone {
  std::string function;
  std::string cause;
};

/// How functions are transformed.
struct TransformOptions {
  Pipeline pipeline;
  /// Work in this process: a crash of the pipeline is one of the process.
  bool inProcess = false;
  /// Split worksharing loops of parallel regions, too.
  bool splitsRegions = false;
  /// Called with each extract before it is transformed.
  llvm::function_ref<void(Extract &extract)> prepare;
  /// As of spliceFunctions.
  llvm::function_ref<std::string(llvm::StringRef function)> getQuestion;
  /// Called with the remarks of the passes while the old bodies are still there.
  llvm::function_ref<void(const Extract &extract, const std::vector<PassRemark> &remarks)> tell;
};

/// What a transformation did.
struct TransformResult {
  bool changed = false;
  std::vector<LeftAlone> leftAlone;
};

/// Transforms `functions` of `module`, all extractable, together; if that fails, each half of them, so that one bad
/// function does not cost the others.
TransformResult transformFunctions(llvm::Module &module, llvm::ArrayRef<llvm::Function *> functions,
                                   const FunctionSummaries &summaries, const TransformOptions &options);

} // namespace comm

#endif // COMM_PLUGIN_ROUNDTRIP_TRANSFORM_H
