// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random graphs through the C interface have the result that the interpreter computes for the original. Arguments:
// first seed, number.
//
// clang-format off
// RUN: %mpicxx -std=c++17 -O1 -Wall -I%comm_runtime_include \
// RUN:   -I%comm_src_root/runtime/lib/cdag/include %s -o %t \
// RUN:   %comm_lib_dir/libCommCDagRun.a %comm_lib_dir/libCommCDag.a
// RUN: env COMM_CDAG_MODE=1 %mpirun -n 5 %t 1 250 | FileCheck %s
// RUN: env COMM_CDAG_MODE=0 %mpirun -n 3 %t 1000 120 | FileCheck %s
// clang-format on
// CHECK-NOT: wrong
// CHECK: {{[1-9][0-9][0-9]*}} graphs agree, {{[1-9][0-9]*}} collectives
#include "Comm/CDag/Interpret.h"
#include "comm/cdag.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace comm::cdag;

namespace {

int me, processes;

MPI_Datatype typeOf(ElementType type) {
  const MPI_Datatype types[] = {
      MPI_INT8_T,   MPI_INT16_T,  MPI_INT32_T,  MPI_INT64_T, MPI_UINT8_T,
      MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T, MPI_FLOAT,   MPI_DOUBLE};
  return types[int(type)];
}

MPI_Op opOf(uint8_t op) {
  const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX,  MPI_MIN, MPI_LAND,
                        MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR};
  return ops[op];
}

/// Constructs that the C interface does not support, or that may match in several ways.
bool usable(const Graph &graph) {
  if (graph.numRanks() > uint32_t(processes))
    return false;
  for (OpId op = 0; op < graph.numOps(); ++op) {
    if (graph.isRecv(op) &&
        (graph.peer(op) == kAnySource || graph.tag(op) == kAnyTag))
      return false;
    if (graph.kind(op) != OpKind::Reduce)
      continue;
    const Reduction &reduction = graph.reduction(op);
    if (reduction.op >= kUserOperator)
      return false;
    // Open MPI's vector code saturates where the interpreter wraps around.
    if (elementSize(reduction.type) < 4 && reduction.op <= uint8_t(Operator::Prod))
      return false;
  }
  return true;
}

/// This process's part, on memory that begins with address `low`.
int build(Graph &graph, Addr low, uint8_t *memory, comm_cdag *out) {
  int error = 0;
  std::vector<int> id(graph.numOps(), -1);
  if (uint32_t(me) >= graph.numRanks())
    return 0;
  // Operations of zero bytes may have any address.
  auto at = [&](Addr addr) {
    return addr < low ? memory : memory + (addr - low);
  };
  for (uint32_t i = 0; i < graph.numOpsOf(me); ++i) {
    OpId op = graph.opOf(me, i);
    int size = int(graph.size(op)), *to = &id[op];
    switch (graph.kind(op)) {
    case OpKind::Send:
      error |= comm_cdag_add_send(out, at(graph.addr(op)), size, MPI_BYTE,
                                  int(graph.peer(op)), graph.tag(op), to);
      break;
    case OpKind::Recv:
      error |= comm_cdag_add_recv(out, at(graph.addr(op)), size, MPI_BYTE,
                                  int(graph.peer(op)), graph.tag(op), to);
      break;
    case OpKind::Copy:
      error |= comm_cdag_add_copy(out, at(graph.source(op)),
                                  at(graph.addr(op)), size, MPI_BYTE, to);
      break;
    case OpKind::Reduce: {
      const Reduction &reduction = graph.reduction(op);
      error |= comm_cdag_add_reduce(out, at(graph.source(op)), at(graph.addr(op)),
                                    size / int(elementSize(reduction.type)),
                                    typeOf(reduction.type), opOf(reduction.op), to);
      break;
    }
    case OpKind::Nop:
      error |=
          comm_cdag_add_recv(out, nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, to);
      break;
    }
  }
  for (const Dependency &d : graph.dependencies())
    if (id[d.op] >= 0)
      error |= comm_cdag_add_dependency(out, id[d.op], id[d.on]);
  return error;
}

} // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10;
  int wrong = 0, done = 0, collectives = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    RandomGraphOptions options;
    options.maxRanks = uint32_t(processes);
    Graph graph;
    Matching matching;
    Image expected;
    if (randomGraph(seed, options, graph) || !usable(graph) ||
        matchMessages(graph, matching) || expected.create(graph, seed))
      continue;
    graph.freeze();
    uint64_t bytes = 0;
    Addr low = 0;
    std::vector<uint8_t> memory(1);
    if (uint32_t(me) < graph.numRanks()) {
      low = expected.low(me);
      bytes = expected.high(me) - low;
      memory.resize(bytes + 1);
      if (bytes)
        std::memcpy(memory.data(), expected.at(me, low), bytes);
    }
    comm_cdag *out = nullptr;
    comm_cdag_schedule *schedule = nullptr;
    int error = comm_cdag_create(MPI_COMM_WORLD, &out);
    error |= build(graph, low, memory.data(), out);
    for (const Buffer &buffer : graph.buffers())
      if (buffer.temporary && (buffer.rank == kNone || buffer.rank == Rank(me)))
        if (buffer.start >= low && buffer.start + buffer.size <= low + bytes)
          error |= comm_cdag_add_temporary(
              out, memory.data() + (buffer.start - low), buffer.size);
    error |= comm_cdag_compile(out, &schedule);
    if (error) {
      std::printf("wrong: seed %llu: %s\n", (unsigned long long)seed,
                  comm_cdag_message(out));
      wrong = 1;
      comm_cdag_free(&out);
      continue;
    }
    comm_cdag_info info;
    comm_cdag_get_info(schedule, &info);
    collectives += info.collectives;
    error = comm_cdag_run(schedule);
    runGraph(graph, matching, seed, expected);
    Image actual = expected;
    if (bytes)
      std::memcpy(actual.at(me, low), memory.data(), bytes);
    if (Error difference = compareLive(graph, expected, actual)) {
      std::printf("wrong: seed %llu: %s (%s)\n", (unsigned long long)seed,
                  difference.text, comm_cdag_describe(schedule));
      wrong = 1;
    }
    ++done;
    comm_cdag_schedule_free(&schedule);
    comm_cdag_free(&out);
  }
  int all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (me == 0 && !all)
    std::printf("%d graphs agree, %d collectives\n", done, collectives);
  MPI_Finalize();
  return all;
}
