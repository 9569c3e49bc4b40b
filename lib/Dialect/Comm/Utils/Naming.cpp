//===- Naming.cpp - Names for messages ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/Naming.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace comm;

StringRef comm::getDisplayName(MPIOpInterface op) {
  auto name = op->getDiscardableAttr(kOriginAttrName);
  return name ? cast<StringAttr>(name).getValue() : op.getMPIFunctionName();
}

/// Returns the subprogram in which the location was written, which inlining preserves.
static LLVM::DISubprogramAttr getSubprogram(Location loc) {
  LLVM::DISubprogramAttr found;
  loc->walk([&](Location inner) {
    auto fused = dyn_cast<FusedLoc>(inner);
    if (!fused || !fused.getMetadata())
      return WalkResult::advance();
    Attribute scope = fused.getMetadata();
    while (scope && !isa<LLVM::DISubprogramAttr>(scope)) {
      if (auto block = dyn_cast<LLVM::DILexicalBlockAttr>(scope))
        scope = block.getScope();
      else if (auto file = dyn_cast<LLVM::DILexicalBlockFileAttr>(scope))
        scope = file.getScope();
      else
        scope = nullptr;
    }
    found = dyn_cast_or_null<LLVM::DISubprogramAttr>(scope);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

/// Returns the function that a location without a line is in, or "". The plugin names it (NameLoc), since the exporter
/// takes a subprogram in a location to be that of the function that has the operation.
static StringRef getMergedIn(Location loc) {
  StringRef found;
  loc->walk([&](Location inner) {
    auto named = dyn_cast<NameLoc>(inner);
    auto line = named ? dyn_cast<FileLineColLoc>(named.getChildLoc()) : FileLineColLoc();
    if (!line || line.getLine() != 0)
      return WalkResult::advance();
    found = named.getName().getValue();
    return WalkResult::interrupt();
  });
  if (LLVM::DISubprogramAttr subprogram = found.empty() ? getSubprogram(loc) : nullptr;
      subprogram && subprogram.getName())
    return subprogram.getName().getValue();
  return found;
}

SourcePosition comm::getSourcePosition(Location loc) {
  SourcePosition position;
  loc->walk([&](Location inner) {
    // The callee's side of an inlined call comes first: there the programmer wrote it.
    auto line = dyn_cast<FileLineColLoc>(inner);
    if (!line || line.getLine() == 0)
      return WalkResult::advance();
    position = {line.getFilename().str(), line.getLine(), line.getColumn(), /*mergedIn=*/{}};
    return WalkResult::interrupt();
  });
  if (position.line == 0)
    position.mergedIn = getMergedIn(loc).str();
  return position;
}

std::string comm::toString(const SourcePosition &position) {
  if (position.line == 0)
    return position.mergedIn.empty() ? "an unknown line" : "several lines of " + position.mergedIn + " (merged calls)";
  return (llvm::sys::path::filename(position.file) + ":" + llvm::Twine(position.line)).str();
}

StringRef comm::getFunctionName(Operation *op) {
  // The text of attributes, because remarks keep the reference.
  if (LLVM::DISubprogramAttr subprogram = getSubprogram(op->getLoc()); subprogram && subprogram.getName())
    return subprogram.getName().getValue();
  auto function = op->getParentOfType<FunctionOpInterface>();
  return function ? function.getName() : "";
}

void comm::markChanged(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  if (!function)
    return;
  function->setDiscardableAttr(kChangedAttrName, UnitAttr::get(op->getContext()));
  function->removeDiscardableAttr(kOnlySplitAttrName);
}

void comm::markSplit(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  if (!function || function->hasAttr(kChangedAttrName))
    return;
  markChanged(op);
  function->setDiscardableAttr(kOnlySplitAttrName, UnitAttr::get(op->getContext()));
}
