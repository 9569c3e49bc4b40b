//===- VariableValues.h - All values that a variable can have ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PLUGIN_SOURCES_VARIABLEVALUES_H
#define COMM_LIB_PLUGIN_SOURCES_VARIABLEVALUES_H

#include "ObjectUses.h"

namespace comm {

/// What can be in an integer variable: what the file stores there, and what MPI writes.
struct VariableValues {
  llvm::SmallVector<llvm::StoreInst *, 4> stores;
  /// Functions of MPI that write it, and by which parameters.
  llvm::SmallVector<ObjectUses::Outcome, 4> outcomes;
  /// What it may begin as (where nothing is written on all ways to the load), or be set to with all that is around it,
  /// unless that is undefined.
  llvm::SmallVector<int64_t, 2> numbers;
};

/// MPI tells a rank or a size by that parameter whenever it returns.
bool tellsProcesses(const mpi::Function &function, const mpi::Param &param);

/// The values that the load may give, or none if the variable may also be written by what cannot be seen. The variable
/// is, or is in, one that findObjects knows: a member of a structure that functions get by its address, too.
std::optional<VariableValues> getVariableValues(Objects &objects, const llvm::LoadInst &load);

} // namespace comm

#endif // COMM_LIB_PLUGIN_SOURCES_VARIABLEVALUES_H
