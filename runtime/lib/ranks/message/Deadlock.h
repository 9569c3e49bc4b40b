// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Detects that all ranks wait and nothing is in transit.
#ifndef COMM_RANKS_DEADLOCK_H
#define COMM_RANKS_DEADLOCK_H

namespace comm::ranks {

struct WireHeader;

/// Handles other processes' reports of their state.
void onDeadlockMessage(const WireHeader &header);

} // namespace comm::ranks

#endif
