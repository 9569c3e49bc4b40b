// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Error handlers, classes, codes and their texts (MPI-4, 9.3 to 9.5).
#include "objects/Errors.h"
#include "objects/Communicator.h"

#include <cstring>

using namespace comm::ranks;

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
  AddedErrors &errors = addedErrors();
  std::lock_guard<std::mutex> guard(errors.lock);
  auto found = errors.classOf.find(errorcode);
  *errorclass = found != errors.classOf.end() ? found->second : errorcode;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Error_string(int errorcode, char *string, int *resultlen) {
  AddedErrors &errors = addedErrors();
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
  AddedErrors &errors = addedErrors();
  std::lock_guard<std::mutex> guard(errors.lock);
  *errorclass = ++errors.last;
  errors.classOf[*errorclass] = *errorclass;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Add_error_code(int errorclass, int *errorcode) {
  AddedErrors &errors = addedErrors();
  std::lock_guard<std::mutex> guard(errors.lock);
  *errorcode = ++errors.last;
  errors.classOf[*errorcode] = errorclass;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Add_error_string(int errorcode, const char *string) {
  AddedErrors &errors = addedErrors();
  std::lock_guard<std::mutex> guard(errors.lock);
  if (errorcode <= ABI_ERR_LASTCODE)
    return fail(nullptr, ABI_ERR_ARG, "%d is not a code of the program", errorcode);
  errors.text[errorcode] = string;
  return ABI_SUCCESS;
}

} // extern "C"
