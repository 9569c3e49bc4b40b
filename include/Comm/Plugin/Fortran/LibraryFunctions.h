//===- LibraryFunctions.h - Attributes of flang's library -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_FORTRAN_LIBRARYFUNCTIONS_H
#define COMM_PLUGIN_FORTRAN_LIBRARYFUNCTIONS_H

namespace llvm {
class Module;
} // namespace llvm

namespace comm {

/// Marks the arguments of flang's runtime functions as not captured and, in a whole program whose types have no
/// procedures that the library calls, the functions as nocallback. Otherwise LLVM assumes that every later call may
/// modify each descriptor that was passed to one. Returns true if anything changed.
bool annotateFortranLibrary(llvm::Module &module, bool isWholeProgram);

} // namespace comm

#endif // COMM_PLUGIN_FORTRAN_LIBRARYFUNCTIONS_H
