//===- Worth.h - Which collectives profit from starts -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PLUGIN_COLLECTIVES_WORTH_H
#define COMM_LIB_PLUGIN_COLLECTIVES_WORTH_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallBase;
class Module;
} // namespace llvm

namespace comm {
class CallProfile;
namespace mpi {
class ABI;
} // namespace mpi

/// A collective that is faster if it is blocking in the whole program.
struct UselessStarts {
  llvm::StringRef collective;
  /// One of its starts.
  const llvm::CallBase *start;
  /// Known from a profile, not from loop depths.
  bool isMeasured;
};

/// Returns the collectives that are not worth starting. All calls of a collective are blocking or nonblocking together,
/// and those that overlap nothing pay for the nonblocking form: Open MPI's MPI_Iallreduce sends twice as many messages
/// in sequence as its MPI_Allreduce. Without measurements, a collective is returned if calls without anything to
/// overlap are in loops as deep as the starts, or if the starts execute only once. If all calls were measured
/// (`profile` and `abi` may be null), the savings of the starts are compared with the cost of all calls.
llvm::SmallVector<UselessStarts> findUselessStarts(llvm::Module &module, const CallProfile *profile,
                                                   const mpi::ABI *abi);

} // namespace comm

#endif // COMM_LIB_PLUGIN_COLLECTIVES_WORTH_H
