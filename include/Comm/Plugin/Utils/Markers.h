//===- Markers.h - Telling the other files of a program -----------*- C++ -*-===//
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

// Both declare what OverlapCode::link (OverlapCode.h) brings.

/// Gives this file the marker (Comm/MPI/Markers.h). Returns true if it was not there.
bool defineMarker(llvm::Module &module, llvm::StringRef name);

/// True, at run time, if the function of that name without parameters (Comm/MPI/Markers.h) does not return 0.
llvm::Value *ask(llvm::IRBuilder<> &builder, llvm::StringRef question);

} // namespace comm

#endif // COMM_PLUGIN_UTILS_MARKERS_H
