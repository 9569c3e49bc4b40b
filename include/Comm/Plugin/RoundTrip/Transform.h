//===- Transform.h - Functions of a module through MLIR ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part that the compiler plugin and the C API share: extract the functions of an LLVM module that call MPI, run a
// pipeline on them, and put them back.
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

/// A function that Comm leaves unchanged, and the reason.
struct LeftAlone {
  std::string function;
  std::string cause;
};

/// Options of transformFunctions.
struct TransformOptions {
  RoundTrip roundTrip;
  /// Split worksharing loops of parallel regions, too.
  bool splitsRegions = false;
  /// Called with each extract before it is transformed.
  llvm::function_ref<void(Extract &extract)> prepare;
  /// See spliceFunctions.
  llvm::function_ref<std::string(llvm::StringRef function)> getQuestion;
  /// Called with the remarks of the passes while the old bodies still exist.
  llvm::function_ref<void(const Extract &extract, const std::vector<PassRemark> &remarks)> tell;
};

/// The result of a transformation.
struct TransformResult {
  bool changed = false;
  std::vector<LeftAlone> leftAlone;
};

/// Transforms `functions` of `module`, which are all extractable, together. If that fails, transforms each half
/// separately, so that one bad function does not affect the others.
TransformResult transformFunctions(llvm::Module &module, llvm::ArrayRef<llvm::Function *> functions,
                                   const FunctionSummaries &summaries, const TransformOptions &options);

} // namespace comm

#endif // COMM_PLUGIN_ROUNDTRIP_TRANSFORM_H
