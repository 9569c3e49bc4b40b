//===- OverlapNames.h - Names of the runtime code in modules ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_UTILS_OVERLAPNAMES_H
#define COMM_PLUGIN_UTILS_OVERLAPNAMES_H

#include "Comm/MPI/Markers.h"
#include "Comm/MPI/Sums.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace comm::overlap {

/// Prefix of what only the runtime code itself uses. No program has such names.
inline constexpr llvm::StringLiteral kInnerPrefix = "comm_overlap.";

/// Whether compiled code refers to the runtime code by this name.
inline bool isEntry(llvm::StringRef name) {
  return llvm::any_of(llvm::ArrayRef<llvm::StringRef>{mpi::kStartPrefix, mpi::kAskPrefix, mpi::kNotePrefix,
                                                      mpi::kTellMarkers, mpi::kCallPrefix},
                      [&](llvm::StringRef prefix) { return name.starts_with(prefix); });
}

/// Whether this is a name of the runtime code, whether compiled code uses it or it is internal.
inline bool isName(llvm::StringRef name) { return isEntry(name) || name.starts_with(kInnerPrefix); }

/// How a definition's assembly begins and ends in a module's; its name follows the former. The assembler skips all but
/// the first of a name. (The linker may take the name itself out of a module that it merges.)
inline constexpr llvm::StringLiteral kAssemblyBegin = ".ifndef .Lonce.", kAssemblyEnd = "\n.endif\n";

} // namespace comm::overlap

#endif // COMM_PLUGIN_UTILS_OVERLAPNAMES_H
