// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of objects (MPI-4, 7.8), versions, clocks, and other questions about MPI itself (MPI-4, 9.1, 9.6, 11.2).
#include "expect.h"
#include <stdlib.h>
#include <string.h>

static void objects(void) {
  char name[MPI_MAX_OBJECT_NAME + 8], longest[MPI_MAX_OBJECT_NAME + 8];
  int length, *memory;
  MPI_Comm comm, parent;
  MPI_Datatype type, copy;
  MPI_Win win;
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  EXPECT(!strcmp(name, "MPI_COMM_WORLD") && length == 14);
  MPI_Comm_get_name(MPI_COMM_SELF, name, &length);
  EXPECT(!strcmp(name, "MPI_COMM_SELF") && length == 13);
  MPI_Comm_get_parent(&parent);
  EXPECT(parent == MPI_COMM_NULL);
  // A duplicate has no name until it gets one, of which as much is kept as there is room for.
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_get_name(comm, name, &length);
  EXPECT(!*name && !length);
  MPI_Comm_set_name(comm, "mine");
  MPI_Comm_get_name(comm, name, &length);
  EXPECT(!strcmp(name, "mine") && length == 4);
  memset(longest, 'n', sizeof(longest));
  longest[MPI_MAX_OBJECT_NAME + 4] = 0;
  MPI_Comm_set_name(comm, longest);
  memset(name, 'x', sizeof(name));
  MPI_Comm_get_name(comm, name, &length);
  EXPECT(length == MPI_MAX_OBJECT_NAME - 1 && (int)strlen(name) == length && name[MPI_MAX_OBJECT_NAME] == 'x');
  MPI_Comm_free(&comm);
  MPI_Type_get_name(MPI_INT, name, &length);
  EXPECT(!strcmp(name, "MPI_INT") && length == 7);
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Type_get_name(type, name, &length);
  EXPECT(!*name && !length);
  MPI_Type_set_name(type, "three");
  MPI_Type_get_name(type, name, &length);
  EXPECT(!strcmp(name, "three") && length == 5);
  MPI_Type_dup(type, &copy);
  MPI_Type_get_name(copy, name, &length);
  EXPECT(!*name && !length);
  MPI_Type_free(&copy);
  MPI_Type_free(&type);
  MPI_Win_allocate(4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_get_name(win, name, &length);
  EXPECT(!*name && !length);
  MPI_Win_set_name(win, "window");
  MPI_Win_get_name(win, name, &length);
  EXPECT(!strcmp(name, "window") && length == 6);
  MPI_Win_free(&win);
}

static void library(void) {
  char *text = malloc(MPI_MAX_LIBRARY_VERSION_STRING);
  int version, subversion, length, flag;
  MPI_Get_version(&version, &subversion);
  EXPECT(version == MPI_VERSION && subversion == MPI_SUBVERSION);
  MPI_Abi_get_version(&version, &subversion);
  EXPECT(version == MPI_ABI_VERSION && subversion == MPI_ABI_SUBVERSION);
  MPI_Get_library_version(text, &length);
  EXPECT(length > 0 && length < MPI_MAX_LIBRARY_VERSION_STRING && (int)strlen(text) == length);
  MPI_Get_processor_name(text, &length);
  EXPECT(length > 0 && length < MPI_MAX_PROCESSOR_NAME && (int)strlen(text) == length);
  free(text);
  MPI_Initialized(&flag);
  EXPECT(flag);
  MPI_Finalized(&flag);
  EXPECT(!flag);
  MPI_Pcontrol(1);
  double before = MPI_Wtime(), after;
  EXPECT(MPI_Wtick() > 0 && MPI_Wtick() < 1);
  do
    after = MPI_Wtime();
  while (after == before);
  EXPECT(after > before && after - before < 100);
}

static void addresses(void) {
  int data[10];
  MPI_Aint first, second;
  MPI_Get_address(&data[1], &first);
  MPI_Get_address(&data[8], &second);
  EXPECT(MPI_Aint_diff(second, first) == 7 * (MPI_Aint)sizeof(int));
  EXPECT(MPI_Aint_add(first, 7 * sizeof(int)) == second);
  MPI_Datatype type, shifted;
  MPI_Aint lower, extent;
  MPI_Count wideLower, wideExtent, size;
  MPI_Type_create_hindexed(2, (int[]){1, 2}, (MPI_Aint[]){8, 40}, MPI_INT, &type);
  MPI_Type_create_resized(type, -16, 100, &shifted);
  MPI_Type_get_extent(type, &lower, &extent);
  EXPECT(lower == 8 && extent == 40);
  MPI_Type_get_true_extent(shifted, &lower, &extent);
  EXPECT(lower == 8 && extent == 40);
  MPI_Type_get_extent_x(shifted, &wideLower, &wideExtent);
  EXPECT(wideLower == -16 && wideExtent == 100);
  MPI_Type_get_true_extent_x(shifted, &wideLower, &wideExtent);
  EXPECT(wideLower == 8 && wideExtent == 40);
  MPI_Type_size_x(shifted, &size);
  EXPECT(size == 12);
  MPI_Type_free(&type);
  MPI_Type_free(&shifted);
}

int main(int argc, char **argv) {
  int flag;
  MPI_Initialized(&flag);
  if (flag)
    return 1;
  MPI_Init(&argc, &argv);
  objects();
  library();
  addresses();
  int result = asExpected("names");
  MPI_Finalized(&flag);
  MPI_Initialized(&result);
  return !flag || !result;
}
