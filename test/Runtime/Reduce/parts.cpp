// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts are read as they were written, in the smallest form, within the space that there is.
//
// clang-format off
// RUN: %mpicxx -std=c++17 -O1 -Wall -I%comm_runtime_include %s -o %t %comm_lib_dir/libCommReduce.a
// RUN: %mpirun -n 1 %t | FileCheck %s
// clang-format on
// CHECK-NOT: wrong
// CHECK: parts right
#include "comm/reduce.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

static int wrong;
#define EXPECT(condition)                                                      \
  do {                                                                         \
    if (!(condition) && wrong++ < 10)                                          \
      printf("wrong: line %d: %s\n", __LINE__, #condition);                    \
  } while (0)

static uint32_t draw() {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<uint32_t>(state >> 33);
}

/* Writes the values at some positions of `of` values in parts of at most `space` bytes, and reads them. Returns the
 * bytes of all parts. */
static size_t check(size_t of, const std::vector<uint32_t> &positions,
                    size_t valueBytes, size_t space) {
  std::vector<char> values(of * valueBytes), got(of * valueBytes, 0);
  for (char &each : values)
    each = static_cast<char>(1 + draw() % 100);
  std::vector<uint32_t> scratch(of);
  std::vector<char> expected(of * valueBytes, 0);
  const bool isAll = comm_part_is_all(positions.size(), of, valueBytes);
  const size_t wanted = isAll ? of : positions.size();
  size_t bytes = 0;
  for (size_t at = 0; at < wanted;) {
    std::vector<uint64_t> memory(
        std::min(space, comm_part_most(of, valueBytes)) / 8);
    comm_part part;
    comm_part_write(memory.data(), memory.size() * 8, static_cast<uint32_t>(at),
                    isAll ? nullptr : &positions[at], wanted - at, valueBytes,
                    &part);
    EXPECT(part.count && part.bytes <= memory.size() * 8);
    EXPECT(part.bytes % 8 == 0);
    if (!part.count)
      return 0;
    for (size_t i = 0; i < part.count; ++i) {
      size_t from = isAll ? at + i : positions[at + i];
      memcpy(part.values + i * valueBytes, &values[from * valueBytes],
             valueBytes);
      memcpy(&expected[from * valueBytes], &values[from * valueBytes],
             valueBytes);
    }
    comm_part read;
    EXPECT(comm_part_read(memory.data(), valueBytes, scratch.data(), &read) ==
           part.count);
    EXPECT(read.bytes == part.bytes);
    for (size_t i = 0; i < read.count; ++i)
      memcpy(&got[(read.positions ? read.positions[i] : read.first + i) *
                  valueBytes],
             read.values + i * valueBytes, valueBytes);
    at += part.count;
    bytes += part.bytes;
  }
  EXPECT(got == expected);
  // No form is much larger than the smallest one: heads, padding, and bitsets
  // that end in a word.
  size_t count = positions.size(),
         least = std::min({of * valueBytes, count * (valueBytes + 4),
                           of / 8 + count * valueBytes});
  if (count && space == SIZE_MAX)
    EXPECT(bytes <= least + (16 + 8 + 8 + 8 + valueBytes));
  return bytes;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  for (int n = 0; n < 3000; ++n) {
    size_t of = 1 + draw() % (n % 3 ? 200 : 3000), valueBytes = 1 + draw() % 64;
    unsigned share = n % 7 ? draw() % 1000 : draw() % 30;
    std::vector<uint32_t> positions;
    for (uint32_t i = 0; i < of; ++i)
      if (draw() % 1000 < share)
        positions.push_back(i);
    check(of, positions, valueBytes, SIZE_MAX);
    check(of, positions, valueBytes, 272 + draw() % 4000);
  }
  // Sparse positions that a bitset does not suit; none; all.
  EXPECT(check(100000, {7, 99999}, 8, SIZE_MAX) == 16 + 8 + 16);
  EXPECT(check(100, {}, 8, SIZE_MAX) == 0);
  std::vector<uint32_t> all(640), half;
  for (uint32_t i = 0; i < 640; ++i) {
    all[i] = i;
    if (i % 2 || i == 0)
      half.push_back(i);
  }
  EXPECT(check(640, all, 8, SIZE_MAX) == 16 + 640 * 8);
  EXPECT(check(640, half, 8, SIZE_MAX) == 16 + 80 + 321 * 8);
  printf(wrong ? "wrong\n" : "parts right\n");
  MPI_Finalize();
  return 0;
}
