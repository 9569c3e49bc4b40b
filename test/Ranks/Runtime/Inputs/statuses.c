// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a status says, and setting it (MPI-4, 3.2.5 and 13.3): by functions and by its fields.
#include "expect.h"
#include <string.h>

static void fields(void) {
  MPI_Status status;
  int value;
  memset(&status, 0, sizeof(status));
  MPI_Status_set_source(&status, 7);
  MPI_Status_set_tag(&status, 8);
  MPI_Status_set_error(&status, MPI_ERR_TAG);
  EXPECT(status.MPI_SOURCE == 7 && status.MPI_TAG == 8 && status.MPI_ERROR == MPI_ERR_TAG);
  status.MPI_SOURCE = MPI_PROC_NULL;
  status.MPI_TAG = MPI_ANY_TAG;
  status.MPI_ERROR = MPI_SUCCESS;
  MPI_Status_get_source(&status, &value);
  EXPECT(value == MPI_PROC_NULL);
  MPI_Status_get_tag(&status, &value);
  EXPECT(value == MPI_ANY_TAG);
  MPI_Status_get_error(&status, &value);
  EXPECT(value == MPI_SUCCESS);
  MPI_Test_cancelled(&status, &value);
  EXPECT(!value);
  MPI_Status_set_cancelled(&status, 5);
  MPI_Test_cancelled(&status, &value);
  EXPECT(value);
  MPI_Status_set_cancelled(&status, 0);
  MPI_Test_cancelled(&status, &value);
  EXPECT(!value);
}

static void elements(void) {
  MPI_Status status;
  MPI_Datatype pair, mixed, none;
  int count;
  MPI_Count large;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &mixed);
  MPI_Type_commit(&mixed);
  MPI_Type_contiguous(0, MPI_INT, &none);
  MPI_Type_commit(&none);
  memset(&status, 0, sizeof(status));
  // Five ints are two and a half pairs.
  EXPECT(MPI_Status_set_elements(&status, pair, 5) == MPI_SUCCESS);
  MPI_Get_elements(&status, pair, &count);
  EXPECT(count == 5);
  MPI_Get_count(&status, pair, &count);
  EXPECT(count == MPI_UNDEFINED);
  MPI_Get_count(&status, MPI_INT, &count);
  EXPECT(count == 5);
  MPI_Get_count_c(&status, pair, &large);
  EXPECT(large == MPI_UNDEFINED);
  MPI_Status_set_elements(&status, pair, 6);
  MPI_Get_count(&status, pair, &count);
  EXPECT(count == 3);
  // Three elements of int and double in turn.
  MPI_Status_set_elements_x(&status, mixed, 3);
  MPI_Get_elements_x(&status, mixed, &large);
  EXPECT(large == 3);
  MPI_Get_count(&status, MPI_BYTE, &count);
  EXPECT(count == 16);
  MPI_Get_count_c(&status, mixed, &large);
  EXPECT(large == MPI_UNDEFINED);
  // More than an int counts.
  MPI_Count many = 3000000000;
  EXPECT(MPI_Status_set_elements_c(&status, MPI_INT, many) == MPI_SUCCESS);
  MPI_Get_elements_c(&status, MPI_INT, &large);
  EXPECT(large == many);
  MPI_Get_count_c(&status, MPI_INT, &large);
  EXPECT(large == many);
  MPI_Get_count_c(&status, pair, &large);
  EXPECT(large == many / 2);
  MPI_Get_count(&status, pair, &count);
  EXPECT(count == many / 2);
  MPI_Get_count(&status, MPI_INT, &count);
  EXPECT(count == MPI_UNDEFINED);
  MPI_Get_elements(&status, MPI_INT, &count);
  EXPECT(count == MPI_UNDEFINED);
  MPI_Status_set_elements(&status, MPI_INT, 0);
  MPI_Get_count(&status, none, &count);
  EXPECT(count == 0);
  MPI_Get_elements(&status, none, &count);
  EXPECT(count == 0);
  MPI_Get_count(&status, pair, &count);
  EXPECT(count == 0);
  MPI_Type_free(&pair);
  MPI_Type_free(&mixed);
  MPI_Type_free(&none);
}

/// What a message leaves behind.
static void received(void) {
  int rank, size, value[4] = {0}, got;
  MPI_Status status;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Sendrecv(value, 3, MPI_INT, (rank + 1) % size, 4, value, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
               &status);
  MPI_Status_get_source(&status, &got);
  EXPECT(got == (rank + size - 1) % size);
  MPI_Status_get_tag(&status, &got);
  EXPECT(got == 4);
  MPI_Get_count(&status, MPI_INT, &got);
  EXPECT(got == 3);
  MPI_Recv(value, 4, MPI_INT, MPI_PROC_NULL, 9, MPI_COMM_WORLD, &status);
  MPI_Status_get_source(&status, &got);
  EXPECT(got == MPI_PROC_NULL);
  MPI_Status_get_tag(&status, &got);
  EXPECT(got == MPI_ANY_TAG);
  MPI_Get_count(&status, MPI_INT, &got);
  EXPECT(got == 0);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  fields();
  elements();
  received();
  return asExpected("statuses");
}
