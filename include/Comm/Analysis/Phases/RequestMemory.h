//===- RequestMemory.h - Memory for requests --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_PHASES_REQUESTMEMORY_H
#define COMM_ANALYSIS_PHASES_REQUESTMEMORY_H

#include "Comm/Analysis/Phases/Phases.h"

#include <string>

namespace comm {

/// Returns why the requests of the phase cannot be dropped; "" if each is completed in the phase and not used
/// elsewhere.
std::string whyRequestsEscape(const Phase &phase);

/// Whether a use of memory that holds requests neither reads them nor exposes them: a lifetime marker, a store of
/// values into it, or its deallocation.
bool looksAtNoRequest(mlir::OpOperand &use);

/// Returns the name of the MPI function as the program calls it: `MPI_Irecv`.
std::string getMPIDisplayName(mlir::Operation *op);

} // namespace comm

#endif // COMM_ANALYSIS_PHASES_REQUESTMEMORY_H
