//===- UniformCollectives.h - Collectives that match each other ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_COLLECTIVES_UNIFORMCOLLECTIVES_H
#define COMM_PLUGIN_COLLECTIVES_UNIFORMCOLLECTIVES_H

#include <functional>

namespace llvm {
class CallBase;
class Module;
} // namespace llvm

namespace comm {
class CallProfile;
class OverlapCode;
namespace mpi {
class ABI;
} // namespace mpi

struct UniformOptions {
  /// The program promises that all ranks call each collective at the same place: blocking calls stay as they are.
  bool isPromised = false;
  /// Start nonblocking forms whatever they cost.
  bool ignoresCosts = false;
  /// What was measured of calls, and the implementation whose costs count; null if not known.
  const CallProfile *profile = nullptr;
  const mpi::ABI *abi = nullptr;
  /// Told of starts of collectives that the program is better without, and whether that was measured.
  std::function<void(const llvm::CallBase &start, bool isMeasured)> tell;
};

/// Makes all calls of one collective on one communicator blocking, or all of them nonblocking.
///
/// Blocking and nonblocking collectives never match each other (MPI-4, 6.12): if one process calls MPI_Bcast and
/// another MPI_Ibcast for the same operation, both wait forever. Ranks may make the calls of one collective at
/// different places, in different files and even in different programs, so one place must not decide alone. Blocking
/// calls that are left, and uses of such a function's address, go to a function that asks what the starts ask that Comm
/// made (`code`, which is then to be linked), also by their PMPI names. Calls that cannot ask, as those of Fortran,
/// keep the function blocking in the whole program.
///
/// Returns true if anything changed.
bool makeCollectivesUniform(llvm::Module &module, OverlapCode &code, const UniformOptions &options);

/// Makes all starts of collectives nonblocking, for an implementation where both forms match (Comm's ranks). Returns
/// true if anything changed.
bool startAllCollectives(llvm::Module &module);

} // namespace comm

#endif // COMM_PLUGIN_COLLECTIVES_UNIFORMCOLLECTIVES_H
