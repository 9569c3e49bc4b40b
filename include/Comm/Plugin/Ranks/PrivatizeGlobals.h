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
/// A variable keeps its address and its initial value in the program's image. Code adds the displacement of the running
/// rank to the address. What else the image needs goes into tables that the linker joins: pointers to displaced
/// variables in initial values, constructors. Files are compiled one by one; whether a variable of another file or
/// library is one of these is found out when the program starts, from its address, and kept in a mask for the
/// displacement. docs/ranks-compiler.md says the rest.
///
/// Functions of the C library that keep state that the program does not see become those of libCommRanksStart.a where
/// that is possible; the others are named in warnings.
class PrivatizeGlobalsPass : public llvm::PassInfoMixin<PrivatizeGlobalsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  /// Also in files that are not optimized.
  static bool isRequired() { return true; }
};

} // namespace comm

#endif // COMM_PLUGIN_RANKS_PRIVATIZEGLOBALS_H
