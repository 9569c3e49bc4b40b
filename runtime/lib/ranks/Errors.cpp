// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Errors.h"
#include "Communicator.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

using namespace comm::ranks;

namespace comm::ranks {

struct Errhandler {
  ABI_Comm_errhandler_function *function = nullptr;
  std::atomic<int> references{1};
};

static Errhandler *errhandlerOf(ABI_Errhandler handle) {
  return reinterpret_cast<uintptr_t>(handle) < 1024 ? nullptr : reinterpret_cast<Errhandler *>(handle);
}

void retainErrhandler(ABI_Errhandler handle) {
  if (Errhandler *handler = errhandlerOf(handle))
    handler->references.fetch_add(1);
}

void releaseErrhandler(ABI_Errhandler handle) {
  Errhandler *handler = errhandlerOf(handle);
  if (handler && handler->references.fetch_sub(1) == 1)
    delete handler;
}

// The texts say what the class means (MPI-4, table 9.4).
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
    {ABI_ERR_UNSUPPORTED_OPERATION, "MPI_ERR_UNSUPPORTED_OPERATION: operation not supported"},
};

/// Classes and codes that the program added; all ranks of a process share them,
/// as do the threads of a process under MPI.
struct AddedErrors {
  std::mutex lock;
  int last = ABI_ERR_LASTCODE;
  std::map<int, int> classOf;
  std::map<int, std::string> text;
};
static AddedErrors &added() {
  static AddedErrors errors;
  return errors;
}

const char *errorText(int code) {
  for (auto &entry : texts)
    if (entry.first == code)
      return entry.second;
  return nullptr;
}

int fail(Comm *comm, int code, const char *format, ...) {
  if (code == ABI_SUCCESS)
    return code;
  Rank &rank = self();
  if (!comm)
    comm = rank.world;
  ABI_Errhandler handle = comm->errhandler;
  if (handle == ABI_ERRORS_RETURN)
    return code;
  if (Errhandler *handler = errhandlerOf(handle)) {
    ABI_Comm object = comm->handle;
    // The handler may free itself.
    handler->references.fetch_add(1);
    int passed = code;
    handler->function(&object, &passed);
    releaseErrhandler(handle);
    return code;
  }
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  const char *name = errorText(code);
  die(&rank, code, "%s (in %s): %s", name ? name : "MPI error", describe(comm).c_str(), text);
}

int check(Comm *comm, int code, const char *what) { return code ? fail(comm, code, "%s", what) : code; }

} // namespace comm::ranks

extern "C" {

int comm_ranks_MPI_Comm_create_errhandler(ABI_Comm_errhandler_function *comm_errhandler_fn,
                                          ABI_Errhandler *errhandler) {
  auto *handler = new Errhandler;
  handler->function = comm_errhandler_fn;
  *errhandler = reinterpret_cast<ABI_Errhandler>(handler);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_set_errhandler(ABI_Comm comm, ABI_Errhandler errhandler) {
  COMM_OR_FAIL(c, comm);
  if (errhandler == ABI_ERRHANDLER_NULL || !errhandler)
    return fail(c, ABI_ERR_ERRHANDLER, "the error handler is null");
  retainErrhandler(errhandler);
  releaseErrhandler(c->errhandler);
  c->errhandler = errhandler;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_get_errhandler(ABI_Comm comm, ABI_Errhandler *errhandler) {
  COMM_OR_FAIL(c, comm);
  retainErrhandler(c->errhandler);
  *errhandler = c->errhandler;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Errhandler_free(ABI_Errhandler *errhandler) {
  if (!errhandler || *errhandler == ABI_ERRHANDLER_NULL)
    return fail(nullptr, ABI_ERR_ERRHANDLER, "the error handler is null");
  releaseErrhandler(*errhandler);
  *errhandler = ABI_ERRHANDLER_NULL;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_call_errhandler(ABI_Comm comm, int errorcode) {
  COMM_OR_FAIL(c, comm);
  fail(c, errorcode, "the program called the error handler");
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Error_class(int errorcode, int *errorclass) {
  AddedErrors &errors = added();
  std::lock_guard<std::mutex> guard(errors.lock);
  auto found = errors.classOf.find(errorcode);
  *errorclass = found != errors.classOf.end() ? found->second : errorcode;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Error_string(int errorcode, char *string, int *resultlen) {
  AddedErrors &errors = added();
  std::lock_guard<std::mutex> guard(errors.lock);
  auto found = errors.text.find(errorcode);
  const char *text = found != errors.text.end() ? found->second.c_str() : errorText(errorcode);
  if (!text && errors.classOf.count(errorcode))
    text = "";
  if (!text) {
    if (errorcode < 0 || errorcode > ABI_ERR_LASTCODE)
      return fail(nullptr, ABI_ERR_ARG, "no error code %d", errorcode);
    text = "MPI error";
  }
  strncpy(string, text, ABI_MAX_ERROR_STRING - 1);
  string[ABI_MAX_ERROR_STRING - 1] = 0;
  *resultlen = strlen(string);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Add_error_class(int *errorclass) {
  AddedErrors &errors = added();
  std::lock_guard<std::mutex> guard(errors.lock);
  *errorclass = ++errors.last;
  errors.classOf[*errorclass] = *errorclass;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Add_error_code(int errorclass, int *errorcode) {
  AddedErrors &errors = added();
  std::lock_guard<std::mutex> guard(errors.lock);
  *errorcode = ++errors.last;
  errors.classOf[*errorcode] = errorclass;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Add_error_string(int errorcode, const char *string) {
  AddedErrors &errors = added();
  std::lock_guard<std::mutex> guard(errors.lock);
  if (errorcode <= ABI_ERR_LASTCODE)
    return fail(nullptr, ABI_ERR_ARG, "%d is not a code of the program", errorcode);
  errors.text[errorcode] = string;
  return ABI_SUCCESS;
}

} // extern "C"

namespace comm::ranks {
int lastErrorCode() {
  AddedErrors &errors = added();
  std::lock_guard<std::mutex> guard(errors.lock);
  return errors.last;
}
} // namespace comm::ranks
