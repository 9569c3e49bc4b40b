// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Files (MPI-4, 14).
///
/// Each rank opens the file separately, and reads and writes according to its view with system calls. Ranks of a
/// process need no file locks among each other, which would not work between them. Shared state, i.e. the shared file
/// pointer and the turn in atomic mode, is in a window at rank 0.
#ifndef COMM_RANKS_FILE_H
#define COMM_RANKS_FILE_H

#include "file/View.h"
#include "objects/Info.h"
#include "window/Window.h"

#include <string>

namespace comm::ranks {

struct File : Kept<File> {
  Comm *comm = nullptr;     ///< private, with the same members
  Window *shared = nullptr; ///< one number at rank 0: the shared file pointer
  int descriptor = -1;
  int mode = 0;
  bool isAtomic = false;
  InUse inUse;
  std::string name;
  View view;
  std::string representation = "native"; ///< as the program called it
  int64_t position = 0;                  ///< in elements of the view
  ABI_Errhandler errhandler = ABI_ERRORS_RETURN;
  Info info;
  /// For a split collective that has begun: its name, and the result that its end returns.
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

void setErrhandler(File *file, ABI_Errhandler handler);

/// Returns the error class of an operating system error.
int classOfSystem(int code);

/// The position at which a file operation begins.
enum class Start : uint8_t { Given, Own, Shared, Ordered };

/// Opens a file collectively; an error of one rank is returned on all, as an error class.
int openFile(Comm *c, const char *name, int mode, File *&file);
void closeFile(File *file);

/// Reads into, or writes from, typed memory. Returns an error class, and in \p bytes the number of bytes moved.
int transfer(File *file, bool writes, Start start, int64_t offset, void *buffer, int64_t count, Datatype *type,
             size_t &bytes);

/// Adds to the shared pointer, in elements of the view, and returns its old value.
int64_t advanceShared(File *file, int64_t elements);
/// Sets the shared pointer, collectively.
void setShared(File *file, int64_t elements);
/// Returns the first error class of any rank, the same in all.
int agreeAt(File *file, int error);
/// Barrier of the file's ranks.
void meetAt(File *file);

#define FILE_OR_FAIL(variable, handle)                                                                                 \
  File *variable = fileOf(handle);                                                                                     \
  if (!variable)                                                                                                       \
  return failAt(nullptr, ABI_ERR_FILE, "invalid file")

} // namespace comm::ranks

#endif
