//===- VariableValues.h - All values that a variable can have ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PLUGIN_SOURCES_VARIABLEVALUES_H
#define COMM_LIB_PLUGIN_SOURCES_VARIABLEVALUES_H

#include "Comm/MPI/Standard.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace llvm {
class LoadInst;
class StoreInst;
} // namespace llvm

namespace comm {

/// What can be in an integer variable: what the file stores there, and what MPI writes.
struct VariableValues {
  llvm::SmallVector<llvm::StoreInst *, 4> stores;
  /// Functions of MPI that write it, and by which parameters.
  llvm::SmallVector<std::pair<const mpi::Function *, const mpi::Param *>, 4> outcomes;
  /// It begins as this number; none if what it begins as is undefined.
  std::optional<int64_t> initial;
};

/// The values that the load may give, or none if the variable may also be written by what cannot be seen. The variable
/// is a local one, or a global one that only this file knows, or a constant part of it.
std::optional<VariableValues> getVariableValues(const llvm::LoadInst &load);

} // namespace comm

#endif // COMM_LIB_PLUGIN_SOURCES_VARIABLEVALUES_H
