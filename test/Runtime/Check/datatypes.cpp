// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes a datatype covers: walking its constructors and letting MPI copy
// an element agree, and only those bytes are poisoned.
//
// RUN: %mpicxx -std=c++17 -g -fsanitize=address -DOMPI_SKIP_MPICXX -I%comm_runtime_include -I%comm_runtime_include/../lib %s %comm_runtime_lib -o %t
// RUN: env ASAN_OPTIONS=detect_leaks=0 %mpirun -n 1 %t > %t.txt 2>&1
// RUN: FileCheck %s < %t.txt
//
// CHECK-NOT: differ
// CHECK-NOT: not walked
// CHECK: vector: [0, 8) [24, 32) [48, 56)
// CHECK: subarray: [56, 72) [96, 112)
// CHECK: double_int: [0, 12)
// CHECK: 16 types agree
// CHECK-NEXT: layout remembered: 1
// CHECK-NEXT: poison is exact
// CHECK-NEXT: bottom is poisoned: 1 1 0
// CHECK-NEXT: done

#include "check/Layout.h"
#include <comm/check.h>
#include <sanitizer/asan_interface.h>
#include <stdio.h>

using namespace comm::runtime;

static int agreed;

static void print(const Array<Run> &runs) {
  for (const Run &run : runs)
    printf(" [%ld, %ld)", long(run.offset), long(run.offset + run.length));
  printf("\n");
}

static int compare(const void *a, const void *b) {
  MPI_Aint x = static_cast<const Run *>(a)->offset;
  MPI_Aint y = static_cast<const Run *>(b)->offset;
  return x < y ? -1 : x > y;
}

static bool covers(const Array<Run> &runs, MPI_Aint byte) {
  for (const Run &run : runs)
    if (byte >= run.offset && byte < run.offset + run.length)
      return true;
  return false;
}

/// Commits the type, compares, and frees it.
static void check(const char *name, MPI_Datatype type, bool show = false) {
  MPI_Type_commit(&type);
  Array<Run> walked, probed;
  if (!walkRuns(type, walked) || !probeRuns(type, probed)) {
    printf("%s: not walked\n", name);
    return;
  }
  qsort(walked.data(), walked.size(), sizeof(Run), compare);
  MPI_Aint lb, extent;
  MPI_Type_get_true_extent(type, &lb, &extent);
  bool same = true;
  for (MPI_Aint byte = lb - 16; byte < lb + extent + 16; ++byte)
    same = same && covers(walked, byte) == covers(probed, byte);
  if (!same || show) {
    printf("%s:%s", name, same ? "" : " walked and probed differ:");
    print(walked);
    if (!same)
      print(probed);
  }
  agreed += same;
  int a, b, c, combiner;
  MPI_Type_get_envelope(type, &a, &b, &c, &combiner);
  if (combiner != MPI_COMBINER_NAMED)
    MPI_Type_free(&type);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  setvbuf(stdout, nullptr, _IONBF, 0);
  MPI_Datatype type, inner;
  MPI_Type_vector(3, 1, 3, MPI_DOUBLE, &type);
  check("vector", type, true);
  int sizes[] = {4, 5}, subsizes[] = {2, 2}, starts[] = {1, 2};
  MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE,
                           &type);
  check("subarray", type, true);
  check("double_int", MPI_DOUBLE_INT, true);
  MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN,
                           MPI_INT, &type);
  check("subarray, Fortran", type);
  int sizes3[] = {3, 4, 5}, subsizes3[] = {2, 3, 2}, starts3[] = {1, 0, 2};
  MPI_Type_create_subarray(3, sizes3, subsizes3, starts3, MPI_ORDER_C,
                           MPI_SHORT_INT, &type);
  check("subarray of short_int", type);
  MPI_Type_vector(4, 2, -3, MPI_INT, &type);
  check("vector backwards", type);
  MPI_Type_create_hvector(3, 2, 13, MPI_CHAR, &type);
  check("hvector", type);
  int lengths[] = {2, 0, 3}, displs[] = {7, 1, 0};
  MPI_Type_indexed(3, lengths, displs, MPI_FLOAT, &type);
  check("indexed", type);
  MPI_Aint bytes[] = {40, 3, 11};
  MPI_Type_create_hindexed(3, lengths, bytes, MPI_SHORT, &type);
  check("hindexed", type);
  MPI_Type_create_indexed_block(3, 1, displs, MPI_DOUBLE, &type);
  check("indexed_block", type);
  MPI_Type_create_hindexed_block(3, 1, bytes, MPI_CHAR, &type);
  check("hindexed_block", type);
  MPI_Type_vector(2, 1, 2, MPI_INT, &inner);
  MPI_Datatype members[] = {inner, MPI_CHAR, MPI_DOUBLE};
  MPI_Aint places[] = {0, 33, 64};
  MPI_Type_create_struct(3, lengths, places, members, &type);
  check("struct", type);
  MPI_Type_create_resized(inner, -4, 100, &type);
  MPI_Datatype row;
  MPI_Type_contiguous(3, type, &row);
  check("contiguous of resized", row);
  MPI_Type_dup(type, &row);
  check("dup", row);
  MPI_Type_free(&type);
  int global[] = {6, 7}, how[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
  int dargs[] = {2, MPI_DISTRIBUTE_DFLT_DARG}, grid[] = {2, 2};
  MPI_Type_create_darray(4, 1, 2, global, how, dargs, grid, MPI_ORDER_C,
                         MPI_INT, &type);
  check("darray", type);
  check("long_double_int", MPI_LONG_DOUBLE_INT);
  printf("%d types agree\n", agreed);

  MPI_Type_commit(&inner);
  Layout *first = acquireLayout(inner), *second = acquireLayout(inner);
  printf("layout remembered: %d\n", first && first == second);
  releaseLayout(first);
  releaseLayout(second);

  // Only bytes of the type are poisoned, at every alignment: other bytes never are, and a whole aligned word of the
  // type always is.
  static const comm_check_site site = {
      COMM_CHECK_ABI_VERSION, 1, 1, 0, "MPI_Irecv", "main", "t.cpp"};
  MPI_Type_create_hvector(3, 29, 61, MPI_CHAR, &type);
  MPI_Type_commit(&type);
  alignas(8) static char buffer[256];
  bool exact = true;
  for (int shift = 0; shift < 16; ++shift) {
    int key = 0;
    comm_check_buffer(&site, &key, buffer + shift, 1, type, MPI_COMM_WORLD, 0,
                      -1, COMM_CHECK_WRITE);
    auto covered = [&](int byte) {
      int at = byte - shift;
      return at >= 0 && at < 2 * 61 + 29 && at % 61 < 29;
    };
    for (int byte = 0; byte < 256; ++byte) {
      bool poisoned = __asan_address_is_poisoned(buffer + byte);
      bool wholeWord = true;
      for (int other = byte & ~7; other < (byte & ~7) + 8; ++other)
        wholeWord = wholeWord && covered(other);
      if ((poisoned && !covered(byte)) || (wholeWord && !poisoned))
        exact = false;
    }
    comm_check_finish(&key);
    exact = exact && !__asan_region_is_poisoned(buffer, sizeof(buffer));
  }
  // Neighbors that share words keep their poison when the other lands.
  char other[3];
  comm_check_buffer(&site, &other[0], buffer, 12, MPI_CHAR, MPI_COMM_WORLD, 0,
                    -1, COMM_CHECK_WRITE);
  comm_check_buffer(&site, &other[1], buffer + 12, 12, MPI_CHAR, MPI_COMM_WORLD,
                    0, -1, COMM_CHECK_WRITE);
  comm_check_finish(&other[1]);
  exact = exact && __asan_address_is_poisoned(buffer + 3) &&
          !__asan_address_is_poisoned(buffer + 13);
  comm_check_finish(&other[0]);
  exact = exact && !__asan_region_is_poisoned(buffer, sizeof(buffer));
  printf("poison is %s\n", exact ? "exact" : "not exact");
  MPI_Type_free(&type);

  // Absolute addresses, far apart, and a type that is freed in flight.
  static double global1[4];
  double *heap = new double[4];
  MPI_Aint absolute[2];
  MPI_Get_address(global1, &absolute[0]);
  MPI_Get_address(heap, &absolute[1]);
  int twoLengths[] = {2, 4};
  MPI_Type_create_hindexed(2, twoLengths, absolute, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  int key = 0;
  comm_check_buffer(&site, &key, MPI_BOTTOM, 1, type, MPI_COMM_WORLD, 0, -1,
                    COMM_CHECK_WRITE);
  MPI_Type_free(&type);
  printf("bottom is poisoned: %d %d %d\n", __asan_address_is_poisoned(global1),
         __asan_address_is_poisoned(heap + 3),
         __asan_address_is_poisoned(global1 + 2));
  comm_check_finish(&key);
  delete[] heap;
  MPI_Type_free(&inner);
  printf("done\n");
  MPI_Finalize();
}
