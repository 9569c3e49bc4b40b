// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AddressSanitizer's interface, if the program is built with it.

#ifndef COMM_RUNTIME_CHECK_ASAN_H
#define COMM_RUNTIME_CHECK_ASAN_H

#include <stddef.h>
#include <stdint.h>

namespace comm::runtime {

/// Returns whether the program is built with -fsanitize=address.
bool hasAsan();

/// Makes AddressSanitizer call `explain` after each report, with the accessed address.
void explainAsanReports(void (*explain)(uintptr_t address));

/// Makes accesses by instrumented code to [begin, begin + size) errors. AddressSanitizer's shadow byte for 8 aligned
/// bytes can only express "the first k bytes are addressable". Up to 7 bytes at the end of the region that share such a
/// group with addressable memory therefore stay unpoisoned (false negatives); memory outside the region is never
/// poisoned.
void poison(uintptr_t begin, size_t size);

/// Undoes `poison`; may also unpoison up to 7 bytes before `begin`.
void unpoison(uintptr_t begin, size_t size);

/// Returns whether any byte of the region is poisoned.
bool isPoisoned(uintptr_t begin, size_t size);

/// Returns whether the address is in memory that was released with free or delete.
bool isFreed(uintptr_t address);

/// Returns whether the address is in a local variable whose block ended or whose function returned (if AddressSanitizer
/// detects that: detect_stack_use_after_return).
bool isOutOfScope(uintptr_t address);

} // namespace comm::runtime

#endif // COMM_RUNTIME_CHECK_ASAN_H
