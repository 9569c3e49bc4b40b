//===- PrivateVariables.h - Globals that no pointer points to -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PLUGIN_ROUNDTRIP_PRIVATEVARIABLES_H
#define COMM_LIB_PLUGIN_ROUNDTRIP_PRIVATEVARIABLES_H

#include "llvm/IR/GlobalVariable.h"

namespace comm {

/// Returns whether the variable is local to its file and the file only reads and writes it and its elements and passes
/// them to MPI functions that do not capture the address (`static int rank; ... MPI_Comm_rank(comm, &rank)`). All
/// pointers to it are then computed from its name in the function that uses them.
bool isPrivateVariable(const llvm::GlobalVariable &variable);

} // namespace comm

#endif // COMM_LIB_PLUGIN_ROUNDTRIP_PRIVATEVARIABLES_H
