// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packing (MPI-4, 5.2), also as messages, and in the representation "external32" (MPI-4, 5.3 and 14.5.2).
#include "expect.h"
#include <stdlib.h>
#include <string.h>

/// An int, every second double, and text, one after another.
static void sequence(int rank, int size) {
  char packed[512];
  int position = 0, number = rank + 3, need, sum = 0, got = -1;
  double values[6] = {1.5, -1, 2.5, -1, 3.5, -1}, in[6];
  char text[8] = "abcdefg", back[8];
  MPI_Datatype spread;
  MPI_Status status;
  MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &spread);
  MPI_Type_commit(&spread);
  MPI_Pack_size(1, MPI_INT, MPI_COMM_WORLD, &need);
  EXPECT(need >= 4);
  sum += need;
  MPI_Pack_size(1, spread, MPI_COMM_WORLD, &need);
  EXPECT(need >= 24);
  sum += need;
  MPI_Pack_size(8, MPI_CHAR, MPI_COMM_WORLD, &need);
  EXPECT(need >= 8);
  sum += need;
  EXPECT(MPI_Pack(&number, 1, MPI_INT, packed, sum, &position, MPI_COMM_WORLD) == MPI_SUCCESS);
  EXPECT(MPI_Pack(values, 1, spread, packed, sum, &position, MPI_COMM_WORLD) == MPI_SUCCESS);
  EXPECT(MPI_Pack(text, 0, MPI_CHAR, packed, sum, &position, MPI_COMM_WORLD) == MPI_SUCCESS);
  EXPECT(MPI_Pack(text, 8, MPI_CHAR, packed, sum, &position, MPI_COMM_WORLD) == MPI_SUCCESS);
  EXPECT(position > 0 && position <= sum);
  // More than there is room for.
  int end = position;
  EXPECT(MPI_Pack(values, 6, MPI_DOUBLE, packed, sum, &end, MPI_COMM_WORLD) != MPI_SUCCESS);
  // A packed message is received as MPI_PACKED, or as what was packed.
  char other[512];
  int next = (rank + 1) % size, before = (rank + size - 1) % size, length;
  MPI_Sendrecv(packed, position, MPI_PACKED, next, 0, other, 512, MPI_PACKED, before, 0, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_PACKED, &length);
  EXPECT(length == position);
  position = 0;
  for (int i = 0; i < 6; ++i)
    in[i] = -1;
  EXPECT(MPI_Unpack(other, length, &position, &got, 1, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS);
  EXPECT(MPI_Unpack(other, length, &position, in, 1, spread, MPI_COMM_WORLD) == MPI_SUCCESS);
  EXPECT(MPI_Unpack(other, length, &position, back, 8, MPI_CHAR, MPI_COMM_WORLD) == MPI_SUCCESS);
  EXPECT(position == length && got == before + 3 && !strcmp(back, text));
  for (int i = 0; i < 6; ++i)
    EXPECT(in[i] == (i % 2 ? -1 : 1.5 + i / 2));
  position = 0;
  MPI_Pack(values, 1, spread, packed, sizeof(packed), &position, MPI_COMM_WORLD);
  MPI_Sendrecv(packed, position, MPI_PACKED, next, 1, in, 3, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &status);
  EXPECT(in[0] == 1.5 && in[1] == 2.5 && in[2] == 3.5);
  // By addresses.
  MPI_Datatype placed;
  MPI_Aint at;
  MPI_Get_address(&number, &at);
  MPI_Type_create_hindexed(1, (int[]){1}, &at, MPI_INT, &placed);
  MPI_Type_commit(&placed);
  position = 0;
  MPI_Pack(MPI_BOTTOM, 1, placed, packed, sizeof(packed), &position, MPI_COMM_WORLD);
  number = 0;
  length = position, position = 0;
  MPI_Unpack(packed, length, &position, MPI_BOTTOM, 1, placed, MPI_COMM_WORLD);
  EXPECT(number == rank + 3);
  MPI_Type_free(&placed);
  MPI_Type_free(&spread);
}

/// Big-endian, of the sizes that the standard lists.
static void external(void) {
  struct {
    int number;
    double values[4];
    short small;
  } out = {0x01020304, {1.0, 0, -2.0, 0}, 0x0506}, in;
  unsigned char packed[64];
  const unsigned char wanted[] = {1, 2, 3, 4, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0, 5, 6};
  MPI_Datatype spread;
  MPI_Aint position = 0, size, total = 0;
  MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &spread);
  MPI_Type_commit(&spread);
  EXPECT(MPI_Pack_external_size("external32", 1, MPI_INT, &size) == MPI_SUCCESS && size == 4);
  total += size;
  EXPECT(MPI_Pack_external_size("external32", 1, spread, &size) == MPI_SUCCESS && size == 16);
  total += size;
  EXPECT(MPI_Pack_external_size("external32", 1, MPI_SHORT, &size) == MPI_SUCCESS && size == 2);
  total += size;
  EXPECT(MPI_Pack_external_size("external32", 0, MPI_SHORT, &size) == MPI_SUCCESS && size == 0);
  EXPECT(MPI_Pack_external("external32", &out.number, 1, MPI_INT, packed, total, &position) == MPI_SUCCESS);
  EXPECT(position == 4);
  EXPECT(MPI_Pack_external("external32", out.values, 1, spread, packed, total, &position) == MPI_SUCCESS);
  EXPECT(MPI_Pack_external("external32", &out.small, 1, MPI_SHORT, packed, total, &position) == MPI_SUCCESS);
  EXPECT(position == (MPI_Aint)sizeof(wanted) && !memcmp(packed, wanted, sizeof(wanted)));
  memset(&in, -1, sizeof(in));
  in.values[1] = 7;
  position = 0;
  EXPECT(MPI_Unpack_external("external32", packed, total, &position, &in.number, 1, MPI_INT) == MPI_SUCCESS);
  EXPECT(MPI_Unpack_external("external32", packed, total, &position, in.values, 1, spread) == MPI_SUCCESS);
  EXPECT(MPI_Unpack_external("external32", packed, total, &position, &in.small, 1, MPI_SHORT) == MPI_SUCCESS);
  EXPECT(position == total && in.number == out.number && in.small == out.small);
  EXPECT(in.values[0] == 1 && in.values[1] == 7 && in.values[2] == -2);
  MPI_Type_free(&spread);
}

int main(int argc, char **argv) {
  int rank, size;
  begin(&argc, &argv, &rank, &size);
  sequence(rank, size);
  external();
  return asExpected("packing");
}
