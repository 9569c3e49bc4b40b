//===- UniformCollectives.h - Collectives that match ------------*- C++ -*-===//
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
  /// The program promises that all ranks call each collective at the same place: blocking calls stay unchanged.
  bool isPromised = false;
  /// Start nonblocking forms regardless of their cost.
  bool ignoresCosts = false;
  /// Measurements of calls, and the implementation whose costs apply; null if not known.
  const CallProfile *profile = nullptr;
  const mpi::ABI *abi = nullptr;
  /// Called for each start of a collective that does not pay off, with whether that was measured.
  std::function<void(const llvm::CallBase &start, bool isMeasured)> tell;
};

/// Makes all calls of a collective on a communicator either blocking or nonblocking.
///
/// Blocking and nonblocking collectives never match each other (MPI-4, 6.12): if one process calls MPI_Bcast and
/// another MPI_Ibcast for the same operation, both wait forever. Ranks may call the same collective at different
/// places, in different files and even in different programs, so no place can decide alone. The remaining blocking
/// calls, PMPI names included, and uses of such a function's address are redirected to a function that evaluates the
/// same condition as the starts that Comm inserted; `code` must then be linked. If a call cannot be redirected, such as
/// one from Fortran, the collective stays blocking in the whole program.
///
/// Returns true if anything changed.
bool makeCollectivesUniform(llvm::Module &module, OverlapCode &code, const UniformOptions &options);

/// Makes all starts of collectives nonblocking, for implementations in which the two forms match (Comm's ranks).
/// Returns true if anything changed.
bool startAllCollectives(llvm::Module &module);

} // namespace comm

#endif // COMM_PLUGIN_COLLECTIVES_UNIFORMCOLLECTIVES_H
