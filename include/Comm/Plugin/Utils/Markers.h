//===- Markers.h - Markers for the other files of a program -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_UTILS_MARKERS_H
#define COMM_PLUGIN_UTILS_MARKERS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"

namespace llvm {
class Module;
} // namespace llvm

namespace comm {

// Both functions declare symbols that OverlapCode::link (OverlapCode.h) defines.

/// Defines the marker (Comm/MPI/Markers.h) in this file. Returns true if it was not there.
bool defineMarker(llvm::Module &module, llvm::StringRef name);

/// Emits a call to the function without parameters called `question` (Comm/MPI/Markers.h) and a test for nonzero.
llvm::Value *ask(llvm::IRBuilder<> &builder, llvm::StringRef question);

} // namespace comm

#endif // COMM_PLUGIN_UTILS_MARKERS_H
