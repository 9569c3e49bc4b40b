// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checker's reports and their consequences.

#ifndef COMM_RUNTIME_CHECK_DIAGNOSTICS_H
#define COMM_RUNTIME_CHECK_DIAGNOSTICS_H

#include "check/InFlight.h"

namespace comm::runtime {

/// The program changed a buffer that MPI reads; [first, last] are offsets from the buffer's address.
void reportChanged(const Buffer &buffer, int64_t first, int64_t last);

/// The buffer's memory went away before the wait: it "was freed" or "went out of scope".
void reportGone(const Buffer &buffer, const char *how);

/// A second operation received a buffer that conflicts with the first.
void reportOverlap(const Buffer &started, const Buffer &inFlight);

/// A buffer that MPI reads holds memory that was freed or never allocated.
void reportUnaddressable(const Buffer &buffer);

/// Adds to AddressSanitizer's report which operation uses the memory.
void explainInFlight(const Buffer &buffer, uintptr_t address);

/// Counts a reported illegal access; unless COMM_CHECK_CONTINUE is set, ends all ranks with COMM_CHECK_EXIT_CODE. Must
/// be called without locks.
void failOrContinue();

/// With COMM_CHECK_VERBOSE, prints why a buffer is not checked, once for each string literal passed as a reason.
void noteUnchecked(const comm_check_site *site, const char *reason);

} // namespace comm::runtime

#endif // COMM_RUNTIME_CHECK_DIAGNOSTICS_H
