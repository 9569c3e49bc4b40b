// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes that an element of an MPI datatype covers (its type map, MPI-4.0 section 5.1, without the types).

#ifndef COMM_RUNTIME_CHECK_LAYOUT_H
#define COMM_RUNTIME_CHECK_LAYOUT_H

#include "support/Support.h"

#include <mpi.h>

namespace comm::runtime {

/// Bytes [offset, offset + length) of an element, relative to its address.
struct Run {
  MPI_Aint offset;
  MPI_Aint length;
};

/// The bytes of one element, and the distance to the next. Reference-counted, since a type may be freed while its
/// operation is in flight.
struct Layout {
  Array<Run> runs;
  MPI_Aint extent = 0;
  uint32_t references = 0;
};

/// Returns the layout of a type, or null if it cannot be determined, in which case nothing may be assumed. Cached with
/// the type. Must be released with `releaseLayout`.
Layout *acquireLayout(MPI_Datatype type);
void releaseLayout(Layout *layout);

/// Appends the runs of `count` elements from `base` on, merging adjacent runs. Returns false if there are too many.
bool appendElements(const Layout &layout, MPI_Aint base, int64_t count, Array<Run> &runs);

/// Determine the runs of one element: `walkRuns` by walking the type's constructors, `probeRuns` by letting MPI copy an
/// element and inspecting the result. Return false if that is not possible. Exposed for tests, which compare the two.
bool walkRuns(MPI_Datatype type, Array<Run> &runs);
bool probeRuns(MPI_Datatype type, Array<Run> &runs);

} // namespace comm::runtime

#endif // COMM_RUNTIME_CHECK_LAYOUT_H
