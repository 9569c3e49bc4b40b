//===- RequestMemory.h - Where a program keeps requests ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_PHASES_REQUESTMEMORY_H
#define COMM_ANALYSIS_PHASES_REQUESTMEMORY_H

#include "Comm/Analysis/Phases/Phases.h"

#include <string>

namespace comm {

/// Why the requests of the phase cannot be dropped: "" if each is completed in the phase and nothing else looks at it.
std::string whyRequestsEscape(const Phase &phase);

/// Whether a use of memory that holds requests neither reads them nor lets anybody else do so: its lifetime, values
/// stored into it, and its end.
bool looksAtNoRequest(mlir::OpOperand &use);

/// `MPI_Irecv`: what the program calls.
std::string getMPIDisplayName(mlir::Operation *op);

} // namespace comm

#endif // COMM_ANALYSIS_PHASES_REQUESTMEMORY_H
