// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Error handlers (MPI-4, 9.3) of communicators, windows and files: which one is called, with which object and code.
#include "expect.h"
#include <string.h>

/// Handlers know nothing but the object, so the object's name or attribute leads to the record. Names are enough here.
static void onComm(MPI_Comm *comm, int *code, ...) {
  char name[MPI_MAX_OBJECT_NAME];
  int length, class;
  MPI_Comm_get_name(*comm, name, &length);
  MPI_Error_class(*code, &class);
  snprintf(name + length, sizeof(name) - length, " %d", class);
  MPI_Comm_set_name(*comm, name);
}
static void onWindow(MPI_Win *win, int *code, ...) {
  char name[MPI_MAX_OBJECT_NAME];
  int length, class;
  MPI_Win_get_name(*win, name, &length);
  MPI_Error_class(*code, &class);
  snprintf(name + length, sizeof(name) - length, " %d", class);
  MPI_Win_set_name(*win, name);
}

static int isNamed(MPI_Comm comm, const char *first, int second) {
  char name[MPI_MAX_OBJECT_NAME], wanted[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Comm_get_name(comm, name, &length);
  if (second < 0)
    return !strcmp(name, first) && length == (int)strlen(first);
  snprintf(wanted, sizeof(wanted), "%s %d", first, second);
  return !strcmp(name, wanted) && length == (int)strlen(wanted);
}

static void communicators(void) {
  MPI_Errhandler handler, got;
  MPI_Comm comm, copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  EXPECT(MPI_Comm_create_errhandler(onComm, &handler) == MPI_SUCCESS);
  EXPECT(MPI_Comm_set_errhandler(comm, handler) == MPI_SUCCESS);
  MPI_Comm_get_errhandler(comm, &got);
  EXPECT(got == handler);
  MPI_Errhandler_free(&got);
  // It is in use as long as an object has it.
  MPI_Errhandler_free(&handler);
  EXPECT(handler == MPI_ERRHANDLER_NULL);
  MPI_Comm_set_name(comm, "first");
  EXPECT(isNamed(comm, "first", -1));
  EXPECT(MPI_Send(NULL, 0, MPI_INT, 1000, 0, comm) == MPI_ERR_RANK);
  EXPECT(isNamed(comm, "first", MPI_ERR_RANK));
  MPI_Comm_set_name(comm, "second");
  EXPECT(MPI_Comm_call_errhandler(comm, MPI_ERR_TAG) == MPI_SUCCESS);
  EXPECT(isNamed(comm, "second", MPI_ERR_TAG));
  // What is made from it has it.
  MPI_Comm_dup(comm, &copy);
  MPI_Comm_set_name(copy, "third");
  EXPECT(MPI_Bcast(NULL, -1, MPI_INT, 0, copy) == MPI_ERR_COUNT);
  EXPECT(isNamed(copy, "third", MPI_ERR_COUNT) && isNamed(comm, "second", MPI_ERR_TAG));
  MPI_Comm_free(&copy);
  MPI_Comm_split(comm, 0, 0, &copy);
  MPI_Comm_set_name(copy, "fourth");
  MPI_Comm_call_errhandler(copy, MPI_ERR_OTHER);
  EXPECT(isNamed(copy, "fourth", MPI_ERR_OTHER));
  // An error of a request is one of its communicator.
  int rank, value = 1, much[2] = {0};
  MPI_Request request;
  MPI_Comm_rank(copy, &rank);
  MPI_Comm_set_name(copy, "fifth");
  MPI_Irecv(&value, 1, MPI_INT, rank, 0, copy, &request);
  MPI_Send(much, 2, MPI_INT, rank, 0, copy);
  EXPECT(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_ERR_TRUNCATE);
  EXPECT(isNamed(copy, "fifth", MPI_ERR_TRUNCATE));
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  EXPECT(MPI_Send(NULL, 0, MPI_INT, 1000, 0, copy) == MPI_ERR_RANK);
  EXPECT(isNamed(copy, "fifth", MPI_ERR_TRUNCATE));
  MPI_Comm_call_errhandler(copy, MPI_ERR_OTHER);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
}

/// Errors that belong to no object go to MPI_COMM_SELF. As long as it has no handler, that of MPI_COMM_WORLD is called,
/// for programs from before MPI-4.0.
static void withoutObject(void) {
  MPI_Errhandler handler;
  MPI_Datatype type;
  MPI_Comm_create_errhandler(onComm, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_name(MPI_COMM_WORLD, "world");
  MPI_Comm_set_name(MPI_COMM_SELF, "self");
  EXPECT(MPI_Type_contiguous(-1, MPI_INT, &type) == MPI_ERR_COUNT);
  EXPECT(isNamed(MPI_COMM_WORLD, "world", MPI_ERR_COUNT) && isNamed(MPI_COMM_SELF, "self", -1));
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Comm_set_name(MPI_COMM_WORLD, "world");
  EXPECT(MPI_Type_contiguous(-1, MPI_INT, &type) == MPI_ERR_COUNT);
  EXPECT(isNamed(MPI_COMM_WORLD, "world", -1) && isNamed(MPI_COMM_SELF, "self", MPI_ERR_COUNT));
  MPI_Errhandler_free(&handler);
  returnErrors();
}

static void windows(void) {
  MPI_Errhandler handler, got;
  MPI_Win win;
  int *memory, length;
  char name[MPI_MAX_OBJECT_NAME], wanted[32];
  MPI_Win_allocate(4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_get_errhandler(win, &got);
  EXPECT(got == MPI_ERRORS_ARE_FATAL);
  EXPECT(MPI_Win_create_errhandler(onWindow, &handler) == MPI_SUCCESS);
  MPI_Win_set_errhandler(win, handler);
  MPI_Errhandler_free(&handler);
  MPI_Win_set_name(win, "window");
  EXPECT(MPI_Win_call_errhandler(win, MPI_ERR_OTHER) == MPI_SUCCESS);
  MPI_Win_get_name(win, name, &length);
  snprintf(wanted, sizeof(wanted), "window %d", MPI_ERR_OTHER);
  EXPECT(!strcmp(name, wanted) && length == (int)strlen(wanted));
  MPI_Win_set_name(win, "window");
  EXPECT(MPI_Win_fence(12345678, win) == MPI_ERR_ASSERT);
  MPI_Win_get_name(win, name, &length);
  snprintf(wanted, sizeof(wanted), "window %d", MPI_ERR_ASSERT);
  EXPECT(!strcmp(name, wanted));
  MPI_Win_free(&win);
}

/// A file has no name, so this handler writes what it was called with into the file's hints.
static void onFile(MPI_File *file, int *code, ...) {
  MPI_Info info;
  char text[16];
  int class;
  if (*file == MPI_FILE_NULL)
    return;
  MPI_Error_class(*code, &class);
  MPI_Info_create(&info);
  snprintf(text, sizeof(text), "%d", class);
  MPI_Info_set(info, "access_style", text);
  MPI_File_set_info(*file, info);
  MPI_Info_free(&info);
}

static int hinted(MPI_File file, int class) {
  MPI_Info info;
  char text[16] = "", wanted[16];
  int flag, room = sizeof(text);
  MPI_File_get_info(file, &info);
  MPI_Info_get_string(info, "access_style", &room, text, &flag);
  MPI_Info_free(&info);
  snprintf(wanted, sizeof(wanted), "%d", class);
  return flag && !strcmp(text, wanted);
}

static void files(const char *name) {
  MPI_Errhandler handler, got;
  MPI_File file;
  MPI_Info info;
  int x = 0;
  MPI_File_get_errhandler(MPI_FILE_NULL, &got);
  EXPECT(got == MPI_ERRORS_RETURN);
  EXPECT(MPI_File_create_errhandler(onFile, &handler) == MPI_SUCCESS);
  // Files that are opened from now on have it.
  MPI_File_set_errhandler(MPI_FILE_NULL, handler);
  MPI_Info_create(&info);
  MPI_Info_set(info, "access_style", "0");
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, info, &file);
  MPI_Info_free(&info);
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&handler);
  EXPECT(hinted(file, 0));
  EXPECT(MPI_File_call_errhandler(file, MPI_ERR_OTHER) == MPI_SUCCESS);
  EXPECT(hinted(file, MPI_ERR_OTHER));
  EXPECT(MPI_File_read(file, &x, 1, MPI_INT, MPI_STATUS_IGNORE) == MPI_ERR_ACCESS);
  EXPECT(hinted(file, MPI_ERR_ACCESS));
  MPI_File_set_errhandler(file, MPI_ERRORS_RETURN);
  EXPECT(MPI_File_write(file, &x, -1, MPI_INT, MPI_STATUS_IGNORE) == MPI_ERR_COUNT);
  EXPECT(hinted(file, MPI_ERR_ACCESS));
  MPI_File_close(&file);
}

/// Nonblocking operations have the file's handler, too, here on a device without space.
static void nonblocking(void) {
  MPI_Errhandler handler;
  MPI_File file;
  MPI_Info info;
  MPI_Request request;
  int x = 0;
  MPI_Info_create(&info);
  MPI_Info_set(info, "access_style", "0");
  if (!MPI_File_open(MPI_COMM_SELF, "/dev/full", MPI_MODE_WRONLY, info, &file)) {
    MPI_File_create_errhandler(onFile, &handler);
    MPI_File_set_errhandler(file, handler);
    MPI_Errhandler_free(&handler);
    MPI_File_iwrite_at(file, 0, &x, 1, MPI_INT, &request);
    EXPECT(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_ERR_NO_SPACE);
    EXPECT(hinted(file, MPI_ERR_NO_SPACE));
    MPI_File_close(&file);
  }
  MPI_Info_free(&info);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  communicators();
  withoutObject();
  windows();
  files(argv[1]);
  nonblocking();
  return asExpected("handlers");
}
