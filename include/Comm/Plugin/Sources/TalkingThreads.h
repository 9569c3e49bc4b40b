//===- TalkingThreads.h - Whether several threads call MPI --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_SOURCES_TALKINGTHREADS_H
#define COMM_PLUGIN_SOURCES_TALKINGTHREADS_H

namespace llvm {
class Module;
} // namespace llvm

namespace comm {

/// Returns whether the module may request a thread support level at which threads other than the main thread call MPI
/// (MPI-4, 11.6.2): MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE, or an unknown level.
bool mayHaveTalkingThreads(const llvm::Module &module);

} // namespace comm

#endif // COMM_PLUGIN_SOURCES_TALKINGTHREADS_H
