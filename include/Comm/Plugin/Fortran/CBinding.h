//===- CBinding.h - From MPI's Fortran binding to the C binding -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fortran passes every argument of MPI by its address, handles as numbers, and the addresses of common blocks for
// MPI_BOTTOM and its like (MPI-5.0, 19.3). The library's Fortran functions take that apart and call the C binding;
// these do it in the program, so that all else of Comm sees one binding, and LLVM sees numbers that are values.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_FORTRAN_CBINDING_H
#define COMM_PLUGIN_FORTRAN_CBINDING_H

#include "Comm/MPI/ABI.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace comm {

/// The implementation, of that name if it is not empty, whose mpif.h a module was compiled with: its common blocks are
/// there, or, where they have been dropped, conversions of handles. Null for programs in other languages, and if mpif.h
/// is not known.
const mpi::ABI *findFortranABI(const llvm::Module &module, llvm::StringRef name);

/// Calls the C binding in place of mpi_send_ and its like; what has requests goes through functions that only
/// settleRequests knows. Calls stay as they are whose arguments are not all numbers, handles, messages and statuses
/// (strings, callbacks, files, windows), or not those of the standard. Returns true if anything changed.
bool callCBinding(llvm::Module &module, const mpi::ABI &abi);

/// Makes handles of C of numbers that are constants by now (MPI_Comm_f2c(0) is MPI_COMM_WORLD of Open MPI), and answers
/// whether an address is that of a common block of MPI where it cannot be. Returns true if anything changed.
bool foldFortranHandles(llvm::Function &function, const mpi::ABI &abi);

/// Calls the C binding where requests are used, after functions have been inlined. Variables whose numbers nothing but
/// MPI looks at become variables of handles; elsewhere numbers are converted before and after each call. Returns true
/// if anything changed.
bool settleRequests(llvm::Module &module, const mpi::ABI &abi);

} // namespace comm

#endif // COMM_PLUGIN_FORTRAN_CBINDING_H
