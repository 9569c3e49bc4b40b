// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of communicators, datatypes and windows (MPI-4, 7.7), and their deprecated functions: when which callback
// is called, what copies have, and what a callback's error does.
#include "expect.h"
#include <stdlib.h>

/// What callbacks have done; `fails` makes them fail.
typedef struct {
  int copies, deletions, fails, keyval;
  void *deleted;
} Record;

static int copyComm(MPI_Comm comm, int keyval, void *extra, void *value, void *copy, int *flag) {
  Record *record = extra;
  EXPECT(comm != MPI_COMM_NULL && keyval == record->keyval);
  ++record->copies;
  *(void **)copy = value ? (int *)value + 1 : NULL;
  *flag = value != NULL;
  return record->fails ? MPI_ERR_OTHER : MPI_SUCCESS;
}
static int deleteComm(MPI_Comm comm, int keyval, void *value, void *extra) {
  Record *record = extra;
  EXPECT(comm != MPI_COMM_NULL && keyval == record->keyval);
  if (record->fails)
    return MPI_ERR_OTHER;
  ++record->deletions;
  record->deleted = value;
  return MPI_SUCCESS;
}
static int copyType(MPI_Datatype type, int keyval, void *extra, void *value, void *copy, int *flag) {
  Record *record = extra;
  EXPECT(type != MPI_DATATYPE_NULL && keyval == record->keyval);
  ++record->copies;
  *(void **)copy = value ? (int *)value + 1 : NULL;
  *flag = 1;
  return record->fails ? MPI_ERR_OTHER : MPI_SUCCESS;
}
static int deleteType(MPI_Datatype type, int keyval, void *value, void *extra) {
  Record *record = extra;
  EXPECT(type != MPI_DATATYPE_NULL && keyval == record->keyval);
  if (record->fails)
    return MPI_ERR_OTHER;
  ++record->deletions;
  record->deleted = value;
  return MPI_SUCCESS;
}
static int deleteWindow(MPI_Win win, int keyval, void *value, void *extra) {
  Record *record = extra;
  EXPECT(win != MPI_WIN_NULL && keyval == record->keyval);
  ++record->deletions;
  record->deleted = value;
  return MPI_SUCCESS;
}

static void communicators(void) {
  int data[9], flag, *value, keyval;
  Record record = {0};
  MPI_Comm comm, copy;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  EXPECT(MPI_Comm_create_keyval(copyComm, deleteComm, &keyval, &record) == MPI_SUCCESS);
  record.keyval = keyval;
  EXPECT(MPI_Comm_get_attr(comm, keyval, &value, &flag) == MPI_SUCCESS && !flag);
  MPI_Comm_set_attr(comm, keyval, &data[0]);
  MPI_Comm_get_attr(comm, keyval, &value, &flag);
  EXPECT(flag && value == &data[0] && !record.copies && !record.deletions);
  // Another value replaces it.
  MPI_Comm_set_attr(comm, keyval, &data[2]);
  EXPECT(record.deletions == 1 && record.deleted == &data[0]);
  MPI_Comm_dup(comm, &copy);
  EXPECT(record.copies == 1);
  MPI_Comm_get_attr(copy, keyval, &value, &flag);
  EXPECT(flag && value == &data[3]);
  MPI_Comm_free(&copy);
  EXPECT(record.deletions == 2 && record.deleted == &data[3]);
  MPI_Comm_idup(comm, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_get_attr(copy, keyval, &value, &flag);
  EXPECT(flag && value == &data[3] && record.copies == 2);
  MPI_Comm_disconnect(&copy);
  EXPECT(copy == MPI_COMM_NULL && record.deletions == 3);
  // A duplicate made in the background has what the original had at the call.
  MPI_Comm_idup(comm, &copy, &request);
  MPI_Comm_set_attr(comm, keyval, &data[6]);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_get_attr(copy, keyval, &value, &flag);
  EXPECT(flag && value == &data[3]);
  MPI_Comm_free(&copy);
  MPI_Comm_set_attr(comm, keyval, &data[2]);
  EXPECT(record.copies == 3 && record.deletions == 6 && record.deleted == &data[6]);
  record.copies = 2;
  record.deletions = 3;
  // Others than duplicates have none.
  MPI_Comm_split(comm, 0, 0, &copy);
  MPI_Comm_get_attr(copy, keyval, &value, &flag);
  EXPECT(!flag && record.copies == 2);
  MPI_Comm_free(&copy);
  // The copy callback decides whether the duplicate has it.
  MPI_Comm_set_attr(comm, keyval, NULL);
  MPI_Comm_get_attr(comm, keyval, &value, &flag);
  EXPECT(flag && value == NULL && record.deletions == 4);
  MPI_Comm_dup(comm, &copy);
  MPI_Comm_get_attr(copy, keyval, &value, &flag);
  EXPECT(!flag && record.copies == 3);
  MPI_Comm_free(&copy);
  EXPECT(record.deletions == 4);
  // A callback that fails: what called it fails, and deletes nothing.
  record.fails = 1;
  EXPECT(MPI_Comm_delete_attr(comm, keyval) != MPI_SUCCESS);
  EXPECT(MPI_Comm_dup(comm, &copy) != MPI_SUCCESS);
  EXPECT(MPI_Comm_free(&comm) != MPI_SUCCESS && comm != MPI_COMM_NULL);
  record.fails = 0;
  MPI_Comm_get_attr(comm, keyval, &value, &flag);
  EXPECT(flag);
  EXPECT(MPI_Comm_delete_attr(comm, keyval) == MPI_SUCCESS && record.deletions == 5);
  MPI_Comm_get_attr(comm, keyval, &value, &flag);
  EXPECT(!flag);
  // A freed keyval is in use until its last attribute is gone.
  MPI_Comm_set_attr(comm, keyval, &data[5]);
  EXPECT(MPI_Comm_free_keyval(&keyval) == MPI_SUCCESS && keyval == MPI_KEYVAL_INVALID);
  MPI_Comm_free(&comm);
  EXPECT(record.deletions == 6 && record.deleted == &data[5]);
}

/// The callbacks that MPI itself has.
static void predefined(void) {
  int data, never, always, flag, *value;
  MPI_Comm comm, copy;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &never, NULL);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &always, NULL);
  EXPECT(never != always);
  MPI_Comm_set_attr(comm, never, &data);
  MPI_Comm_set_attr(comm, always, &data);
  MPI_Comm_dup(comm, &copy);
  MPI_Comm_get_attr(copy, never, &value, &flag);
  EXPECT(!flag);
  MPI_Comm_get_attr(copy, always, &value, &flag);
  EXPECT(flag && value == &data);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&never);
  MPI_Comm_free_keyval(&always);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
  EXPECT(flag && *value >= 32767);
  EXPECT(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_TAG_UB) != MPI_SUCCESS);
  EXPECT(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, &data) != MPI_SUCCESS);
}

static void deprecated(void) {
  int data[2], flag, *value, keyval;
  Record record = {0};
  MPI_Comm comm, copy;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  EXPECT(MPI_Keyval_create(copyComm, deleteComm, &keyval, &record) == MPI_SUCCESS);
  record.keyval = keyval;
  MPI_Attr_get(comm, keyval, &value, &flag);
  EXPECT(!flag);
  EXPECT(MPI_Attr_put(comm, keyval, &data[0]) == MPI_SUCCESS);
  MPI_Attr_get(comm, keyval, &value, &flag);
  EXPECT(flag && value == &data[0]);
  MPI_Comm_dup(comm, &copy);
  MPI_Attr_get(copy, keyval, &value, &flag);
  EXPECT(flag && value == &data[1] && record.copies == 1);
  EXPECT(MPI_Attr_delete(copy, keyval) == MPI_SUCCESS);
  EXPECT(record.deletions == 1 && record.deleted == &data[1]);
  MPI_Attr_get(copy, keyval, &value, &flag);
  EXPECT(!flag);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
  EXPECT(record.deletions == 2);
  EXPECT(MPI_Keyval_free(&keyval) == MPI_SUCCESS && keyval == MPI_KEYVAL_INVALID);
  MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
  EXPECT(flag && *value >= 32767);
}

static void datatypes(void) {
  int data[9], flag, *value, keyval;
  Record record = {0};
  MPI_Datatype type, copy;
  MPI_Type_contiguous(3, MPI_INT, &type);
  EXPECT(MPI_Type_create_keyval(copyType, deleteType, &keyval, &record) == MPI_SUCCESS);
  record.keyval = keyval;
  EXPECT(MPI_Type_get_attr(type, keyval, &value, &flag) == MPI_SUCCESS && !flag);
  MPI_Type_set_attr(type, keyval, &data[0]);
  MPI_Type_get_attr(type, keyval, &value, &flag);
  EXPECT(flag && value == &data[0]);
  MPI_Type_dup(type, &copy);
  MPI_Type_get_attr(copy, keyval, &value, &flag);
  EXPECT(flag && value == &data[1] && record.copies == 1);
  EXPECT(MPI_Type_delete_attr(copy, keyval) == MPI_SUCCESS);
  EXPECT(record.deletions == 1 && record.deleted == &data[1]);
  MPI_Type_get_attr(copy, keyval, &value, &flag);
  EXPECT(!flag);
  MPI_Type_free(&copy);
  // A type that contains it is not a copy.
  MPI_Type_contiguous(2, type, &copy);
  MPI_Type_get_attr(copy, keyval, &value, &flag);
  EXPECT(!flag && record.copies == 1);
  MPI_Type_free(&copy);
  record.fails = 1;
  EXPECT(MPI_Type_delete_attr(type, keyval) != MPI_SUCCESS);
  EXPECT(MPI_Type_dup(type, &copy) != MPI_SUCCESS);
  EXPECT(MPI_Type_free(&type) != MPI_SUCCESS && type != MPI_DATATYPE_NULL);
  record.fails = 0;
  EXPECT(MPI_Type_free_keyval(&keyval) == MPI_SUCCESS && keyval == MPI_KEYVAL_INVALID);
  MPI_Type_free(&type);
  EXPECT(record.deletions == 2 && record.deleted == &data[0]);
  // Predefined callbacks.
  int always;
  MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &always, NULL);
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &keyval, NULL);
  MPI_Type_dup(MPI_DOUBLE, &type);
  MPI_Type_set_attr(type, always, &data[7]);
  MPI_Type_set_attr(type, keyval, &data[8]);
  MPI_Type_dup(type, &copy);
  MPI_Type_get_attr(copy, always, &value, &flag);
  EXPECT(flag && value == &data[7]);
  MPI_Type_get_attr(copy, keyval, &value, &flag);
  EXPECT(!flag);
  MPI_Type_free(&type);
  MPI_Type_free(&copy);
  MPI_Type_free_keyval(&always);
  MPI_Type_free_keyval(&keyval);
}

static void windows(void) {
  int data[2], flag, *value, keyval, *memory;
  Record record = {0};
  MPI_Win win;
  MPI_Win_allocate(16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, deleteWindow, &keyval, &record);
  record.keyval = keyval;
  MPI_Win_set_attr(win, keyval, &data[0]);
  MPI_Win_set_attr(win, keyval, &data[1]);
  EXPECT(record.deletions == 1 && record.deleted == &data[0]);
  MPI_Win_get_attr(win, keyval, &value, &flag);
  EXPECT(flag && value == &data[1]);
  EXPECT(MPI_Win_delete_attr(win, keyval) == MPI_SUCCESS);
  EXPECT(record.deletions == 2 && record.deleted == &data[1]);
  MPI_Win_get_attr(win, keyval, &value, &flag);
  EXPECT(!flag);
  EXPECT(MPI_Win_delete_attr(win, MPI_WIN_BASE) != MPI_SUCCESS);
  EXPECT(MPI_Win_set_attr(win, MPI_WIN_SIZE, &data[0]) != MPI_SUCCESS);
  MPI_Win_free_keyval(&keyval);
  EXPECT(keyval == MPI_KEYVAL_INVALID);
  MPI_Win_free(&win);
  EXPECT(record.deletions == 2);
}

/// A delete callback may set and delete other attributes of the object.
typedef struct {
  int others[40], sets;
} Others;

static int deleteOthers(MPI_Comm comm, int keyval, void *value, void *extra) {
  Others *others = extra;
  (void)keyval, (void)value;
  for (int i = 0; i < 40; ++i)
    if (others->sets)
      MPI_Comm_set_attr(comm, others->others[i], &others->others[i]);
    else
      MPI_Comm_delete_attr(comm, others->others[i]);
  return MPI_SUCCESS;
}

static void nested(void) {
  Others others;
  int keyval, flag, data[2], *value;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  for (int i = 0; i < 40; ++i)
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &others.others[i], NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleteOthers, &keyval, &others);
  MPI_Comm_set_attr(comm, others.others[0], &data[0]);
  MPI_Comm_set_attr(comm, keyval, &data[0]);
  others.sets = 1;
  MPI_Comm_set_attr(comm, keyval, &data[1]);
  MPI_Comm_get_attr(comm, keyval, &value, &flag);
  EXPECT(flag && value == &data[1]);
  MPI_Comm_get_attr(comm, others.others[39], &value, &flag);
  EXPECT(flag && value == &others.others[39]);
  others.sets = 0;
  MPI_Comm_delete_attr(comm, keyval);
  MPI_Comm_get_attr(comm, keyval, &value, &flag);
  EXPECT(!flag);
  for (int i = 0; i < 40; ++i) {
    MPI_Comm_get_attr(comm, others.others[i], &value, &flag);
    EXPECT(!flag);
    MPI_Comm_free_keyval(&others.others[i]);
  }
  MPI_Comm_free_keyval(&keyval);
  MPI_Comm_free(&comm);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  returnErrors();
  communicators();
  predefined();
  deprecated();
  datatypes();
  windows();
  nested();
  return asExpected("attributes");
}
