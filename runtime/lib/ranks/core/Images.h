// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The ranks' copies of privatized globals of the program and its libraries.
#ifndef COMM_RANKS_IMAGES_H
#define COMM_RANKS_IMAGES_H

#include "comm/ranks.h"

namespace comm::ranks {

struct Fiber;

/// Reserves \p count copies of \p program and of the loaded libraries, and sets each fiber's displacement. Zero pages,
/// and pages of a large image that a rank only reads, take no memory. Applies fixups. Ends the program if memory runs
/// out.
void makeImages(const comm_ranks_image &program, int count, Fiber *(*fiberOf)(int));

/// Runs the constructors of libraries and the program in the running rank, in initialization order.
void construct();

} // namespace comm::ranks

#endif
