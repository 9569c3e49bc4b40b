// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects/Errors.h"
#include "core/Entry.h"
#include "objects/Communicator.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace comm::ranks {

void retainErrhandler(ABI_Errhandler handle) {
  if (Errhandler *handler = errhandlerOf(handle))
    handler->references.fetch_add(1);
}

void releaseErrhandler(ABI_Errhandler handle) {
  Errhandler *handler = errhandlerOf(handle);
  if (handler && handler->references.fetch_sub(1) == 1)
    delete handler;
}

// The texts describe the classes (MPI-4, table 9.4).
static const std::pair<int, const char *> texts[] = {
    {ABI_SUCCESS, "MPI_SUCCESS: no error"},
    {ABI_ERR_BUFFER, "MPI_ERR_BUFFER: invalid buffer pointer"},
    {ABI_ERR_COUNT, "MPI_ERR_COUNT: invalid count"},
    {ABI_ERR_TYPE, "MPI_ERR_TYPE: invalid datatype"},
    {ABI_ERR_TAG, "MPI_ERR_TAG: invalid tag"},
    {ABI_ERR_COMM, "MPI_ERR_COMM: invalid communicator"},
    {ABI_ERR_RANK, "MPI_ERR_RANK: invalid rank"},
    {ABI_ERR_REQUEST, "MPI_ERR_REQUEST: invalid request"},
    {ABI_ERR_ROOT, "MPI_ERR_ROOT: invalid root"},
    {ABI_ERR_GROUP, "MPI_ERR_GROUP: invalid group"},
    {ABI_ERR_OP, "MPI_ERR_OP: invalid reduction operation"},
    {ABI_ERR_TOPOLOGY, "MPI_ERR_TOPOLOGY: invalid topology"},
    {ABI_ERR_DIMS, "MPI_ERR_DIMS: invalid dimension argument"},
    {ABI_ERR_ARG, "MPI_ERR_ARG: invalid argument"},
    {ABI_ERR_UNKNOWN, "MPI_ERR_UNKNOWN: unknown error"},
    {ABI_ERR_TRUNCATE, "MPI_ERR_TRUNCATE: message truncated"},
    {ABI_ERR_OTHER, "MPI_ERR_OTHER: known error not in this list"},
    {ABI_ERR_INTERN, "MPI_ERR_INTERN: internal error"},
    {ABI_ERR_PENDING, "MPI_ERR_PENDING: pending request"},
    {ABI_ERR_IN_STATUS, "MPI_ERR_IN_STATUS: error code is in status"},
    {ABI_ERR_KEYVAL, "MPI_ERR_KEYVAL: invalid keyval"},
    {ABI_ERR_NO_MEM, "MPI_ERR_NO_MEM: out of memory"},
    {ABI_ERR_INFO, "MPI_ERR_INFO: invalid info object"},
    {ABI_ERR_INFO_KEY, "MPI_ERR_INFO_KEY: info key too long"},
    {ABI_ERR_INFO_VALUE, "MPI_ERR_INFO_VALUE: info value too long"},
    {ABI_ERR_INFO_NOKEY, "MPI_ERR_INFO_NOKEY: info key is not defined"},
    {ABI_ERR_ERRHANDLER, "MPI_ERR_ERRHANDLER: invalid error handler"},
    {ABI_ERR_WIN, "MPI_ERR_WIN: invalid window"},
    {ABI_ERR_BASE, "MPI_ERR_BASE: invalid base"},
    {ABI_ERR_SIZE, "MPI_ERR_SIZE: invalid size"},
    {ABI_ERR_DISP, "MPI_ERR_DISP: invalid displacement"},
    {ABI_ERR_LOCKTYPE, "MPI_ERR_LOCKTYPE: invalid type of lock"},
    {ABI_ERR_ASSERT, "MPI_ERR_ASSERT: invalid assertion"},
    {ABI_ERR_RMA_CONFLICT, "MPI_ERR_RMA_CONFLICT: conflicting accesses to a window"},
    {ABI_ERR_RMA_SYNC, "MPI_ERR_RMA_SYNC: wrong synchronization of one-sided communication"},
    {ABI_ERR_RMA_RANGE, "MPI_ERR_RMA_RANGE: target memory is not part of the window"},
    {ABI_ERR_RMA_ATTACH, "MPI_ERR_RMA_ATTACH: memory cannot be attached"},
    {ABI_ERR_RMA_SHARED, "MPI_ERR_RMA_SHARED: memory cannot be shared"},
    {ABI_ERR_RMA_FLAVOR, "MPI_ERR_RMA_FLAVOR: the window is of another flavor"},
    {ABI_ERR_FILE, "MPI_ERR_FILE: invalid file"},
    {ABI_ERR_ACCESS, "MPI_ERR_ACCESS: permission denied"},
    {ABI_ERR_AMODE, "MPI_ERR_AMODE: invalid access mode"},
    {ABI_ERR_BAD_FILE, "MPI_ERR_BAD_FILE: invalid file name"},
    {ABI_ERR_FILE_EXISTS, "MPI_ERR_FILE_EXISTS: the file exists"},
    {ABI_ERR_FILE_IN_USE, "MPI_ERR_FILE_IN_USE: the file is in use"},
    {ABI_ERR_NO_SPACE, "MPI_ERR_NO_SPACE: no space on the device"},
    {ABI_ERR_NO_SUCH_FILE, "MPI_ERR_NO_SUCH_FILE: no such file"},
    {ABI_ERR_IO, "MPI_ERR_IO: input or output failed"},
    {ABI_ERR_NOT_SAME, "MPI_ERR_NOT_SAME: the ranks gave different arguments"},
    {ABI_ERR_QUOTA, "MPI_ERR_QUOTA: quota exceeded"},
    {ABI_ERR_READ_ONLY, "MPI_ERR_READ_ONLY: the file is read-only"},
    {ABI_ERR_UNSUPPORTED_DATAREP, "MPI_ERR_UNSUPPORTED_DATAREP: data representation not supported"},
    {ABI_ERR_UNSUPPORTED_OPERATION, "MPI_ERR_UNSUPPORTED_OPERATION: operation not supported"},
};

AddedErrors &addedErrors() {
  static AddedErrors errors;
  return errors;
}

int lastErrorCode() {
  AddedErrors &errors = addedErrors();
  std::lock_guard<std::mutex> guard(errors.lock);
  return errors.last;
}

const char *errorText(int code) {
  for (auto &entry : texts)
    if (entry.first == code)
      return entry.second;
  return nullptr;
}

int raise(ABI_Errhandler handle, const std::function<void(Errhandler &, int *)> &call, const std::string &where,
          int code, const char *format, va_list arguments) {
  if (handle == ABI_ERRORS_RETURN)
    return code;
  if (Errhandler *handler = errhandlerOf(handle)) {
    // The handler may free itself, so keep a reference.
    handler->references.fetch_add(1);
    int passed = code;
    call(*handler, &passed);
    releaseErrhandler(handle);
    return code;
  }
  char text[512];
  vsnprintf(text, sizeof(text), format, arguments);
  const char *name = errorText(code);
  die(&self(), code, "%s (in %s): %s", name ? name : "MPI error", where.c_str(), text);
}

/// Returns the communicator of errors that belong to no object: MPI_COMM_SELF (MPI-4, 9.3). Programs for earlier
/// versions set the handler of MPI_COMM_WORLD alone, which counts as long as the other has none of its own.
static Comm *defaultComm() {
  Rank &rank = self();
  return rank.self && rank.self->errhandler != ABI_ERRORS_ARE_FATAL ? rank.self : rank.world;
}

int fail(Comm *comm, int code, const char *format, ...) {
  if (code == ABI_SUCCESS)
    return code;
  if (!comm)
    comm = defaultComm();
  auto call = [comm](Errhandler &handler, int *passed) {
    ABI_Comm object = comm->handle;
    if (handler.function)
      handler.function(&object, passed);
  };
  va_list arguments;
  va_start(arguments, format);
  raise(comm->errhandler, call, describe(comm), code, format, arguments);
  va_end(arguments);
  return code;
}

int failNull(ABI_Comm comm, const char *parameter) {
  Entry entry;
  // Before MPI_Init there is no error handler.
  bool isRunning = thisThread && thisThread->current && thisThread->current->rank && self().world;
  return isRunning ? fail(comm ? commOf(comm) : nullptr, ABI_ERR_ARG, "%s is null", parameter) : ABI_ERR_ARG;
}

int check(Comm *comm, int code, const char *what) { return code ? fail(comm, code, "%s", what) : code; }

} // namespace comm::ranks
