// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Stacks of fibers: guarded address space that is allocated lazily.
#ifndef COMM_RANKS_STACKS_H
#define COMM_RANKS_STACKS_H

#include <cstddef>

namespace comm::ranks {

struct Fiber;
struct Rank;

/// Reserves \p count stacks of \p bytes in one mapping, guarded at their low ends, and assigns stack i to fiberOf(i).
/// Ends the program if address space runs out.
void makeStacks(int count, size_t bytes, Fiber *(*fiberOf)(int));

/// Creates a stack for a nonblocking collective's fiber.
void makeHelperStack(Fiber *fiber);

/// Returns whether \p address is in or just below the guard of a stack, which indicates an overflow. \p rank is then
/// its rank in this process, or -1 for the fiber of a nonblocking collective.
bool isOverflow(const void *address, int &rank);

/// If guards are not available for all stacks, their low ends hold a pattern that is checked at each switch.
extern bool stacksHaveCanaries;
bool canaryIsBroken(const Fiber *fiber);
void checkCanary(const Fiber *fiber);

} // namespace comm::ranks

#endif
