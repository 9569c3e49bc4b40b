// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's data for a communicator: a private duplicate, the graphs seen, compiled schedules, and communicators of
// process subsets. All processes make the same changes in the same order, so that numbers agree.
#ifndef COMM_CDAGRUN_CONTEXT_H
#define COMM_CDAGRUN_CONTEXT_H

#include "Bind.h"

namespace comm::cdag::run {

struct CompiledSchedule {
  uint32_t id = 0; ///< the same on all processes
  LocalGraph *graph = nullptr;
  char *part = nullptr; ///< bytes of a Part
  Vec<MPI_Comm> comms;  ///< communicators of its collectives
  const char *site = "";
  /// 1: run the detected collectives, 0: run the original, -1: still measuring.
  int decision = -1;
  uint32_t trialRuns = 0;
  Vec<double> trialSeconds;    ///< this process's times, alternately original and replaced
  double measured[2] = {0, 0}; ///< agreed times, once decided
  double gatherSeconds = 0, scatterSeconds = 0;
  double compileSeconds = 0; ///< total time on the slowest process

  Part view() const { return Part(part); }
  const PartHeader &header() const { return view().header(); }
};

/// The state of a phase at one place in the program.
struct Site;

struct SubCommunicator {
  Rank *members;
  uint32_t count;
  MPI_Comm comm;
};

struct Context {
  MPI_Comm user = MPI_COMM_NULL;
  MPI_Comm comm = MPI_COMM_NULL; ///< private
  int rank = 0, size = 0;
  /// True for an inter-communicator: nothing is detected, and phases run unchanged.
  bool plain = false;
  GraphOptions defaults; ///< from the environment of process 0
  double timeout = 60;
  uint32_t trials = 10; ///< runs of each form before a decision
  Vec<LocalGraph *> graphs;
  Vec<CompiledSchedule *> schedules; ///< id - kFirstSchedule
  Vec<SubCommunicator> subs;
  Vec<Site *> sites;
  /// For each schedule, the numbers of the processes' graphs. At process 0 only.
  Vec<uint32_t> keys;
  /// COMM_CDAG_COMPILE=gather|all: who compiles.
  bool compileEverywhere = false;

  /// Returns the context of a communicator, or null if MPI failed. Collective on the first call.
  static Context *of(MPI_Comm comm);
  /// Returns the cached graph; a new one takes over the bytes of `graph`.
  LocalGraph *intern(LocalGraph &graph);
  /// Collective over the members.
  MPI_Comm subCommunicator(const Rank *members, uint32_t count);
};

constexpr uint32_t kFallback = 0; ///< some process cannot take part
constexpr uint32_t kUnknown = 1;  ///< no schedule yet
constexpr uint32_t kFirstSchedule = 2;

struct Agreement {
  CompiledSchedule *schedule = nullptr; ///< null after a fallback or an error
  bool compiled = false;                ///< compiled in this call
  int error = MPI_SUCCESS;
  Error failure; ///< an error of recording on some process
};

/// Finds or makes the schedule of the graph that contains the part `graph`. Collective. `candidate` is the schedule
/// that this process expects; it is kFallback, with a null graph, if the process cannot take part. `failure` is an
/// error of recording, which all processes get. `waiting` names the call in which this process waits.
Agreement agree(Context &context, LocalGraph *graph, uint32_t candidate, const Error &failure, const char *waiting);
/// Performs one small allreduce, as agree() does for a cached schedule.
int agreeOn(Context &context, uint32_t candidate, uint32_t &least, bool &equal, const char *waiting);

/// A schedule bound to the buffers of one call.
struct Binding {
  CompiledSchedule *schedule = nullptr;
  Vec<Region> regions;
  Vec<LocalReduce> reduces;
  Bound replaced, original;
  void reset(CompiledSchedule *to);
};

/// How a phase or graph runs its original operations, and what to call before and after their replacement (or null).
struct Original {
  int (*run)(void *self);
  void *self;
  int (*around)(void *self, bool after) = nullptr;
};

/// Runs the schedule, either the detected collectives or the original. Measures both in the first runs and decides
/// together with all processes. Returns an MPI error code. With `agreementInTime`, the time of the replacement includes
/// the agreement.
int runSchedule(Context &context, Binding &binding, Original original, bool agreementInTime);
int runReplaced(Context &context, Binding &binding);
/// Runs the original as a graph on the private communicator.
int runOriginal(Context &context, Binding &binding);
/// Returns true if a run of this schedule may differ from the original.
bool canReplace(const CompiledSchedule &schedule);

/// Writes one line about a schedule to the report. At process 0 only.
void report(const Context &context, const CompiledSchedule &schedule, const char *decision);
void reportText(const Context &context, const char *site, const char *decision, const char *text);

double now();
long environmentNumber(const char *name, long otherwise);

} // namespace comm::cdag::run

#endif
