//===- Markers.h - What files of one program tell each other ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file that does something which concerns all files of the program defines a weak symbol. The address of that symbol
// is then, in every other file, the linker's answer to the question whether some file does it: null if none.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_MPI_MARKERS_H
#define COMM_MPI_MARKERS_H

#include "llvm/ADT/StringRef.h"

namespace comm::mpi {

/// Something may see when another process started a message: mpi::Function::observesStarts, or a receive or probe from
/// any source.
inline constexpr llvm::StringLiteral kObserversMarker = "comm_observes_starts";
/// An error handler of the program's own is created: MPI functions may call the program.
inline constexpr llvm::StringLiteral kErrorHandlersMarker = "comm_own_error_handlers";

} // namespace comm::mpi

#endif // COMM_MPI_MARKERS_H
