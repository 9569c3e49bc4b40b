//===- VirtualizeRanks.h - Calls of MPI by user-level ranks --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_RANKS_VIRTUALIZERANKS_H
#define COMM_PLUGIN_RANKS_VIRTUALIZERANKS_H

#include "llvm/IR/PassManager.h"

#include <string>

namespace comm {

/// `comm-virtualize-ranks`: renames MPI_X and PMPI_X to comm_ranks_MPI_X and `main` to comm_ranks_main, and makes each
/// call store its source line in comm_ranks_call_site (runtime/include/comm/ranks.h).
///
/// Given the path of the runtime library, the pass reports functions that the library does not define, with their
/// source lines. Otherwise they are link errors.
class VirtualizeRanksPass : public llvm::PassInfoMixin<VirtualizeRanksPass> {
public:
  explicit VirtualizeRanksPass(std::string library = "") : library(std::move(library)) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  /// Runs in unoptimized files, too.
  static bool isRequired() { return true; }

private:
  std::string library;
};

} // namespace comm

#endif // COMM_PLUGIN_RANKS_VIRTUALIZERANKS_H
