// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phases: the state of a place in the program, and the recorded calls of one execution.
#ifndef COMM_CDAGRUN_SITE_H
#define COMM_CDAGRUN_SITE_H

#include "Context.h"

namespace comm::cdag::run {

/// One recorded call. For a window, `count` and `tag` are the assertions of its two fences, and `peer` is 1 if they are
/// always executed.
struct RecordedCall : LocalCall {
  MPI_Win win;
  MPI_Aint displacement; ///< gets and puts; temporaries: bytes
};

struct Site {
  const char *name = "";
  // Equal on all processes, which count the same agreed events.
  uint32_t skip = 0;     ///< remaining executions without an agreement
  uint32_t skipNext = 0; ///< doubles as long as there is nothing to gain
  uint32_t compilations = 0, hits = 0;
  bool disabled = false;
  bool saidFallback = false;
  // Specific to this process.
  Vec<RecordedCall> calls; ///< calls of the last execution
  bool reusable = false;   ///< the calls' bytes describe them completely (no derived types)
  bool waitsKnown = false;
  Vec<Dependency> waits; ///< sorted by op: call `op` waits for message `on`
  LocalGraph *graph = nullptr;
  LocalGraph *boundGraph = nullptr; ///< the graph of the binding
  Binding binding;
  // State of the current execution, if the calls run unchanged.
  Vec<MPI_Request> requests; ///< of the calls
  uint32_t started = 0;      ///< calls
  uint32_t waited = 0;       ///< items of `waits`
  int error = MPI_SUCCESS;   ///< the first error
};

/// Executes the calls unchanged: nonblocking, in program order, with waits where the buffers require them. If there are
/// windows, the calls are between fences.
class RawCalls {
public:
  RawCalls(Site &site, MPI_Comm comm) : site_(site), comm_(comm) {}
  /// Runs all calls that have not been started. Returns an MPI error code.
  int run();
  /// Starts the next call, whose waits are known.
  void startNext();
  /// Returns the callbacks for runSchedule().
  Original original() { return {callRun, this, callFences}; }

private:
  static int callRun(void *self) { return static_cast<RawCalls *>(self)->run(); }
  static int callFences(void *self, bool last) { return static_cast<RawCalls *>(self)->keptFences(last); }
  void findWaits();
  int fences(bool last);
  int keptFences(bool last);
  int start(const RecordedCall &call, MPI_Request *request);
  int finish();
  Site &site_;
  MPI_Comm comm_;
};

/// Returns a communicator of the window's processes, which is kept until the window is freed, or null if they are not
/// all in one MPI_COMM_WORLD. Collective over these processes on the first call.
MPI_Comm processesOf(MPI_Win win);

} // namespace comm::cdag::run

#endif
