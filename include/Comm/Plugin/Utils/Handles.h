//===- Handles.h - Predefined handles in LLVM IR ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_UTILS_HANDLES_H
#define COMM_PLUGIN_UTILS_HANDLES_H

#include "Comm/MPI/ABI.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class Value;
} // namespace llvm

namespace comm {

/// Returns whether the value is a predefined handle (MPI_DOUBLE) whose name in some implementation satisfies `matches`.
bool isHandle(const llvm::Value &value, mpi::HandleClass handleClass,
              llvm::function_ref<bool(llvm::StringRef, const mpi::ABI &)> matches);

} // namespace comm

#endif // COMM_PLUGIN_UTILS_HANDLES_H
