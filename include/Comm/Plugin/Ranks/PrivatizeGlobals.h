//===- PrivatizeGlobals.h - Variables of user-level MPI ranks ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_RANKS_PRIVATIZEGLOBALS_H
#define COMM_PLUGIN_RANKS_PRIVATIZEGLOBALS_H

#include "llvm/IR/PassManager.h"

namespace comm {

/// `comm-privatize-globals`: each MPI rank gets its own copy of the variables that rank code may write, although all
/// ranks of a process share one address space (TinyMPI, section 3; runtime/include/comm/ranks.h has the contract).
///
/// A variable keeps its address and its initial value in the program's image; code adds the displacement of the running
/// rank to the address. The linker joins tables of whatever else the image needs: pointers to displaced variables in
/// initial values, and constructors. Files are compiled separately, so whether a variable of another file or library is
/// displaced is determined from its address at program start and kept in a mask for the displacement. See
/// docs/ranks-compiler.md.
///
/// Functions of the C library with hidden state are replaced by those of libCommRanksStart.a where possible; the pass
/// warns about the others.
class PrivatizeGlobalsPass : public llvm::PassInfoMixin<PrivatizeGlobalsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  /// Runs in unoptimized files, too.
  static bool isRequired() { return true; }
};

} // namespace comm

#endif // COMM_PLUGIN_RANKS_PRIVATIZEGLOBALS_H
