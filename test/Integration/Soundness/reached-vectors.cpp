// The vector that a table reaches is the one that receives: only the run knows.
// RUN: %samexx %s -o %t -n 2
#include "Inputs/soundness.h"
#include <vector>

NOINLINE static double reached(std::vector<double> &mine, std::vector<double> **known, int to, int from) {
  auto *all = new std::vector<double>(mine.size());
  known[to] = all;
  std::vector<double> &other = *known[from];
  MPI_Allreduce(mine.data(), all->data(), (int)mine.size(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (size_t i = 0; i < mine.size(); ++i)
    other[i] += 1;
  double sum = 0;
  for (double value : other)
    sum = sum * 0.5 + value;
  return sum;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  for (int n = 1; n < 40000; n = n * 3 + 1) {
    std::vector<double> mine(n, 1.5), *known[2];
    mine[n / 2] = rank;
    if (rank == 0)
      nap(30);
    say("sum", (long)(reached(mine, known, 1, 1 + (n < 0)) * 1000));
    delete known[1];
  }
  MPI_Finalize();
  return 0;
}
