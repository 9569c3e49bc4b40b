// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phases: what is remembered of a place in the program, and the recorded calls
// of one execution.
#ifndef COMM_CDAGRUN_SITE_H
#define COMM_CDAGRUN_SITE_H

#include "Context.h"

namespace comm::cdag::run {

/// One recorded call. Of a window: `count` and `tag` are the assertions of its
/// two fences, and `peer` is 1 if they are executed in any case.
struct RecordedCall : LocalCall {
  MPI_Win win;
  MPI_Aint displacement; ///< of gets and puts; of temporaries: bytes
};

struct Site {
  const char *name = "";
  // The same on all processes, as all count the same agreed events.
  uint32_t skip = 0;     ///< executions left without an agreement
  uint32_t skipNext = 0; ///< doubles while there is nothing to gain
  uint32_t compilations = 0, hits = 0;
  bool disabled = false;
  bool saidFallback = false;
  // This process's own.
  Vec<RecordedCall> calls; ///< of the last execution
  bool reusable = false;   ///< the calls' bytes say all (no derived types)
  bool waitsKnown = false;
  Vec<Dependency> waits; ///< sorted by op: call `op` waits for message `on`
  LocalGraph *graph = nullptr;
  LocalGraph *boundGraph = nullptr; ///< the binding's
  Binding binding;
  // State of the execution under way, if the calls run as they are.
  Vec<MPI_Request> requests; ///< of the calls
  uint32_t started = 0;      ///< calls
  uint32_t waited = 0;       ///< items of `waits`
  int error = MPI_SUCCESS;   ///< the first
};

/// Executes the calls as they are: nonblocking, in program order, with waits
/// where the buffers demand them; between fences, if there are windows.
class RawCalls {
public:
  RawCalls(Site &site, MPI_Comm comm) : site_(site), comm_(comm) {}
  /// All calls that have not been started; an MPI error code.
  int run();
  /// Starts the next call, whose waits are known.
  void startNext();
  /// As runSchedule() wants it.
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

/// A communicator of the window's processes, kept until the window is freed;
/// collective over them the first time. Null if they are not all of one
/// MPI_COMM_WORLD.
MPI_Comm processesOf(MPI_Win win);

} // namespace comm::cdag::run

#endif
