//===- HandleConstants.h - Predefined handles in LLVM IR --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_UTILS_HANDLECONSTANTS_H
#define COMM_PLUGIN_UTILS_HANDLECONSTANTS_H

#include "Comm/MPI/ABI.h"

#include "llvm/IR/Module.h"

namespace comm {

/// The handle of that name as C programs spell it: MPI_REQUEST_NULL. Null if the implementation has no such handle.
llvm::Constant *getPredefinedHandle(llvm::Module &module, const mpi::ABI &abi, llvm::StringRef name);

} // namespace comm

#endif // COMM_PLUGIN_UTILS_HANDLECONSTANTS_H
