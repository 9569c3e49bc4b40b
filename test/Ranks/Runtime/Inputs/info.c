// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Info objects (MPI-4, 10), and those of communicators, windows and files.
#include "expect.h"
#include <string.h>

static int has(MPI_Info info, const char *key, const char *value) {
  char text[MPI_MAX_INFO_VAL];
  int room = sizeof(text), flag;
  MPI_Info_get_string(info, key, &room, text, &flag);
  return flag && room == (int)strlen(value) + 1 && !strcmp(text, value);
}

static void entries(void) {
  MPI_Info info, copy;
  char text[16], key[MPI_MAX_INFO_KEY];
  int flag, length, count, room;
  MPI_Info_create(&info);
  MPI_Info_get_nkeys(info, &count);
  EXPECT(count == 0);
  MPI_Info_set(info, "one", "first");
  MPI_Info_set(info, "two", "second value");
  MPI_Info_set(info, "empty", "");
  MPI_Info_set(info, "one", "1");
  MPI_Info_get_nkeys(info, &count);
  EXPECT(count == 3);
  MPI_Info_get_valuelen(info, "two", &length, &flag);
  EXPECT(flag && length == 12);
  MPI_Info_get_valuelen(info, "empty", &length, &flag);
  EXPECT(flag && length == 0);
  length = -5;
  MPI_Info_get_valuelen(info, "three", &length, &flag);
  EXPECT(!flag && length == -5);
  // As much as there is room for; how much is needed, with the end of the string.
  memset(text, 'x', sizeof(text));
  room = 7;
  MPI_Info_get_string(info, "two", &room, text, &flag);
  EXPECT(flag && room == 13 && !strcmp(text, "second") && text[7] == 'x');
  room = 0;
  memset(text, 'x', sizeof(text));
  MPI_Info_get_string(info, "two", &room, text, &flag);
  EXPECT(flag && room == 13 && text[0] == 'x');
  room = 13;
  MPI_Info_get_string(info, "two", &room, text, &flag);
  EXPECT(flag && room == 13 && !strcmp(text, "second value"));
  room = 9;
  MPI_Info_get_string(info, "three", &room, text, &flag);
  EXPECT(!flag && room == 9 && !strcmp(text, "second value"));
  MPI_Info_get(info, "two", 6, text, &flag);
  EXPECT(flag && !strcmp(text, "second"));
  // A copy has its keys in the same order, and its own values.
  MPI_Info_dup(info, &copy);
  MPI_Info_set(copy, "one", "other");
  EXPECT(has(info, "one", "1") && has(copy, "one", "other"));
  for (int i = 0; i < 3; ++i) {
    char second[MPI_MAX_INFO_KEY];
    MPI_Info_get_nthkey(info, i, key);
    MPI_Info_get_nthkey(copy, i, second);
    EXPECT(!strcmp(key, second));
    EXPECT(!strcmp(key, "one") || !strcmp(key, "two") || !strcmp(key, "empty"));
  }
  EXPECT(MPI_Info_get_nthkey(info, 3, key) == MPI_ERR_ARG);
  EXPECT(MPI_Info_delete(info, "one") == MPI_SUCCESS);
  EXPECT(MPI_Info_delete(info, "one") == MPI_ERR_INFO_NOKEY);
  MPI_Info_get_nkeys(info, &count);
  EXPECT(count == 2);
  MPI_Info_get_nkeys(copy, &count);
  EXPECT(count == 3 && has(copy, "one", "other"));
  MPI_Info_free(&info);
  MPI_Info_free(&copy);
  EXPECT(info == MPI_INFO_NULL);
}

/// In C, the longest key and the longest value have one character less than the constants (MPI-4, 19.3.9).
static void limits(void) {
  MPI_Info info;
  char key[MPI_MAX_INFO_KEY + 2], value[MPI_MAX_INFO_VAL + 2], got[MPI_MAX_INFO_KEY + 8];
  MPI_Info_create(&info);
  memset(key, 'k', sizeof(key));
  memset(value, 'v', sizeof(value));
  key[MPI_MAX_INFO_KEY - 1] = value[MPI_MAX_INFO_VAL - 1] = 0;
  EXPECT(MPI_Info_set(info, key, value) == MPI_SUCCESS);
  EXPECT(has(info, key, value));
  memset(got, 'x', sizeof(got));
  MPI_Info_get_nthkey(info, 0, got);
  EXPECT(!strcmp(got, key) && got[MPI_MAX_INFO_KEY] == 'x');
  key[MPI_MAX_INFO_KEY - 1] = 'k', key[MPI_MAX_INFO_KEY] = 0;
  EXPECT(MPI_Info_set(info, key, "x") == MPI_ERR_INFO_KEY);
  value[MPI_MAX_INFO_VAL - 1] = 'v', value[MPI_MAX_INFO_VAL] = 0;
  EXPECT(MPI_Info_set(info, "x", value) == MPI_ERR_INFO_VALUE);
  MPI_Info_free(&info);
}

/// How the program was started.
static void environment(void) {
  MPI_Info copy;
  char key[MPI_MAX_INFO_KEY];
  int count, copied, flag, length;
  EXPECT(MPI_Info_get_nkeys(MPI_INFO_ENV, &count) == MPI_SUCCESS && count > 0);
  for (int i = 0; i < count; ++i) {
    MPI_Info_get_nthkey(MPI_INFO_ENV, i, key);
    MPI_Info_get_valuelen(MPI_INFO_ENV, key, &length, &flag);
    EXPECT(flag);
  }
  MPI_Info_dup(MPI_INFO_ENV, &copy);
  MPI_Info_get_nkeys(copy, &copied);
  EXPECT(copied == count);
  MPI_Info_set(copy, "more", "yes");
  MPI_Info_get_nkeys(MPI_INFO_ENV, &copied);
  EXPECT(copied == count);
  MPI_Info_free(&copy);
}

/// The hints of a duplicate are the ones given, not those of the original.
static void ofCommunicators(void) {
  MPI_Info info, other, used;
  MPI_Comm comm, copy;
  MPI_Request request;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
  MPI_Info_create(&other);
  MPI_Info_set(other, "mpi_assert_no_any_source", "true");
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
  MPI_Comm_get_info(comm, &used);
  EXPECT(has(used, "mpi_assert_no_any_tag", "true"));
  MPI_Info_free(&used);
  MPI_Comm_dup(comm, &copy);
  MPI_Comm_get_info(copy, &used);
  EXPECT(has(used, "mpi_assert_no_any_tag", "true"));
  MPI_Info_free(&used);
  MPI_Comm_free(&copy);
  MPI_Comm_dup_with_info(comm, other, &copy);
  MPI_Comm_get_info(copy, &used);
  EXPECT(!has(used, "mpi_assert_no_any_tag", "true") && has(used, "mpi_assert_no_any_source", "true"));
  MPI_Info_free(&used);
  MPI_Comm_free(&copy);
  // The info may be freed at once.
  MPI_Comm_idup_with_info(comm, other, &copy, &request);
  MPI_Info_free(&other);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_get_info(copy, &used);
  EXPECT(!has(used, "mpi_assert_no_any_tag", "true") && has(used, "mpi_assert_no_any_source", "true"));
  MPI_Info_free(&used);
  MPI_Comm_free(&copy);
  MPI_Comm_idup_with_info(comm, MPI_INFO_NULL, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_get_info(copy, &used);
  EXPECT(!has(used, "mpi_assert_no_any_tag", "true"));
  MPI_Info_free(&used);
  MPI_Comm_free(&copy);
  MPI_Info_set(info, "mpi_assert_no_any_tag", "false");
  MPI_Comm_set_info(comm, info);
  MPI_Comm_get_info(comm, &used);
  EXPECT(has(used, "mpi_assert_no_any_tag", "false"));
  MPI_Info_free(&used);
  MPI_Info_free(&info);
  MPI_Comm_free(&comm);
}

static void ofWindows(void) {
  MPI_Info info, used;
  MPI_Win win;
  int *memory;
  MPI_Info_create(&info);
  MPI_Info_set(info, "accumulate_ordering", "none");
  MPI_Win_allocate(8, 1, info, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_get_info(win, &used);
  EXPECT(has(used, "accumulate_ordering", "none"));
  MPI_Info_free(&used);
  MPI_Info_set(info, "accumulate_ordering", "rar,waw");
  MPI_Info_set(info, "unknown", "value");
  EXPECT(MPI_Win_set_info(win, info) == MPI_SUCCESS);
  MPI_Win_get_info(win, &used);
  EXPECT(has(used, "accumulate_ordering", "rar,waw") && !has(used, "unknown", "value"));
  MPI_Info_free(&used);
  MPI_Info_free(&info);
  MPI_Win_free(&win);
}

static void ofFiles(const char *name) {
  MPI_Info info, used;
  MPI_File file;
  MPI_Info_create(&info);
  MPI_Info_set(info, "access_style", "read_once");
  MPI_Info_set(info, "unknown", "value");
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, info, &file);
  EXPECT(MPI_File_get_info(file, &used) == MPI_SUCCESS);
  EXPECT(has(used, "access_style", "read_once") && !has(used, "unknown", "value"));
  MPI_Info_free(&used);
  MPI_Info_set(info, "access_style", "random");
  EXPECT(MPI_File_set_info(file, info) == MPI_SUCCESS);
  MPI_File_get_info(file, &used);
  EXPECT(has(used, "access_style", "random") && !has(used, "unknown", "value"));
  MPI_Info_free(&used);
  MPI_Info_free(&info);
  MPI_File_close(&file);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  returnErrors();
  entries();
  limits();
  environment();
  ofCommunicators();
  ofWindows();
  ofFiles(argv[1]);
  return asExpected("info");
}
