// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the checker says, and what happens then.

#ifndef COMM_RUNTIME_CHECK_DIAGNOSTICS_H
#define COMM_RUNTIME_CHECK_DIAGNOSTICS_H

#include "check/InFlight.h"

namespace comm::runtime {

/// The program changed a buffer that MPI reads; [first, last] are offsets
/// from the buffer's address.
void reportChanged(const Buffer &buffer, int64_t first, int64_t last);

/// The buffer's memory ended its life before the wait: it "was freed" or
/// "went out of scope".
void reportGone(const Buffer &buffer, const char *how);

/// A buffer was given to a second operation, which conflicts with the first.
void reportOverlap(const Buffer &started, const Buffer &inFlight);

/// A buffer that MPI reads holds memory that was freed or never allocated.
void reportUnaddressable(const Buffer &buffer);

/// Adds to AddressSanitizer's report whose memory it is about.
void explainInFlight(const Buffer &buffer, uintptr_t address);

/// Counts an illegal access that was reported; unless COMM_CHECK_CONTINUE is
/// set, ends all ranks with COMM_CHECK_EXIT_CODE. Call it without locks held.
void failOrContinue();

/// With COMM_CHECK_VERBOSE: why a buffer is not checked. Once for each
/// reason that is given as a different literal.
void noteUnchecked(const comm_check_site *site, const char *reason);

} // namespace comm::runtime

#endif // COMM_RUNTIME_CHECK_DIAGNOSTICS_H
