//===- RequestMemory.h - Where requests of a phase are kept -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_REQUESTMEMORY_H
#define COMM_LIB_ANALYSIS_REQUESTMEMORY_H

#include "Comm/Analysis/Phases.h"

#include <string>

namespace comm {

/// Why the requests of the phase cannot be dropped: "" if each is completed in the phase and nothing else looks at it.
std::string whyRequestsEscape(const Phase &phase);

/// `MPI_Irecv`: what the program calls.
std::string getMPIDisplayName(mlir::Operation *op);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_REQUESTMEMORY_H
