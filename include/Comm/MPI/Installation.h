//===- Installation.h - The installed MPI -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_MPI_INSTALLATION_H
#define COMM_MPI_INSTALLATION_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace comm::mpi {

/// Returns the name of the implementation (ABI::all()) that this user's programs are built with: the one in COMM_ABI,
/// or else the one that mpi.h identifies in the folders of the compiler wrapper, which is COMM_MPICC or the first mpicc
/// on the path. Empty if there is none, or if it has no binding.
std::string findInstalledABI();

/// Returns the name of the implementation with this text of mpi.h; empty if unknown.
llvm::StringRef identifyHeader(llvm::StringRef text);

} // namespace comm::mpi

#endif // COMM_MPI_INSTALLATION_H
