// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests to other processes.
#ifndef COMM_RUNTIME_GRAPH_RUN_FETCH_H
#define COMM_RUNTIME_GRAPH_RUN_FETCH_H

#include "Run.h"

namespace comm::graphrun {

/* Kinds of requests besides values, which are numbered from 0. */
enum Ask : int { AskSource = -1, AskTarget = -2, AskOutRow = -3, AskInRow = -4 };

/* Marks the iteration as lacking data. It ends, or continues with arbitrary values. */
void miss(comm_graph_run *run);

/* Fetches the requested data. Returns the sum of `left` over all processes. Collective. */
int64_t exchange(comm_graph_run *run, int64_t left);

} // namespace comm::graphrun

#endif
