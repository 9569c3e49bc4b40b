// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Finds that all ranks wait and nothing is under way.
#ifndef COMM_RANKS_DEADLOCK_H
#define COMM_RANKS_DEADLOCK_H

namespace comm::ranks {

struct WireHeader;

/// What other processes say of their state.
void onDeadlockMessage(const WireHeader &header);

} // namespace comm::ranks

#endif
