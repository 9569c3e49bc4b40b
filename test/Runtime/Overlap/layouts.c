// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's layouts of random nested datatypes, compared with the bytes that MPI packs: all of them, and no others
// for layouts with one stride.
//
// MPICH 5.0 divides by zero where it packs some of these datatypes.
// REQUIRES: openmpi
// RUN: %mpicc -g -fsanitize=address,undefined -fno-sanitize-recover=all %s -L%comm_lib_dir -lCommOverlapPointer -o %t
// RUN: env ASAN_OPTIONS=detect_leaks=0 %mpirun -n 1 %t > %t.txt 2>&1
// RUN: FileCheck %s < %t.txt
//
// CHECK-NOT: misses
// CHECK: column: begin 0 size 8 stride 48 count 5 extent 200 column 0
// CHECK: block: begin 64 size 16 stride 48 count 3 extent 288 column 16
// CHECK: rows: begin 0 size 240 stride 0 count 1 extent 240 column 0
// CHECK: upwards: begin -96 size 8 stride 48 count 3
// CHECK: plane: begin 48 size 48 stride 240 count 3
// CHECK: face: begin 8 size 8 stride 48 count 15
// CHECK: below them, a row higher, right of them: 1 0 1
// CHECK: none: begin 0 size 0 stride 0 count 1
// CHECK: null: anywhere
// CHECK: one layout: 1
// CHECK: stays after the datatype is freed: 48
// CHECK-NOT: {{misses|meet}}
// CHECK: 3000 datatypes, pairs apart: many
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CommTypeLayout {
  int64_t begin, size, stride, count, extent; // and more
};
const struct CommTypeLayout *comm_ask_type_layout(MPI_Datatype type) __asm__("comm.ask_type_layout");
int64_t comm_ask_type_begin(const struct CommTypeLayout *layout) __asm__("comm.ask_type_begin");
int64_t comm_ask_type_size(const struct CommTypeLayout *layout) __asm__("comm.ask_type_size");
int64_t comm_ask_type_stride(const struct CommTypeLayout *layout) __asm__("comm.ask_type_stride");
int64_t comm_ask_type_count(const struct CommTypeLayout *layout) __asm__("comm.ask_type_count");
int64_t comm_ask_type_extent(const struct CommTypeLayout *layout) __asm__("comm.ask_type_extent");
int64_t comm_ask_type_column(const struct CommTypeLayout *layout) __asm__("comm.ask_type_column");
int comm_ask_layouts_apart(const struct CommTypeLayout *layout,
                           const struct CommTypeLayout *other,
                           int64_t distance) __asm__("comm.ask_layouts_apart");

static void tell(const char *name, MPI_Datatype type) {
  const struct CommTypeLayout *l = comm_ask_type_layout(type);
  printf("%s: begin %ld size %ld stride %ld count %ld extent %ld column %ld\n",
         name, (long)comm_ask_type_begin(l), (long)comm_ask_type_size(l),
         (long)comm_ask_type_stride(l), (long)comm_ask_type_count(l),
         (long)comm_ask_type_extent(l), (long)comm_ask_type_column(l));
}

static int pick(int n) { return rand() % n; }

static MPI_Datatype make(int depth) {
  if (depth == 0) {
    MPI_Datatype predefined[] = {MPI_DOUBLE, MPI_INT, MPI_CHAR, MPI_DOUBLE_INT};
    return predefined[pick(4)];
  }
  MPI_Datatype inner = make(depth - 1), type;
  int lengths[3] = {pick(3), pick(3), pick(3)},
      places[3] = {pick(8) - 3, pick(8), pick(8)};
  MPI_Aint bytes[3] = {pick(64) - 20, pick(64), pick(64)}, lower, extent;
  MPI_Datatype types[3] = {inner, MPI_INT, inner};
  int sizes[3] = {pick(4) + 1, pick(4) + 1, pick(4) + 1}, part[3], first[3];
  for (int i = 0; i < 3; ++i) {
    part[i] = pick(sizes[i]) + 1;
    first[i] = pick(sizes[i] - part[i] + 1);
  }
  switch (pick(10)) {
  case 0:
    MPI_Type_contiguous(pick(4), inner, &type);
    break;
  case 1:
    MPI_Type_vector(pick(4), pick(3), pick(9) - 3, inner, &type);
    break;
  case 2:
    MPI_Type_create_hvector(pick(4), pick(3), pick(120) - 40, inner, &type);
    break;
  case 3:
    MPI_Type_indexed(3, lengths, places, inner, &type);
    break;
  case 4:
    MPI_Type_create_hindexed(3, lengths, bytes, inner, &type);
    break;
  case 5:
    MPI_Type_create_struct(3, lengths, bytes, types, &type);
    break;
  case 6:
    MPI_Type_get_extent(inner, &lower, &extent);
    MPI_Type_create_resized(inner, lower - pick(9), extent + pick(9), &type);
    break;
  case 7:
    MPI_Type_dup(inner, &type);
    break;
  case 8:
    MPI_Type_create_indexed_block(3, pick(3), places, inner, &type);
    break;
  default:
    MPI_Type_create_subarray(3, sizes, part, first,
                             pick(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, inner,
                             &type);
  }
  if (depth > 1)
    MPI_Type_free(&inner);
  return type;
}

enum { half = 1 << 16 };

/// Packs bytes of ones, and unpacks them over zeroes. 0 if it has bytes far away.
static int cover(MPI_Datatype type, unsigned char *covered) {
  static unsigned char ones[2 * half], packed[4 * half];
  MPI_Aint lower, span;
  MPI_Type_get_true_extent(type, &lower, &span);
  if (lower < -half || lower > half || span > half - lower)
    return 0;
  memset(ones, 255, sizeof ones);
  memset(covered, 0, 2 * half);
  int end = 0, position = 0;
  MPI_Pack(ones + half, 1, type, packed, sizeof packed, &end, MPI_COMM_SELF);
  MPI_Unpack(packed, end, &position, covered + half, 1, type, MPI_COMM_SELF);
  return 1;
}

static void compare(MPI_Datatype type, const unsigned char *covered,
                    int number) {
  const struct CommTypeLayout *l = comm_ask_type_layout(type);
  int64_t begin = l->begin;
  for (int64_t i = -half; i < half; ++i) {
    if (!covered[half + i])
      continue;
    int64_t from = i - begin, blocks = l->stride ? from / l->stride : 0;
    int isThere =
        from >= 0 && blocks < l->count && from - blocks * l->stride < l->size;
    if (!isThere) {
      printf("datatype %d misses byte %ld\n", number, (long)i);
      tell("it", type);
      return;
    }
  }
}

/// An element of the other datatype at this offset in bytes. Counts how often they are disjoint.
static int compareTwo(const struct CommTypeLayout *layout,
                      const unsigned char *covered,
                      const struct CommTypeLayout *other,
                      const unsigned char *others, int shift, int number) {
  int64_t distance = other->begin + shift - layout->begin;
  if (!comm_ask_layouts_apart(layout, other, distance))
    return 0;
  for (int i = 0; i < 2 * half; ++i)
    if (i - shift >= 0 && i - shift < 2 * half && covered[i] &&
        others[i - shift]) {
      printf("datatypes %d and %d meet, %d bytes apart\n", number - 1, number,
             shift);
      break;
    }
  return 1;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Datatype column, copy, block, rows, upwards, plane, face, none;
  MPI_Type_vector(5, 1, 6, MPI_DOUBLE, &column);
  tell("column", column);
  int sizes[2] = {6, 6}, part[2] = {3, 2}, first[2] = {1, 2};
  MPI_Type_create_subarray(2, sizes, part, first, MPI_ORDER_C, MPI_DOUBLE,
                           &block);
  tell("block", block);
  MPI_Type_vector(5, 6, 6, MPI_DOUBLE, &rows);
  tell("rows", rows);
  MPI_Type_vector(3, 1, -6, MPI_DOUBLE, &upwards);
  tell("upwards", upwards);
  int cube[3] = {3, 5, 6}, inPlane[3] = {3, 1, 6}, atPlane[3] = {0, 1, 0},
      inFace[3] = {3, 5, 1}, atFace[3] = {0, 0, 1};
  MPI_Type_create_subarray(3, cube, inPlane, atPlane, MPI_ORDER_C, MPI_DOUBLE,
                           &plane);
  tell("plane", plane);
  MPI_Type_create_subarray(3, cube, inFace, atFace, MPI_ORDER_C, MPI_DOUBLE,
                           &face);
  tell("face", face);
  // Rows of all planes except the first row of each, columns of them, and the first rows.
  int inRows[3] = {3, 1, 4}, inColumns[3] = {3, 3, 1}, origin[3] = {0, 0, 0};
  MPI_Datatype ghostRows, columns;
  MPI_Type_create_subarray(3, cube, inRows, origin, MPI_ORDER_C, MPI_DOUBLE,
                           &ghostRows);
  MPI_Type_create_subarray(3, cube, inColumns, origin, MPI_ORDER_C, MPI_DOUBLE,
                           &columns);
  const struct CommTypeLayout *ghostLayout = comm_ask_type_layout(ghostRows),
                              *columnLayout = comm_ask_type_layout(columns);
  printf("below them, a row higher, right of them: %d %d %d\n",
         comm_ask_layouts_apart(ghostLayout, columnLayout, 6 * sizeof(double)),
         comm_ask_layouts_apart(ghostLayout, columnLayout, 0),
         comm_ask_layouts_apart(ghostLayout, columnLayout, 4 * sizeof(double)));
  MPI_Type_vector(0, 1, 6, MPI_DOUBLE, &none);
  tell("none", none);
  const struct CommTypeLayout *null = comm_ask_type_layout(MPI_DATATYPE_NULL);
  printf("null: %s\n", null->begin < -(1L << 50) && null->size > 1L << 50
                           ? "anywhere"
                           : "known");
  MPI_Type_dup(column, &copy);
  const struct CommTypeLayout *kept = comm_ask_type_layout(copy);
  printf("one layout: %d\n", kept == comm_ask_type_layout(column));
  MPI_Type_free(&column);
  MPI_Type_free(&copy);
  printf("stays after the datatype is freed: %ld\n",
         (long)comm_ask_type_stride(kept));
  srand(1);
  static unsigned char covered[2][2 * half];
  const struct CommTypeLayout *before = 0;
  int number = 0, apart = 0;
  for (; number < 3000; ++number) {
    MPI_Datatype type = make(1 + number % 3);
    MPI_Type_commit(&type);
    const struct CommTypeLayout *layout = 0;
    if (cover(type, covered[number % 2])) {
      compare(type, covered[number % 2], number);
      layout = comm_ask_type_layout(type);
    }
    for (int i = 0; layout && before && i < 4; ++i)
      apart += compareTwo(before, covered[1 - number % 2], layout,
                          covered[number % 2], pick(400) - 200, number);
    before = layout;
    MPI_Type_free(&type);
  }
  printf("%d datatypes, pairs apart: %s\n", number,
         apart > 1000 ? "many" : "few");
  MPI_Finalize();
  return 0;
}
