//===- SideChannels.h - How processes hear of each other --------*- C++ -*-===//
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

/// What may tell a process of another one that runs this program otherwise than by messages and collectives of MPI;
/// null if nothing does. That is a module without main, which is a part of a program; a call of another file; a
/// function of a library that may write a file, make a thread, start a process or map memory (LibraryFunctions.def
/// lists those that do not); windows and files of MPI; and output whose order with that of another process somebody may
/// look at: all that the end of the program does not follow, and that more than one process may write (not `if (rank ==
/// 0)`).
const llvm::User *findSideChannel(llvm::Module &module);

/// A call that maps memory which other processes may map, too; null if the file has none. A message may then tell that
/// something was written there.
const llvm::User *findSharedMemory(llvm::Module &module);

} // namespace comm

#endif // COMM_PLUGIN_SOURCES_SIDECHANNELS_H
