// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers by tiles and by rows agree with a plain loop, for all types and operators, rows of all lengths, and several
// blocks of rows and columns.
//
// clang-format off
// RUN: %mpicxx -std=c++17 -O1 -Wall -I%comm_runtime_include %s -o %t %comm_lib_dir/libCommGraph.a %comm_lib_dir/libCommReduce.a -lz
// RUN: %mpirun -n 1 %t | FileCheck %s
// clang-format on
// CHECK-NOT: wrong
// CHECK: gathers right
#include "comm/graph.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

static int wrong;
static uint64_t state = 1;
static uint32_t draw() {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<uint32_t>(state >> 33);
}

template <typename T>
static void test(const comm_graph_edges &edges, uint32_t rows, uint32_t columns,
                 int type) {
  std::vector<T> from(columns);
  for (T &value : from)
    value = static_cast<T>(draw() % 1000);
  if (columns)
    from.back() = 1; // occurs very often in a row: sums stay exact
  for (int op : {COMM_REDUCE_SUM, COMM_REDUCE_MIN, COMM_REDUCE_MAX})
    for (int form : {COMM_GATHER_ROWS, COMM_GATHER_TILES, COMM_GATHER_AUTO}) {
      std::vector<T> to(rows, 500), expected(rows, 500);
      for (uint32_t v = 0; v < rows; ++v)
        for (int64_t e = edges.offsets[v]; e < edges.offsets[v + 1]; ++e) {
          T value = from[edges.neighbors[e]];
          expected[v] = op == COMM_REDUCE_SUM   ? expected[v] + value
                        : op == COMM_REDUCE_MIN ? std::min(expected[v], value)
                                                : std::max(expected[v], value);
        }
      comm_gather *gather = nullptr;
      // Sums of integers below 2^24 are exact in all types.
      bool isRight =
          !comm_gather_create(&edges, rows, columns, sizeof(T), form,
                              &gather) &&
          !comm_gather_run(gather, type, op, from.data(), to.data()) &&
          to == expected &&
          (form == COMM_GATHER_AUTO ||
           (comm_gather_bytes(gather) > 0) ==
               (form == COMM_GATHER_TILES && columns != 0));
      // In parts the same, bit for bit.
      std::vector<T> pieces(rows, 500);
      for (int part = 0; part < 5; ++part)
        isRight &= !comm_gather_run_part(gather, type, op, from.data(),
                                         pieces.data(), part, 5);
      isRight &= pieces == to &&
                 comm_gather_run_part(gather, type, op, from.data(),
                                      pieces.data(), 5, 5) != 0;
      if (!isRight && wrong++ < 10)
        printf("wrong: type %d, operator %d, form %d, %u rows\n", type, op,
               form, rows);
      comm_gather_free(&gather);
    }
}

int main() {
  struct Size {
    uint32_t rows, columns;
  };
  for (Size size :
       {Size{0, 0}, Size{5, 3}, Size{1000, 70000}, Size{140000, 200000}}) {
    std::vector<int64_t> offsets = {0};
    std::vector<uint32_t> neighbors;
    for (uint32_t v = 0; v < size.rows; ++v) {
      // Rows without edges, with few, and with very many, including parallel ones: more than a segment may have.
      uint32_t length = v == 4         ? 150000
                        : v % 100 == 0 ? draw() % 300
                                       : draw() % 12;
      bool isParallel = v == 4;
      size_t first = neighbors.size();
      for (uint32_t i = 0; i < length; ++i)
        neighbors.push_back(isParallel ? size.columns - 1
                                       : draw() % size.columns);
      std::sort(neighbors.begin() + static_cast<ptrdiff_t>(first),
                neighbors.end());
      offsets.push_back(static_cast<int64_t>(neighbors.size()));
    }
    comm_graph_edges edges = {offsets.data(), neighbors.data(), nullptr,
                              nullptr};
    test<int32_t>(edges, size.rows, size.columns, COMM_REDUCE_INT32);
    test<int64_t>(edges, size.rows, size.columns, COMM_REDUCE_INT64);
    test<uint32_t>(edges, size.rows, size.columns, COMM_REDUCE_UINT32);
    test<uint64_t>(edges, size.rows, size.columns, COMM_REDUCE_UINT64);
    test<double>(edges, size.rows, size.columns, COMM_REDUCE_DOUBLE);
    test<float>(edges, size.rows, size.columns, COMM_REDUCE_FLOAT);
  }
  comm_gather *gather = nullptr;
  if (comm_gather_create(nullptr, 1, 1, 4, COMM_GATHER_AUTO, &gather) !=
      COMM_GRAPH_ERR_ARG)
    printf("wrong: null edges\n");
  if (!wrong)
    printf("gathers right\n");
  return wrong != 0;
}
