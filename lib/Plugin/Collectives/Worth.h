//===- Worth.h - Which collectives gain by being started ----------*- C++ -*-===//
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

/// A collective that is better blocking in all of the program.
struct UselessStarts {
  llvm::StringRef collective;
  /// One of its starts.
  const llvm::CallBase *start;
  /// By a profile, and not by loops.
  bool isMeasured;
};

/// All calls of a collective are blocking or nonblocking together, and those that overlap nothing pay for the
/// nonblocking form: Open MPI's MPI_Iallreduce sends twice as many messages one after the other as its MPI_Allreduce.
/// Of the collectives that this file starts, these are called in loops as deep without anything to overlap, or started
/// only where the program comes once. Where all calls of one were measured (`profile` and `abi` may be null), what its
/// starts can save, against what all of its calls pay.
llvm::SmallVector<UselessStarts> findUselessStarts(llvm::Module &module, const CallProfile *profile,
                                                   const mpi::ABI *abi);

} // namespace comm

#endif // COMM_LIB_PLUGIN_COLLECTIVES_WORTH_H
