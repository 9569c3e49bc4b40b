// Instructions of an inlined function that the optimizer left without a line: blocks that passes make take their
// locations, which must not name the inlined function, or the result does not verify and the function is left as it is.
// RUN: %commcc -O1 -g1 -fcomm-cost=none -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=verify
// CHECK: MPI_Bcast at inlined-lines.c:[[#@LINE+31]] overlaps
#include <mpi.h>
#include <string.h>

static volatile int never;
unsigned result;

static inline unsigned mix(unsigned hash, unsigned value) {
  hash ^= value + 0x9e3779b9u + (hash << 6) + (hash >> 2);
  return hash * 2654435761u + 1u;
}

static __attribute__((noinline)) unsigned hashOf(const unsigned char *bytes, int number, unsigned hash) {
  for (int i = 0; i < number; i++)
    hash = mix(hash, bytes[i]);
  return hash;
}

void search(const unsigned char *given, int rank, int size) {
  int values[4] = {rank};
  unsigned char bytes[13800];
  memcpy(bytes, given, sizeof bytes);
  unsigned hash = mix(4u, rank);
  int place = 0;
  while (place < 600 && bytes[11503 + place] % 7u != 3u) {
    hash = mix(hash, bytes[11503 + place]);
    place++;
  }
  hash = mix(hash, place);
  for (int i = 0; i < 2 && !never; i++)
    ;
  MPI_Bcast(values, 4, MPI_INT, size - 1, MPI_COMM_WORLD);
  hash = hashOf(&bytes[25], 1221, hash);
  result = hash + values[0];
}
