// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AddressSanitizer's interface, where the program is built with it.

#ifndef COMM_RUNTIME_CHECK_ASAN_H
#define COMM_RUNTIME_CHECK_ASAN_H

#include <stddef.h>
#include <stdint.h>

namespace comm::runtime {

/// True if the program is built with -fsanitize=address.
bool hasAsan();

/// Makes AddressSanitizer call `explain` after each of its reports, with the
/// address that was accessed.
void explainAsanReports(void (*explain)(uintptr_t address));

/// Accesses by instrumented code to [begin, begin + size) become errors.
/// AddressSanitizer keeps one shadow byte for each aligned 8 bytes, which can
/// say "the first k bytes are addressable" and nothing else. So bytes at the
/// end of the region that share their 8 bytes with addressable memory after
/// the region stay unpoisoned (at most 7, false negatives); memory outside
/// the region is never poisoned.
void poison(uintptr_t begin, size_t size);

/// Undoes `poison`; may also unpoison up to 7 bytes before `begin`.
void unpoison(uintptr_t begin, size_t size);

/// True if any byte of the region is poisoned.
bool isPoisoned(uintptr_t begin, size_t size);

/// True if the address is in memory that was given back by free or delete.
bool isFreed(uintptr_t address);

/// True if the address is in a local variable whose function returned (and
/// AddressSanitizer detects that: detect_stack_use_after_return) or whose
/// block ended.
bool isOutOfScope(uintptr_t address);

} // namespace comm::runtime

#endif // COMM_RUNTIME_CHECK_ASAN_H
