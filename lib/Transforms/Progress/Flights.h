//===- Flights.h - What is in flight while loops run ------------*- C++ -*-===//
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

/// The message of a start: `count` elements of `datatype` if all processes specify both, otherwise null.
struct Message {
  mlir::Value count, datatype;
};
Message getMessage(MPIOpInterface start);
/// Returns the message sizes in bytes up to which it needs no further MPI calls.
mpi::UnaidedLimits getUnaidedLimits(MPIOpInterface start, const mpi::ABI &abi);

/// A communication that one unit of a chain starts and a later one completes.
struct Flight {
  MPIOpInterface start;
  /// Units of the chain; `begin` contains the start. Loops may call MPI after `helpedFrom`.
  unsigned begin, helpedFrom, end;
  /// The request is in memory of the program, and the start may be executed any number of times.
  bool isInMemory;
  /// The MPI function that the program calls.
  llvm::StringRef name;
  /// Explains to users why MPI must not progress meanwhile, or "" if it may.
  llvm::StringRef whyNot;
};

/// Returns the communications of a chain that may need MPI calls to progress. Messages that are known to be short are
/// left out, unless `ignoresSizes`.
std::vector<Flight> findFlights(const Chain &chain, RequestFlows &requests, const mpi::ABI &abi, bool ignoresSizes);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_PROGRESS_FLIGHTS_H
