// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Each rank's copy of the program's privatized globals.
#ifndef COMM_RANKS_IMAGES_H
#define COMM_RANKS_IMAGES_H

#include "comm/ranks.h"

namespace comm::ranks {

struct Fiber;

/// Reserves \p count copies of \p image and sets each fiber's displacement.
/// Pages that are zero, and those of a large image that a rank only reads, take
/// no memory. Fixups are applied. Ends the program when there is no memory.
void makeImages(const comm_ranks_image &image, int count, Fiber *(*fiberOf)(int));

} // namespace comm::ranks

#endif
