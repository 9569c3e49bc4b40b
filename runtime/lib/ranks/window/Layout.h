// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Where the data of a datatype lie: what another process needs to know of
/// a target's datatype, whose handle says nothing there.
#ifndef COMM_RANKS_LAYOUT_H
#define COMM_RANKS_LAYOUT_H

#include "objects/Datatype.h"

#include <vector>

namespace comm::ranks {

/// `count` elements one after the other.
struct Run {
  int64_t offset; ///< in bytes
  int64_t count;
};

/// Elements of one predefined type, in the order of the type map.
struct Layout {
  std::vector<Run> runs;
  const Datatype *element = nullptr;
};

/// The one predefined datatype that \p type is made of; null if it has several.
Datatype *basicTypeOf(const Datatype *type);

/// The bytes of one element of \p type. Returns an error class.
int runsOf(const Datatype *type, const TypeRuns *&runs);

/// The first \p elements of `count` elements of \p type, as elements of
/// \p element: MPI_BYTE, or the type's basic one. Returns an error class.
int layoutOf(const Datatype *type, int64_t count, const Datatype *element, int64_t elements, Layout &layout);

/// Elements at base + offset to packed data, and back.
void gatherRuns(const char *base, const Run *runs, size_t count, const Datatype *element, char *packed);
void scatterRuns(char *base, const Run *runs, size_t count, const Datatype *element, const char *packed);

} // namespace comm::ranks

#endif
