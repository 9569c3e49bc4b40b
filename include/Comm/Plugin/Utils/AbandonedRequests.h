//===- AbandonedRequests.h - Messages that nobody waits for --------*- C++ -*-===//
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

/// A call of MPI_Request_free for a request that may be active, or null. MPI goes on with the operation (MPI-4, 3.7.3),
/// and the program learns by another message when it may use the buffer again: any completion may tell it. Requests are
/// taken to be inactive where their memory is used for persistent ones alone, and all ways from a start to the call
/// lead through a completion.
const llvm::CallBase *findAbandonedRequest(const llvm::Module &module);

} // namespace comm

#endif // COMM_PLUGIN_UTILS_ABANDONEDREQUESTS_H
