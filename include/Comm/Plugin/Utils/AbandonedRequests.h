//===- AbandonedRequests.h - Messages never waited for ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_UTILS_ABANDONEDREQUESTS_H
#define COMM_PLUGIN_UTILS_ABANDONEDREQUESTS_H

namespace llvm {
class CallBase;
class Module;
} // namespace llvm

namespace comm {

/// Returns a call to MPI_Request_free for a request that may be active, or null. MPI continues the operation (MPI-4,
/// 3.7.3), and the program learns from another message when it may reuse the buffer, so any completion may be that
/// signal. A request counts as inactive if its memory is used for persistent requests only and all paths from a start
/// to the call pass through a completion.
const llvm::CallBase *findAbandonedRequest(const llvm::Module &module);

} // namespace comm

#endif // COMM_PLUGIN_UTILS_ABANDONEDREQUESTS_H
