//===- VariableValues.h - All values of a variable --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PLUGIN_SOURCES_VARIABLEVALUES_H
#define COMM_LIB_PLUGIN_SOURCES_VARIABLEVALUES_H

#include "ObjectUses.h"

namespace comm {

/// The possible contents of an integer variable: what the file stores there and what MPI writes.
struct VariableValues {
  llvm::SmallVector<llvm::StoreInst *, 4> stores;
  /// MPI functions that write it, with the parameter.
  llvm::SmallVector<ObjectUses::Outcome, 4> outcomes;
  /// Its initial value (unless it is written on all paths to the load), and values that memory intrinsics set;
  /// undefined ones are omitted.
  llvm::SmallVector<int64_t, 2> numbers;
};

/// Returns whether MPI stores a rank or a size through that parameter whenever it returns.
bool tellsProcesses(const mpi::Function &function, const mpi::Param &param);

/// Returns the possible values of the load, or nullopt if something unseen may also write the variable. The variable
/// is, or is part of, an object that findObjects knows, such as a structure that functions receive by address.
std::optional<VariableValues> getVariableValues(Objects &objects, const llvm::LoadInst &load);

} // namespace comm

#endif // COMM_LIB_PLUGIN_SOURCES_VARIABLEVALUES_H
