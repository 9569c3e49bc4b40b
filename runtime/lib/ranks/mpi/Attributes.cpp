// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Keyvals and attributes of communicators and datatypes (MPI-4, 7.7).
#include "objects/Communicator.h"
#include "objects/Datatype.h"
#include "objects/Errors.h"
#include "objects/Keyvals.h"

using namespace comm::ranks;

namespace comm::ranks {

/// Returns the initial attributes of MPI_COMM_WORLD, which its duplicates also have (MPI-4, 9.1.2). In C, the value is
/// the address of an int.
static bool predefined(int keyval, void *value) {
  static const int tagBound = 0x7fffffff, anyRank = ABI_ANY_SOURCE, no = 0, noRank = ABI_PROC_NULL;
  static int universe, application = 0;
  static thread_local int last;
  const int *found = nullptr;
  switch (keyval) {
  case ABI_TAG_UB:
    found = &tagBound;
    break;
  case ABI_HOST:
    found = &noRank;
    break;
  case ABI_IO:
    found = &anyRank;
    break;
  case ABI_WTIME_IS_GLOBAL:
    found = &no;
    break;
  case ABI_UNIVERSE_SIZE:
    universe = process.ranksTotal;
    found = &universe;
    break;
  case ABI_APPNUM:
    found = &application;
    break;
  case ABI_LASTUSEDCODE:
    last = lastErrorCode();
    found = &last;
    break;
  }
  if (found)
    *static_cast<const int **>(value) = found;
  return found != nullptr;
}

static bool isPredefined(int keyval) {
  void *ignored;
  return predefined(keyval, &ignored);
}

} // namespace comm::ranks

static const char *const badKeyval = "not a keyval that the program created, or a callback failed";

extern "C" {

int comm_ranks_MPI_Comm_create_keyval(ABI_Comm_copy_attr_function *copy, ABI_Comm_delete_attr_function *remove,
                                      int *comm_keyval, void *extra_state) {
  *comm_keyval = commKeyvals.make(copy, remove, extra_state);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Keyval_create(ABI_Copy_function *copy, ABI_Delete_function *remove, int *keyval, void *extra_state) {
  return comm_ranks_MPI_Comm_create_keyval(copy, remove, keyval, extra_state);
}

int comm_ranks_MPI_Comm_free_keyval(int *comm_keyval) {
  CommKeyvals::Keyval found;
  if (!commKeyvals.find(*comm_keyval, found))
    return fail(nullptr, ABI_ERR_KEYVAL, "%s", badKeyval);
  *comm_keyval = ABI_KEYVAL_INVALID;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Keyval_free(int *keyval) { return comm_ranks_MPI_Comm_free_keyval(keyval); }

int comm_ranks_MPI_Comm_set_attr(ABI_Comm comm, int comm_keyval, void *value) {
  COMM_OR_FAIL(c, comm);
  return check(c, commKeyvals.set(comm, c->attributes, comm_keyval, value), badKeyval);
}

int comm_ranks_MPI_Comm_get_attr(ABI_Comm comm, int comm_keyval, void *value, int *flag) {
  COMM_OR_FAIL(c, comm);
  *flag = predefined(comm_keyval, value);
  if (*flag)
    return ABI_SUCCESS;
  CommKeyvals::Keyval found;
  if (!commKeyvals.find(comm_keyval, found))
    return fail(c, ABI_ERR_KEYVAL, "%s", badKeyval);
  *flag = commKeyvals.get(c->attributes, comm_keyval, value);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_delete_attr(ABI_Comm comm, int comm_keyval) {
  COMM_OR_FAIL(c, comm);
  if (isPredefined(comm_keyval))
    return fail(c, ABI_ERR_KEYVAL, "a predefined attribute stays");
  return check(c, commKeyvals.erase(comm, c->attributes, comm_keyval), badKeyval);
}

int comm_ranks_MPI_Attr_put(ABI_Comm comm, int keyval, void *value) {
  return comm_ranks_MPI_Comm_set_attr(comm, keyval, value);
}
int comm_ranks_MPI_Attr_get(ABI_Comm comm, int keyval, void *value, int *flag) {
  return comm_ranks_MPI_Comm_get_attr(comm, keyval, value, flag);
}
int comm_ranks_MPI_Attr_delete(ABI_Comm comm, int keyval) { return comm_ranks_MPI_Comm_delete_attr(comm, keyval); }

int comm_ranks_MPI_Type_create_keyval(ABI_Type_copy_attr_function *copy, ABI_Type_delete_attr_function *remove,
                                      int *type_keyval, void *extra_state) {
  *type_keyval = typeKeyvals.make(copy, remove, extra_state);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Type_free_keyval(int *type_keyval) {
  TypeKeyvals::Keyval found;
  if (!typeKeyvals.find(*type_keyval, found))
    return fail(nullptr, ABI_ERR_KEYVAL, "%s", badKeyval);
  *type_keyval = ABI_KEYVAL_INVALID;
  return ABI_SUCCESS;
}

// The ranks of a process share attributes of predefined types.

int comm_ranks_MPI_Type_set_attr(ABI_Datatype datatype, int type_keyval, void *value) {
  TYPE_OR_FAIL(type, datatype);
  return check(nullptr, typeKeyvals.set(datatype, type->attributes, type_keyval, value), badKeyval);
}

int comm_ranks_MPI_Type_get_attr(ABI_Datatype datatype, int type_keyval, void *value, int *flag) {
  TYPE_OR_FAIL(type, datatype);
  TypeKeyvals::Keyval found;
  if (!typeKeyvals.find(type_keyval, found))
    return fail(nullptr, ABI_ERR_KEYVAL, "%s", badKeyval);
  *flag = typeKeyvals.get(type->attributes, type_keyval, value);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Type_delete_attr(ABI_Datatype datatype, int type_keyval) {
  TYPE_OR_FAIL(type, datatype);
  return check(nullptr, typeKeyvals.erase(datatype, type->attributes, type_keyval), badKeyval);
}

} // extern "C"
