// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Each rank's copies of the privatized globals of the program and its
/// libraries.
#ifndef COMM_RANKS_IMAGES_H
#define COMM_RANKS_IMAGES_H

#include "comm/ranks.h"

namespace comm::ranks {

struct Fiber;

/// Reserves \p count copies of \p program and of the libraries that are loaded,
/// and sets each fiber's displacement. Pages that are zero, and those of a large
/// image that a rank only reads, take no memory. Fixups are applied. Ends the
/// program when there is no memory.
void makeImages(const comm_ranks_image &program, int count, Fiber *(*fiberOf)(int));

/// Runs the constructors of libraries and program in the running rank, in the
/// order of their initialization.
void construct();

} // namespace comm::ranks

#endif
