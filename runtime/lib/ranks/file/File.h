// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Files (MPI-4, 14).
///
/// Each rank opens the file for itself and reads and writes where its view says,
/// by the operating system's calls: these need no locks between the ranks of a
/// process, which the locks of files do not know. What ranks share, the shared
/// file pointer and the turn in atomic mode, is a window at rank 0.
#ifndef COMM_RANKS_FILE_H
#define COMM_RANKS_FILE_H

#include "file/View.h"
#include "objects/Info.h"
#include "window/Window.h"

#include <string>

namespace comm::ranks {

struct File : Kept<File> {
  Comm *comm = nullptr;     ///< its own, of the same members
  Window *shared = nullptr; ///< one number at rank 0: the shared pointer
  int descriptor = -1;
  int mode = 0;
  bool isAtomic = false;
  InUse inUse;
  std::string name;
  View view;
  int64_t position = 0; ///< in elements of the view
  ABI_Errhandler errhandler = ABI_ERRORS_RETURN;
  Info info;
  /// Of a split collective that has begun: what it calls itself, and what its end says.
  const char *split = nullptr;
  int splitError = 0;
  size_t splitBytes = 0;
};

inline File *fileOf(ABI_File handle) {
  return reinterpret_cast<uintptr_t>(handle) < 1024 ? nullptr : unlessFreed(reinterpret_cast<File *>(handle));
}
inline ABI_File handleOf(File *file) { return reinterpret_cast<ABI_File>(file); }

/// Calls the file's error handler (null: that of MPI_FILE_NULL).
int failAt(File *file, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/// The error class of a code of the operating system.
int classOfSystem(int code);

/// Where a file operation begins.
enum class Start : uint8_t { Given, Own, Shared, Ordered };

/// Opens a file, collectively; what fails for one rank fails for all, with an error class.
int openFile(Comm *c, const char *name, int mode, File *&file);
void closeFile(File *file);

/// Reads into, or writes from, typed memory. Returns an error class, and in
/// \p bytes how many were read or written.
int transfer(File *file, bool writes, Start start, int64_t offset, void *buffer, int64_t count, Datatype *type,
             size_t &bytes);

/// The shared pointer, in elements of the view: adds to it, and returns what it was.
int64_t advanceShared(File *file, int64_t elements);
/// Sets it, collectively.
void setShared(File *file, int64_t elements);
/// The first error class of any rank, the same in all.
int agreeAt(File *file, int error);
/// MPI_Barrier of the file's ranks.
void meetAt(File *file);

#define FILE_OR_FAIL(variable, handle)                                                                                 \
  File *variable = fileOf(handle);                                                                                     \
  if (!variable)                                                                                                       \
  return failAt(nullptr, ABI_ERR_FILE, "invalid file")

} // namespace comm::ranks

#endif
