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
  /// Turn errors with a defined outcome into warnings: undeclared properties, variables that are never set.
  bool permissive = false;
  /// End fixed points after a round that does not set the property, like StarPlat's OpenMP back end.
  bool untilUnset = false;
  /// Definitions missing from the program: the tokens of the first text are replaced by those of the second.
  std::vector<std::pair<std::string, std::string>> definitions;

  /// Adds a definition written as `tokens=tokens`, split at the first `=` that is not part of another token such as
  /// `!=`.
  void addDefinition(llvm::StringRef text);
};

/// Imports the program in the main file of `sources` to the graph dialect (docs/graph.md). Prints errors and warnings
/// through `sources`, and returns null if there are errors.
mlir::OwningOpRef<mlir::ModuleOp> importStarPlat(llvm::SourceMgr &sources, mlir::MLIRContext *context,
                                                 const StarPlatOptions &options = {});

/// Registers `--import-starplat` for translation tools, with its options.
void registerStarPlatTranslation();

} // namespace comm

#endif // COMM_TARGET_STARPLAT_STARPLAT_H
