// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file MPI_File_read to MPI_File_write_ordered_end (MPI-4, 14.4).
#include "file/File.h"

#include <cstring>

using namespace comm::ranks;

namespace comm::ranks {

static int badAccess(File *file, bool writes, Start start, int64_t offset, int64_t count, ABI_Datatype datatype) {
  if (count < 0)
    return failAt(file, ABI_ERR_COUNT, "the count %ld is negative", static_cast<long>(count));
  if (!typeOf(datatype))
    return failAt(file, ABI_ERR_TYPE, "invalid datatype");
  if (start == Start::Given && offset < 0)
    return failAt(file, ABI_ERR_ARG, "the offset %ld is negative", static_cast<long>(offset));
  if (writes && file->mode & ABI_MODE_RDONLY)
    return failAt(file, ABI_ERR_READ_ONLY, "it was opened with MPI_MODE_RDONLY");
  if (!writes && file->mode & ABI_MODE_WRONLY)
    return failAt(file, ABI_ERR_ACCESS, "it was opened with MPI_MODE_WRONLY");
  if (file->mode & ABI_MODE_SEQUENTIAL && (start == Start::Given || start == Start::Own))
    return failAt(file, ABI_ERR_UNSUPPORTED_OPERATION,
                  "it was opened with MPI_MODE_SEQUENTIAL: use the shared file pointer");
  return ABI_SUCCESS;
}

static int now(File *file, bool writes, Start start, int64_t offset, const void *buffer, int64_t count,
               ABI_Datatype datatype, ABI_Status *status) {
  if (int error = badAccess(file, writes, start, offset, count, datatype))
    return error;
  size_t bytes = 0;
  int error = transfer(file, writes, start, offset, const_cast<void *>(buffer), count, typeOf(datatype), bytes);
  setEmptyStatus(status);
  if (status)
    setStatus(status, ABI_ANY_SOURCE, ABI_ANY_TAG, bytes, false);
  return failAt(file, error, "%s", strerror(errno));
}

/// Moves the data before it returns; the request's status has their number, like a receive's.
static int later(File *file, bool writes, Start start, int64_t offset, const void *buffer, int64_t count,
                 ABI_Datatype datatype, ABI_Request *request) {
  *request = ABI_REQUEST_NULL;
  if (int error = badAccess(file, writes, start, offset, count, datatype))
    return error;
  Request *q = newRequest(Request::Receive, file->comm);
  q->error = transfer(file, writes, start, offset, const_cast<void *>(buffer), count, typeOf(datatype), q->bytes);
  // The program's error handler gets the file, which only this function knows. What completes the request returns the
  // error, or ends the program.
  if (errhandlerOf(file->errhandler))
    failAt(file, q->error, "%s", strerror(errno));
  complete(q);
  *request = handleOf(q);
  return ABI_SUCCESS;
}

static int beginSplit(File *file, const char *name, bool writes, Start start, int64_t offset, const void *buffer,
                      int64_t count, ABI_Datatype datatype) {
  if (file->split)
    return failAt(file, ABI_ERR_OTHER, "%s_begin was called, and not its end", file->split);
  if (int error = badAccess(file, writes, start, offset, count, datatype))
    return error;
  file->split = name;
  file->splitError =
      transfer(file, writes, start, offset, const_cast<void *>(buffer), count, typeOf(datatype), file->splitBytes);
  return ABI_SUCCESS;
}

static int endSplit(File *file, const char *name, ABI_Status *status) {
  if (!file->split || strcmp(file->split, name))
    return failAt(file, ABI_ERR_OTHER, "%s_begin was not called", name);
  file->split = nullptr;
  setEmptyStatus(status);
  if (status)
    setStatus(status, ABI_ANY_SOURCE, ABI_ANY_TAG, file->splitBytes, false);
  return failAt(file, file->splitError, "%s", name);
}

} // namespace comm::ranks

// A form of reading or writing, with counts of two widths. OFFSET is a parameter or empty, AT its value.
#define UNWRAP(...) __VA_ARGS__
#define FORM(NAME, CONST, OFFSET, LAST, ACTION)                                                                        \
  int comm_ranks_MPI_File_##NAME(ABI_File fh, UNWRAP OFFSET CONST void *buf, int count, ABI_Datatype datatype LAST) {  \
    FILE_OR_FAIL(file, fh);                                                                                            \
    return ACTION;                                                                                                     \
  }                                                                                                                    \
  int comm_ranks_MPI_File_##NAME##_c(ABI_File fh, UNWRAP OFFSET CONST void *buf, ABI_Count count,                      \
                                     ABI_Datatype datatype LAST) {                                                     \
    FILE_OR_FAIL(file, fh);                                                                                            \
    return ACTION;                                                                                                     \
  }
#define STATUS , ABI_Status *status
#define REQUEST , ABI_Request *request
#define NONE
#define BLOCKING(NAME, CONST, WRITES, START, OFFSET, AT)                                                               \
  FORM(NAME, CONST, OFFSET, STATUS, now(file, WRITES, Start::START, AT, buf, count, datatype, status))
#define NONBLOCKING(NAME, CONST, WRITES, START, OFFSET, AT)                                                            \
  FORM(NAME, CONST, OFFSET, REQUEST, later(file, WRITES, Start::START, AT, buf, count, datatype, request))
#define SPLIT(NAME, CONST, WRITES, START, OFFSET, AT)                                                                  \
  FORM(NAME##_begin, CONST, OFFSET, NONE,                                                                              \
       beginSplit(file, "MPI_File_" #NAME, WRITES, Start::START, AT, buf, count, datatype))                            \
  int comm_ranks_MPI_File_##NAME##_end(ABI_File fh, CONST void *, ABI_Status *status) {                                \
    FILE_OR_FAIL(file, fh);                                                                                            \
    return endSplit(file, "MPI_File_" #NAME, status);                                                                  \
  }
#define FAMILY(NAME, CONST, WRITES)                                                                                    \
  BLOCKING(NAME##_at, CONST, WRITES, Given, (ABI_Offset offset, ), offset)                                             \
  BLOCKING(NAME##_at_all, CONST, WRITES, Given, (ABI_Offset offset, ), offset)                                         \
  BLOCKING(NAME, CONST, WRITES, Own, (), 0)                                                                            \
  BLOCKING(NAME##_all, CONST, WRITES, Own, (), 0)                                                                      \
  BLOCKING(NAME##_shared, CONST, WRITES, Shared, (), 0)                                                                \
  BLOCKING(NAME##_ordered, CONST, WRITES, Ordered, (), 0)                                                              \
  NONBLOCKING(i##NAME##_at, CONST, WRITES, Given, (ABI_Offset offset, ), offset)                                       \
  NONBLOCKING(i##NAME##_at_all, CONST, WRITES, Given, (ABI_Offset offset, ), offset)                                   \
  NONBLOCKING(i##NAME, CONST, WRITES, Own, (), 0)                                                                      \
  NONBLOCKING(i##NAME##_all, CONST, WRITES, Own, (), 0)                                                                \
  NONBLOCKING(i##NAME##_shared, CONST, WRITES, Shared, (), 0)                                                          \
  SPLIT(NAME##_at_all, CONST, WRITES, Given, (ABI_Offset offset, ), offset)                                            \
  SPLIT(NAME##_all, CONST, WRITES, Own, (), 0)                                                                         \
  SPLIT(NAME##_ordered, CONST, WRITES, Ordered, (), 0)

extern "C" {

FAMILY(read, , false)
FAMILY(write, const, true)

} // extern "C"
