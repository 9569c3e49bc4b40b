//===- Installation.h - The MPI that a machine has --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_MPI_INSTALLATION_H
#define COMM_MPI_INSTALLATION_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace comm::mpi {

/// The name of the implementation (ABI::all()) that programs of this user are built with: what COMM_ABI says, else what
/// mpi.h says in the folders that the compiler wrapper names, which is COMM_MPICC or the first mpicc on the path. Empty
/// if there is none, or one without a binding.
std::string findInstalledABI();

/// The name of the implementation with that text of mpi.h; empty if it is none that is known.
llvm::StringRef identifyHeader(llvm::StringRef text);

} // namespace comm::mpi

#endif // COMM_MPI_INSTALLATION_H
