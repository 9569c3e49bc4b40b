// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of double for loops some of whose iterations run before a wait, and a checksum of all their bits.
#ifndef COMM_TEST_CELLS_H
#define COMM_TEST_CELLS_H
#include "soundness.h"

/// Values that differ between ranks and seeds.
static inline NOINLINE double *make(int cells, int seed) {
  double *cell = malloc(sizeof(double) * cells);
  for (int i = 0; i < cells; ++i)
    cell[i] = ((i + 1) * 37 + seed * 11 + rank * 5) % 101 / 7.0;
  return cell;
}

/// A number that another last digit of a cell changes.
static inline NOINLINE unsigned long digits(const double *cell, int cells) {
  unsigned long sum = 0;
  for (int i = 0; i < cells; ++i) {
    unsigned long bits;
    memcpy(&bits, &cell[i], sizeof bits);
    sum = sum * 31 + bits;
  }
  return sum;
}

#endif
