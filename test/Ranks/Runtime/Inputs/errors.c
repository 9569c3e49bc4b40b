// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The texts of errors, and classes and codes that the program adds (MPI-4, 9.4 and 9.5).
#include "expect.h"
#include <string.h>

int main(int argc, char **argv) {
  char text[MPI_MAX_ERROR_STRING], longest[MPI_MAX_ERROR_STRING];
  int length, class, code, second, got, flag, *last, before;
  MPI_Init(&argc, &argv);
  returnErrors();
  const int classes[] = {MPI_SUCCESS,      MPI_ERR_BUFFER,    MPI_ERR_COUNT,    MPI_ERR_TYPE,    MPI_ERR_TAG,
                         MPI_ERR_COMM,     MPI_ERR_RANK,      MPI_ERR_ROOT,     MPI_ERR_GROUP,   MPI_ERR_OP,
                         MPI_ERR_TOPOLOGY, MPI_ERR_DIMS,      MPI_ERR_ARG,      MPI_ERR_OTHER,   MPI_ERR_WIN,
                         MPI_ERR_FILE,     MPI_ERR_IN_STATUS, MPI_ERR_PENDING,  MPI_ERR_INFO,    MPI_ERR_KEYVAL,
                         MPI_ERR_NAME,     MPI_ERR_SPAWN,     MPI_ERR_TRUNCATE, MPI_ERR_LASTCODE};
  for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); ++i) {
    memset(text, 'x', sizeof(text));
    EXPECT(MPI_Error_string(classes[i], text, &length) == MPI_SUCCESS);
    EXPECT(length > 0 && length < MPI_MAX_ERROR_STRING && (int)strlen(text) == length);
    EXPECT(MPI_Error_class(classes[i], &class) == MPI_SUCCESS && class == classes[i]);
  }
  // What a function returns has a text.
  code = MPI_Send(NULL, -1, MPI_INT, 0, 0, MPI_COMM_SELF);
  MPI_Error_class(code, &class);
  EXPECT(class == MPI_ERR_COUNT && MPI_Error_string(code, text, &length) == MPI_SUCCESS && length > 0);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
  EXPECT(flag && *last >= MPI_ERR_LASTCODE);
  before = *last;
  EXPECT(MPI_Add_error_class(&class) == MPI_SUCCESS && class > MPI_ERR_LASTCODE);
  EXPECT(MPI_Add_error_code(class, &code) == MPI_SUCCESS && code != class);
  EXPECT(MPI_Add_error_code(MPI_ERR_TAG, &second) == MPI_SUCCESS && second != code && second > MPI_ERR_LASTCODE);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
  EXPECT(flag && *last >= second && *last >= code && *last > before);
  // Without a text of its own, it is empty.
  MPI_Error_string(code, text, &length);
  EXPECT(length == 0 && !*text);
  EXPECT(MPI_Add_error_string(class, "a class") == MPI_SUCCESS);
  EXPECT(MPI_Add_error_string(code, "a code") == MPI_SUCCESS);
  MPI_Error_string(class, text, &length);
  EXPECT(length == 7 && !strcmp(text, "a class"));
  MPI_Error_string(code, text, &length);
  EXPECT(length == 6 && !strcmp(text, "a code"));
  MPI_Add_error_string(code, "another");
  MPI_Error_string(code, text, &length);
  EXPECT(length == 7 && !strcmp(text, "another"));
  memset(longest, 'e', sizeof(longest));
  longest[MPI_MAX_ERROR_STRING - 1] = 0;
  MPI_Add_error_string(second, longest);
  MPI_Error_string(second, text, &length);
  EXPECT(length == MPI_MAX_ERROR_STRING - 1 && !strcmp(text, longest));
  MPI_Error_class(code, &got);
  EXPECT(got == class);
  MPI_Error_class(second, &got);
  EXPECT(got == MPI_ERR_TAG);
  MPI_Error_class(class, &got);
  EXPECT(got == class);
  EXPECT(MPI_Add_error_string(MPI_ERR_TAG, "mine") != MPI_SUCCESS);
  EXPECT(MPI_Error_string(-7, text, &length) != MPI_SUCCESS);
  return asExpected("errors");
}
