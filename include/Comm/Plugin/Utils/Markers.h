//===- Markers.h - Telling the other files of a program -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_UTILS_MARKERS_H
#define COMM_PLUGIN_UTILS_MARKERS_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Constant;
class Module;
} // namespace llvm

namespace comm {

/// Defines the marker (Comm/MPI/Markers.h) in this file. Returns true if it was not there.
bool defineMarker(llvm::Module &module, llvm::StringRef name);

/// The marker's address: null at run time if no file of the program defines it.
llvm::Constant *getMarker(llvm::Module &module, llvm::StringRef name);

} // namespace comm

#endif // COMM_PLUGIN_UTILS_MARKERS_H
