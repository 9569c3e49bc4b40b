// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Attributes of communicators and datatypes (MPI-4, 7.7).
#ifndef COMM_RANKS_ATTRIBUTES_H
#define COMM_RANKS_ATTRIBUTES_H

#include "Abi.h"

#include <utility>
#include <vector>

namespace comm::ranks {

/// The attribute values of a handle, by keyval, in the order in which they were set.
struct Attributes {
  std::vector<std::pair<int, void *>> values;
};

/// Calls the copy callbacks of a duplication. If one fails, returns its error as an error code of the ABI, and leaves
/// \p to empty.
int copyAttributes(ABI_Comm old, const Attributes *from, Attributes *&to);
int copyAttributes(ABI_Datatype old, const Attributes *from, Attributes *&to);

/// Calls the delete callbacks when a handle is freed, last set first. Stops at an error and returns it.
int deleteAttributes(ABI_Comm handle, Attributes *&attributes);
int deleteAttributes(ABI_Datatype handle, Attributes *&attributes);

} // namespace comm::ranks

#endif
