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

/// Whether the module may ask for a level of thread support with which others than the main thread call MPI
/// (MPI-4, 11.6.2): MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE, or a level that is not known.
bool mayHaveTalkingThreads(const llvm::Module &module);

} // namespace comm

#endif // COMM_PLUGIN_SOURCES_TALKINGTHREADS_H
