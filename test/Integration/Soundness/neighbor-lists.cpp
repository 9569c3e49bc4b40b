// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of particles and of neighbors that calls have grown without being inlined: the addresses of their elements
// are known before the loop over time, unless it grows, swaps or replaces them.
// RUN: %samexx %s -o %t -n 1,2,4 --overlaps MPI_Irecv
// RUN: FileCheck %s < %t.extended.remarks
// RUN: %commcxx -O2 -g -fcomm-check -fcomm-known-sources %s -o %t.checked
// RUN: %mpirun -n 2 %t.checked 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED-NOT: comm: error
// CHECKED: rank
// CHECKED-NOT: comm: error
#include "Inputs/soundness.h"
#include <vector>

#define INLINE inline __attribute__((always_inline))

enum { own = 400, ghosts = 8, each = 5, turns = 6 };

struct Particles {
  int count;
  std::vector<double> value, sum; // value: ghosts after the own ones
  std::vector<int> begin, neighbor;
};

static int up, down;

/// Most particles with ghosts as neighbors are at the end.
NOINLINE static void makeNeighbors(std::vector<int> &begin, std::vector<int> &neighbor, int shift) {
  begin.push_back(0);
  for (int i = 0; i < own; ++i) {
    for (int k = 0; k < each; ++k) {
      const bool isGhost = i >= own - 20 && (i + k + shift) % 3 == 0;
      neighbor.push_back(isGhost ? own + (i + k) % ghosts : (i + 7 * k + shift) % own);
    }
    begin.push_back((int)neighbor.size());
  }
}

static void make(Particles &p, int shift, int count) {
  p.count = count;
  p.value.resize(own + ghosts);
  p.sum.resize(own);
  for (int i = 0; i < own; ++i)
    p.value[i] = ((i + 1) * 37 + rank * 5) % 101 / 7.0;
  makeNeighbors(p.begin, p.neighbor, shift);
}

INLINE static void addNeighbors(Particles &p) {
  for (int i = 0; i < p.count; ++i) {
    double sum = 0;
    for (int k = p.begin[i]; k < p.begin[i + 1]; ++k)
      sum += p.value[i] - 0.5 * p.value[p.neighbor[k]];
    p.sum[i] = sum;
  }
}

/// Ghosts arrive with vectors of requests, one per part.
INLINE static void exchange(Particles &p, int parts) {
  std::vector<MPI_Request> requests;
  for (int part = 0; part < parts; ++part) {
    requests.emplace_back();
    MPI_Irecv(&p.value[own + part * ghosts / parts], ghosts / parts, MPI_DOUBLE, up, part, MPI_COMM_WORLD,
              &requests.back());
  }
  for (int part = 0; part < parts; ++part)
    MPI_Send(&p.value[part * ghosts / parts], ghosts / parts, MPI_DOUBLE, down, part, MPI_COMM_WORLD);
  MPI_Waitall((int)requests.size(), requests.data(), MPI_STATUSES_IGNORE);
}

static void step(Particles &p) {
  for (int i = 0; i < p.count; ++i)
    p.value[i] += 0.01 * p.sum[i];
}

static void show(const char *what, const Particles &p) {
  unsigned long digits = 0;
  for (int i = 0; i < own; ++i) {
    unsigned long bits;
    memcpy(&bits, &p.value[i], sizeof bits);
    digits = digits * 31 + bits;
  }
  say(what, (long)digits);
}

// CHECK: splits the loop at neighbor-lists.cpp:
NOINLINE static void steady(int parts, int count) {
  Particles p;
  make(p, 0, count);
  for (int turn = 0; turn < turns; ++turn) {
    exchange(p, parts);
    addNeighbors(p);
    step(p);
  }
  show("steady", p);
}

/// The elements move after some iterations.
NOINLINE static void growing(int parts, int count) {
  Particles p;
  make(p, 1, count);
  for (int turn = 0; turn < turns; ++turn) {
    exchange(p, parts);
    addNeighbors(p);
    step(p);
    if (turn % 2)
      p.value.resize(p.value.size() + 500);
  }
  show("growing", p);
}

/// Neighbors are searched again, in other vectors, which may reuse the memory of the old ones.
NOINLINE static void replaced(int parts, int count) {
  Particles p;
  make(p, 0, count);
  for (int turn = 0; turn < turns; ++turn) {
    exchange(p, parts);
    addNeighbors(p);
    step(p);
    std::vector<int> begin, neighbor;
    makeNeighbors(begin, neighbor, turn);
    p.begin.swap(begin);
    p.neighbor.swap(neighbor);
  }
  show("replaced", p);
}

/// Another function has the address of the vector, and changes it in a call.
static Particles *known;
NOINLINE static void grow(int turn) {
  if (turn % 2)
    known->value.resize(known->value.size() + 300);
}

NOINLINE static void shown(int parts, int count) {
  Particles p;
  make(p, 2, count);
  known = &p;
  for (int turn = 0; turn < turns; ++turn) {
    exchange(p, parts);
    addNeighbors(p);
    step(p);
    grow(turn);
  }
  show("shown", p);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  const int count = argc > 1 ? 0 : own; // not known to the compiler
  up = (rank + 1) % size;
  down = (rank + size - 1) % size;
  for (int parts = 1; parts <= 4; parts *= 2) {
    steady(parts, count);
    growing(parts, count);
    replaced(parts, count);
    shown(parts, count);
  }
  MPI_Finalize();
  return 0;
}
