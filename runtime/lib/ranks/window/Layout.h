// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The memory layout of a datatype, which is sent to other processes because a target datatype's handle means
/// nothing there.
#ifndef COMM_RANKS_LAYOUT_H
#define COMM_RANKS_LAYOUT_H

#include "objects/Datatype.h"

#include <vector>

namespace comm::ranks {

/// `count` contiguous elements.
struct Run {
  int64_t offset; ///< in bytes
  int64_t count;
};

/// Elements of one predefined type, in the order of the type map.
struct Layout {
  std::vector<Run> runs;
  const Datatype *element = nullptr;
};

/// Returns the only predefined datatype that \p type consists of; null if there are several.
Datatype *basicTypeOf(const Datatype *type);

/// Returns the bytes of one element of \p type in \p runs. The result is an error class.
int runsOf(const Datatype *type, const TypeRuns *&runs);

/// Returns the first \p elements of `count` elements of \p type, as elements of \p element: MPI_BYTE, or the type's
/// basic type. The result is an error class.
int layoutOf(const Datatype *type, int64_t count, const Datatype *element, int64_t elements, Layout &layout);

/// Pack elements at base + offset, and unpack them.
void gatherRuns(const char *base, const Run *runs, size_t count, const Datatype *element, char *packed);
void scatterRuns(char *base, const Run *runs, size_t count, const Datatype *element, const char *packed);

} // namespace comm::ranks

#endif
