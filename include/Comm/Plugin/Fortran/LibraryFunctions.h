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

/// Says of functions of flang's runtime library that they keep no address which they are given, and in a whole program
/// whose types have no procedures that the library calls, that they call nothing of it: LLVM else takes each descriptor
/// that was passed to one for something that every later call may change. Returns true if anything changed.
bool annotateFortranLibrary(llvm::Module &module, bool isWholeProgram);

} // namespace comm

#endif // COMM_PLUGIN_FORTRAN_LIBRARYFUNCTIONS_H
