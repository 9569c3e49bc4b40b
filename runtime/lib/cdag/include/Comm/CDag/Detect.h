// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detection of collectives in single-transfer form (paper, section 2.4).
#ifndef COMM_CDAG_DETECT_H
#define COMM_CDAG_DETECT_H

#include "Comm/CDag/Compile.h"
#include "Comm/CDag/Dataflow.h"

namespace comm::cdag {

/// A piece of a process's final memory.
struct Output {
  Rank rank;
  Addr addr;
  uint64_t size;
};

struct Detection {
  /// As in Schedule; `inPlace` is not set yet.
  Vec<Collective> collectives;
  Vec<Rank> members;
  Vec<Transfer> transfers;
  /// The data that no collective delivers.
  Vec<Output> rest;
};

/// Extracts collectives from the single-transfer form, from the most abstract to the least: reductions (allreduce,
/// reduce_scatter, scans, reduce), then allgather, alltoall, bcast, gather and scatter on all processes, then the same
/// on subsets. The paper's algorithm 5 swaps the names of alltoall and allgather: it calls an exchange an alltoall if
/// each process sends the same data to all. Consumes `sst`.
void detectCollectives(const Graph &graph, SingleTransfers &sst, const DetectOptions &options, Detection &out);

} // namespace comm::cdag

#endif
