//===- UniformCollectives.h - Collectives that match each other ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TARGET_LLVMIR_UNIFORMCOLLECTIVES_H
#define COMM_TARGET_LLVMIR_UNIFORMCOLLECTIVES_H

namespace llvm {
class Module;
} // namespace llvm

namespace comm {

/// Makes every blocking collective that the module still calls a nonblocking one that is waited for at once.
///
/// Blocking and nonblocking collectives never match each other (MPI-4, 6.12): if one process calls MPI_Bcast and
/// another MPI_Ibcast for the same operation, both wait for ever. Ranks may make the calls of one collective at
/// different places, in different files even (a master and its workers), so one place must not decide alone: all are
/// nonblocking. Calls, and uses of the function's address, go to a function of the module that starts and waits.
/// Returns true if anything changed.
bool makeCollectivesNonblocking(llvm::Module &module);

} // namespace comm

#endif // COMM_TARGET_LLVMIR_UNIFORMCOLLECTIVES_H
