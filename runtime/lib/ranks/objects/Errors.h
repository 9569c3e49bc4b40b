// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Error handlers, classes, codes and strings (MPI-4, 9.3 to 9.5).
#ifndef COMM_RANKS_ERRORS_H
#define COMM_RANKS_ERRORS_H

#include "Abi.h"
#include "objects/Kept.h"

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace comm::ranks {

struct Errhandler : Kept<Errhandler> {
  ABI_Comm_errhandler_function *function = nullptr; // exactly one is set, for the kind of object
  ABI_Win_errhandler_function *window = nullptr;
  ABI_File_errhandler_function *file = nullptr;
  std::atomic<int> references{1};
  InUse inUse;
};

inline Errhandler *errhandlerOf(ABI_Errhandler handle) {
  return reinterpret_cast<uintptr_t>(handle) < 1024 ? nullptr : unlessFreed(reinterpret_cast<Errhandler *>(handle));
}

/// Predefined handlers are constants; the program's are reference-counted.
void retainErrhandler(ABI_Errhandler handle);
void releaseErrhandler(ABI_Errhandler handle);

/// Handles an error according to \p handle: returns it, ends the program with the text, or makes \p call call the
/// program's function. \p where names the object.
int raise(ABI_Errhandler handle, const std::function<void(Errhandler &, int *)> &call, const std::string &where,
          int code, const char *format, va_list arguments);

/// Classes and codes added by the program. All ranks of a process share them, like the threads of an MPI process.
struct AddedErrors {
  std::mutex lock;
  int last = ABI_ERR_LASTCODE;
  std::map<int, int> classOf;
  std::map<int, std::string> text;
};
AddedErrors &addedErrors();
/// Returns the value of MPI_LASTUSEDCODE.
int lastErrorCode();

/// Returns the text of a class or code: "MPI_ERR_RANK: invalid rank".
const char *errorText(int code);

} // namespace comm::ranks

#endif
