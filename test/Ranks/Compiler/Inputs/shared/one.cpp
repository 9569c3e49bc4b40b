// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "one.h"

#include <cstdio>
#include <cstdlib>
#include <mpi.h>

static int seed() { return 5; }

Log ends;
int oneValue = seed();
thread_local int ofThread = seed() + 1;
thread_local std::vector<int> vectorOfThread{seed()};
__attribute__((visibility("hidden"))) int hiddenName = 1;
int inBoth = 1; // also in the program, which owns it
static Destroyed destroyed{"one "};
static int calls[5000];

struct SetUp {
  SetUp() {
    Registry<int>::order.push_back(oneValue);
    ++Registry<int>::entries;
  }
} setUpOne;

Log::~Log() { std::printf("rank %d: destroyed: %s\n", rank, text.c_str()); }
Destroyed::~Destroyed() { ends.text += name; }

int nextOne(int rank) {
  int known = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &known);
  guarded().push_back(rank);
  ofThread += rank;
  vectorOfThread.push_back(rank);
  ++ofProgram;
  return known * 1000 + ++calls[4000] + countShared() + *toTwo[1];
}
int readBoth() { return inBoth; }
int hiddenOne() { return ++hiddenName; }
int apartOne() { return countApart(); }
int archiveOne() { return archive_next(); }
int randomOne() { return std::rand(); }
