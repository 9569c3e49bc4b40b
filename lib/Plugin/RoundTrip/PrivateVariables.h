//===- PrivateVariables.h - Globals that no pointer points to -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PLUGIN_ROUNDTRIP_PRIVATEVARIABLES_H
#define COMM_LIB_PLUGIN_ROUNDTRIP_PRIVATEVARIABLES_H

#include "llvm/IR/GlobalVariable.h"

namespace comm {

/// Whether the variable is only known in its file and, all over the file, it and its elements are only read, written,
/// and passed to functions of MPI that do not keep the address (`static int rank; ... MPI_Comm_rank(comm, &rank)`):
/// then all pointers to it are computed from its name in the function that uses them.
bool isPrivateVariable(const llvm::GlobalVariable &variable);

} // namespace comm

#endif // COMM_LIB_PLUGIN_ROUNDTRIP_PRIVATEVARIABLES_H
