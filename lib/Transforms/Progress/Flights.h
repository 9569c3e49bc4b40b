//===- Flights.h - What is under way while loops run --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_PROGRESS_FLIGHTS_H
#define COMM_LIB_TRANSFORMS_PROGRESS_FLIGHTS_H

#include "Comm/Analysis/Order/ScopeTree.h"
#include "Comm/Analysis/Requests/RequestFlow.h"
#include "Comm/MPI/ABI.h"

#include <string>

namespace comm {

/// The message of a start: `count` of `datatype`, where all processes give both; null where they do not.
struct Message {
  mlir::Value count, datatype;
};
Message getMessage(MPIOpInterface start);
/// Up to how many bytes it needs no call of MPI.
mpi::UnaidedLimits getUnaidedLimits(MPIOpInterface start, const mpi::ABI &abi);

/// A communication that one unit of a chain starts and a later one completes.
struct Flight {
  MPIOpInterface start;
  /// Units of the chain. The start is somewhere in `begin`.
  unsigned begin, end;
  /// Its request is in memory of the program, and the start may be executed any number of times.
  bool isInMemory;
  /// What the program calls.
  llvm::StringRef name;
  /// Why MPI must not progress meanwhile, for people; "" if it may.
  llvm::StringRef whyNot;
};

/// The communications of a chain that may need MPI to be called. Those whose messages are known to be short are left
/// out, unless `ignoresSizes`.
std::vector<Flight> findFlights(const Chain &chain, RequestFlows &requests, const mpi::ABI &abi, bool ignoresSizes);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_PROGRESS_FLIGHTS_H
