// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of a std::vector is private until the end of its lifetime, even on exception paths: loops over other
// vectors overlap. A run-time test compares a vector that is reached through memory with the receiving one
// (Integration/Soundness/reached-vectors.cpp).
//
// RUN: commc++ -O2 -g -fcomm-cost=none -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s

#include <cmath>
#include <mpi.h>
#include <vector>

double sum(std::vector<double> &mine, std::vector<double> &weights) {
  std::vector<double> all(mine.size()), roots(weights.size());
  // CHECK-DAG: MPI_Allreduce at vectors.cpp:[[#@LINE+1]] overlaps 1 loop
  MPI_Allreduce(mine.data(), all.data(), (int)mine.size(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (size_t i = 0; i < weights.size(); ++i)
    roots[i] = std::sqrt(weights[i]) + 1;
  double result = 0;
  for (size_t i = 0; i < all.size(); ++i)
    result += all[i] * roots[i % roots.size()];
  return result;
}

double shown(std::vector<double> &mine, std::vector<double> **known) {
  auto *all = new std::vector<double>(mine.size());
  known[0] = all;
  std::vector<double> &other = *known[1];
  // CHECK-DAG: MPI_Allreduce at vectors.cpp:[[#@LINE+2]] overlaps 1 loop
  // CHECK-DAG: splits the loop at vectors.cpp:[[#@LINE+2]]
  MPI_Allreduce(mine.data(), all->data(), (int)mine.size(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (size_t i = 0; i < mine.size(); ++i)
    other[i] += 1;
  return other[0];
}
