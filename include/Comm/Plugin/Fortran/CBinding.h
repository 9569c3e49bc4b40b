//===- CBinding.h - From MPI's Fortran binding to the C binding -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fortran passes every argument of an MPI call by address, handles as integers, and MPI_BOTTOM and the like as
// addresses of common blocks (MPI-5.0, 19.3). The MPI library's Fortran functions convert the arguments and call the C
// binding. Doing that in the program instead means that the rest of Comm sees one binding, and that LLVM sees values.
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_FORTRAN_CBINDING_H
#define COMM_PLUGIN_FORTRAN_CBINDING_H

#include "Comm/MPI/ABI.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace comm {

/// Returns the implementation whose mpif.h the module was compiled with, restricted to the one called `name` unless
/// that is empty. Recognizes it by its common blocks or, where these have been dropped, by conversions of handles.
/// Returns null for other languages and for an unknown mpif.h.
const mpi::ABI *findFortranABI(const llvm::Module &module, llvm::StringRef name);

/// Replaces calls to mpi_send_ and the like by calls to the C binding; calls with requests go through functions that
/// only settleRequests knows. Skips calls with arguments other than numbers, handles, messages and statuses (strings,
/// callbacks, files, windows) and calls that do not match the standard. Returns true if anything changed.
bool callCBinding(llvm::Module &module, const mpi::ABI &abi);

/// Folds conversions of constant numbers to C handles (in Open MPI, MPI_Comm_f2c(0) is MPI_COMM_WORLD) and comparisons
/// with MPI's common blocks that cannot be equal. Returns true if anything changed.
bool foldFortranHandles(llvm::Function &function, const mpi::ABI &abi);

/// Calls the C binding where requests are used; run it after inlining. Variables whose numbers only MPI uses become
/// variables of C handles; elsewhere, numbers are converted before and after each call. Returns true if anything
/// changed.
bool settleRequests(llvm::Module &module, const mpi::ABI &abi);

} // namespace comm

#endif // COMM_PLUGIN_FORTRAN_CBINDING_H
