//===- LoopExits.h - Where loops are left -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_UTILS_LOOPEXITS_H
#define COMM_PLUGIN_UTILS_LOOPEXITS_H

#include "llvm/Analysis/LoopInfo.h"

namespace comm {

/// The only block of the loop that leaves it to go on with the program; null if there are several. Programs that check
/// each call of MPI end where one has failed.
llvm::BasicBlock *getOnlyExit(const llvm::Loop &loop);

} // namespace comm

#endif // COMM_PLUGIN_UTILS_LOOPEXITS_H
