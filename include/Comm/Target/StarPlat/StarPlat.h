//===- StarPlat.h - Programs in StarPlat's language ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TARGET_STARPLAT_STARPLAT_H
#define COMM_TARGET_STARPLAT_STARPLAT_H

#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <utility>
#include <vector>

namespace llvm {
class SourceMgr;
class StringRef;
} // namespace llvm

namespace mlir {
class MLIRContext;
class ModuleOp;
} // namespace mlir

namespace comm {

struct StarPlatOptions {
  /// What is a mistake with a defined outcome is a warning: properties that are not declared, variables that are never
  /// set.
  bool permissive = false;
  /// A fixed point ends after a round that sets its property nowhere, as StarPlat's back end for OpenMP has it.
  bool untilUnset = false;
  /// What a program uses and does not say: the tokens of the first stand for those of the second.
  std::vector<std::pair<std::string, std::string>> definitions;

  /// One as `tokens=tokens`: the first `=` that is not a part of another sign, as of `!=`.
  void addDefinition(llvm::StringRef text);
};

/// Reads a program, the main file of `sources`, as operations of the graph dialect (docs/graph.md). Prints errors and
/// warnings by way of `sources`, and returns null if there are errors.
mlir::OwningOpRef<mlir::ModuleOp> importStarPlat(llvm::SourceMgr &sources, mlir::MLIRContext *context,
                                                 const StarPlatOptions &options = {});

/// Registers `--import-starplat` for programs that translate, with its options.
void registerStarPlatTranslation();

} // namespace comm

#endif // COMM_TARGET_STARPLAT_STARPLAT_H
