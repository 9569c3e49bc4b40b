// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Stacks of fibers: address space that is touched lazily, and guarded.
#ifndef COMM_RANKS_STACKS_H
#define COMM_RANKS_STACKS_H

#include <cstddef>

namespace comm::ranks {

struct Fiber;
struct Rank;

/// Reserves \p count stacks of \p bytes in one mapping, guarded at their low
/// ends, and gives stack i to fiberOf(i). Ends the program when there is no
/// address space.
void makeStacks(int count, size_t bytes, Fiber *(*fiberOf)(int));

/// A stack for a nonblocking collective's fiber.
void makeHelperStack(Fiber *fiber);

/// True if \p address is in the guard of a stack or just below one: an
/// overflow. \p rank is then its rank in this process, or -1 for the fiber of
/// a nonblocking collective.
bool isOverflow(const void *address, int &rank);

/// Where neither guard kind can be had for all stacks, their low ends hold a
/// pattern that is compared at each switch.
extern bool stacksHaveCanaries;
bool canaryIsBroken(const Fiber *fiber);
void checkCanary(const Fiber *fiber);

} // namespace comm::ranks

#endif
