//===- SideChannels.h - Communication without MPI ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_SOURCES_SIDECHANNELS_H
#define COMM_PLUGIN_SOURCES_SIDECHANNELS_H

namespace llvm {
class Module;
class User;
} // namespace llvm

namespace comm {

/// Returns something by which a process may learn about another process of this program other than by MPI messages and
/// collectives, or null. The candidates are: a module without main, which is only part of a program; a call to another
/// file; a library function that may write a file, create a thread, start a process or map memory (LibraryFunctions.def
/// lists those that do not); MPI windows and files; and output whose order relative to another process's output may
/// matter, i.e. all output that the end of the program does not follow and that more than one process may write (not
/// `if (rank == 0)`).
const llvm::User *findSideChannel(llvm::Module &module);

/// Returns a call that maps memory which other processes may map, too, or null. A message may then signal that
/// something was written there.
const llvm::User *findSharedMemory(llvm::Module &module);

} // namespace comm

#endif // COMM_PLUGIN_SOURCES_SIDECHANNELS_H
