// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "one.h"

#include <cstdio>
#include <cstdlib>
#include <mpi.h>

int ofProgram = 40;
int inBoth = 2;
static int *pointers[] = {&oneValue, &twoValue};
static Destroyed destroyed{"program "};
static int atConstruction = oneValue + twoValue + countTwo();

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  ends.rank = rank;
  std::srand(rank);
  int one = 0, two = 0, randoms = 0;
  for (int i = 0; i < 5; ++i) {
    one += nextOne(rank);
    MPI_Barrier(MPI_COMM_WORLD);
    two += nextTwo(rank);
    randoms = (randoms * 31 + randomOne() + std::rand()) % 1000003;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  int thread = 0, order = 0, numbers = 0;
  for (int number : vectorOfThread)
    thread = thread * 3 + number;
  for (int number : Registry<int>::order)
    order = order * 100 + number;
  for (int number : guarded())
    numbers += number;
  std::printf("rank %d: calls: %d %d\n", rank, one, two);
  std::printf("rank %d: values: %d %d %d %d\n", rank, oneValue, twoValue, *pointers[0], *pointers[1]);
  std::printf("rank %d: constructors: %d %d %d\n", rank, atConstruction, order, Registry<int>::entries);
  std::printf("rank %d: thread_local: %d %d\n", rank, ofThread, thread);
  std::printf("rank %d: inline: %d %d\n", rank, countShared(), numbers);
  int apart = apartOne(), apartToo = apartTwo();
  std::printf("rank %d: version script: %d %d\n", rank, apart, apartToo);
  int archive = archiveOne(), archiveToo = archiveTwo();
  std::printf("rank %d: exclude-libs: %d %d\n", rank, archive, archiveToo);
  int hidden = hiddenOne(), hiddenToo = hiddenTwo();
  std::printf("rank %d: hidden: %d %d\n", rank, hidden, hiddenToo);
  std::printf("rank %d: replaced: %d %d %d\n", rank, readBoth(), readReplaced(), replaced);
  std::printf("rank %d: program: %d\n", rank, ofProgram);
  std::printf("rank %d: C library: %d\n", rank, randoms);
  std::fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Finalize();
}
