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

/// `comm-virtualize-ranks`: MPI_X and PMPI_X become comm_ranks_MPI_X, `main` becomes comm_ranks_main, and each call
/// leaves its source line in comm_ranks_call_site (runtime/include/comm/ranks.h).
///
/// With the path of the runtime's library, a function that it does not define is an error that names the source line;
/// without, the linker finds it.
class VirtualizeRanksPass : public llvm::PassInfoMixin<VirtualizeRanksPass> {
public:
  explicit VirtualizeRanksPass(std::string library = "") : library(std::move(library)) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  /// Also in files that are not optimized.
  static bool isRequired() { return true; }

private:
  std::string library;
};

} // namespace comm

#endif // COMM_PLUGIN_RANKS_VIRTUALIZERANKS_H
