// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Attributes of communicators and datatypes (MPI-4, 7.7).
#ifndef COMM_RANKS_ATTRIBUTES_H
#define COMM_RANKS_ATTRIBUTES_H

#include "Abi.h"

#include <utility>
#include <vector>

namespace comm::ranks {

/// The values that one handle carries, by keyval, in the order they were set.
struct Attributes {
  std::vector<std::pair<int, void *>> values;
};

/// The copy callbacks at a duplication; an error of one is returned, as an
/// error code of the ABI, and then nothing is left in \p to.
int copyAttributes(ABI_Comm old, const Attributes *from, Attributes *&to);
int copyAttributes(ABI_Datatype old, const Attributes *from, Attributes *&to);

/// The delete callbacks when a handle ends, last set first. An error of one
/// stops it and is returned.
int deleteAttributes(ABI_Comm handle, Attributes *&attributes);
int deleteAttributes(ABI_Datatype handle, Attributes *&attributes);

} // namespace comm::ranks

#endif
