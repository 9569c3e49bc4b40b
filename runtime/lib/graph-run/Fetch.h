// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions to other processes.
#ifndef COMM_RUNTIME_GRAPH_RUN_FETCH_H
#define COMM_RUNTIME_GRAPH_RUN_FETCH_H

#include "Run.h"

namespace comm::graphrun {

/* What is asked for besides values, which are numbered from 0. */
enum Ask : int { AskSource = -1, AskTarget = -2, AskOutRow = -3, AskInRow = -4 };

/* The iteration lacks something: it ends, or goes on with anything. */
void miss(comm_graph_run *run);

/* Gets what was asked for. Returns the sum of `left` over all processes. Collective. */
int64_t exchange(comm_graph_run *run, int64_t left);

} // namespace comm::graphrun

#endif
