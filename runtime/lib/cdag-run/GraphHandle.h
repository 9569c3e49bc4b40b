// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph under construction, as the handle of the C interface.
#ifndef COMM_CDAGRUN_GRAPHHANDLE_H
#define COMM_CDAGRUN_GRAPHHANDLE_H

#include "Context.h"
#include "comm/cdag.h"

#include <cstdlib>

struct comm_cdag {
  comm::cdag::run::Context *context = nullptr;
  comm::cdag::run::LocalBuilder builder;
  comm::cdag::run::GraphOptions options;
  comm::cdag::Error failure;     ///< the first error of recording
  comm::cdag::Vec<void *> owned; ///< buffers that the graph owns
  char message[sizeof(comm::cdag::Error::text)] = {0};

  ~comm_cdag() {
    for (void *memory : owned)
      std::free(memory);
  }
};

/// Reports a transfer between processes that do not exist.
int comm_cdag_fail_transfer(comm_cdag *graph, int index, const comm_cdag_transfer &transfer);

#endif
