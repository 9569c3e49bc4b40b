// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Finds that all ranks wait and nothing is under way.
#ifndef COMM_RANKS_DEADLOCK_H
#define COMM_RANKS_DEADLOCK_H

namespace comm::ranks {

struct Thread;
struct WireHeader;

/// Called by an idle thread. True if all threads of this process are idle and
/// no parcel is under way between them; if no other process can send anything
/// either, reports what each rank waits for and ends the program.
bool checkForDeadlock();

/// What other processes say of their state.
void onDeadlockMessage(const WireHeader &header);

} // namespace comm::ranks

#endif
