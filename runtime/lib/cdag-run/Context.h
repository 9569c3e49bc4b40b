// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime keeps for a communicator: a private duplicate, graphs seen,
// schedules compiled, communicators of process subsets. All processes make the
// same changes in the same order, so that numbers agree.
#ifndef COMM_CDAGRUN_CONTEXT_H
#define COMM_CDAGRUN_CONTEXT_H

#include "Bind.h"

namespace comm::cdag::run {

struct CompiledSchedule {
  uint32_t id = 0; ///< the same on all processes
  LocalGraph *graph = nullptr;
  char *part = nullptr; ///< bytes of a Part
  Vec<MPI_Comm> comms;  ///< of its collectives
  const char *site = "";
  /// 1: run what was detected, 0: the original, -1: still measured.
  int decision = -1;
  uint32_t trialRuns = 0;
  Vec<double> trialSeconds;    ///< this process's, original and replaced in turns
  double measured[2] = {0, 0}; ///< agreed, once decided
  double gatherSeconds = 0, scatterSeconds = 0;
  double compileSeconds = 0; ///< all of it, as the slowest process saw it

  Part view() const { return Part(part); }
  const PartHeader &header() const { return view().header(); }
};

/// State of a phase at one place in the program.
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
  /// An inter-communicator: nothing is detected, phases run as they are.
  bool plain = false;
  GraphOptions defaults; ///< from the environment of process 0
  double timeout = 60;
  uint32_t trials = 10; ///< runs of each form before a decision
  Vec<LocalGraph *> graphs;
  Vec<CompiledSchedule *> schedules; ///< id - kFirstSchedule
  Vec<SubCommunicator> subs;
  Vec<Site *> sites;
  /// At process 0: for each schedule, the numbers of the processes' graphs.
  Vec<uint32_t> keys;
  /// How compilation is spread, COMM_CDAG_COMPILE=gather|all.
  bool compileEverywhere = false;

  /// The context of a communicator; collective the first time. Null: MPI
  /// failed.
  static Context *of(MPI_Comm comm);
  /// The graph in the cache, which takes over the given one's bytes.
  LocalGraph *intern(LocalGraph &graph);
  /// Collective over the members.
  MPI_Comm subCommunicator(const Rank *members, uint32_t count);
};

constexpr uint32_t kFallback = 0; ///< some process cannot take part
constexpr uint32_t kUnknown = 1;  ///< has no schedule yet
constexpr uint32_t kFirstSchedule = 2;

struct Agreement {
  CompiledSchedule *schedule = nullptr; ///< null: fall back, or an error
  bool compiled = false;                ///< just now
  int error = MPI_SUCCESS;
  Error failure; ///< of recording, on some process
};

/// Finds or makes the schedule of the graph whose part `graph` is. Collective.
/// `candidate` is what this process thinks it is; kFallback, with a null
/// graph, if it cannot take part. `failure` is an error of recording, which
/// all processes get. `waiting` names what this process waits in.
Agreement agree(Context &context, LocalGraph *graph, uint32_t candidate, const Error &failure, const char *waiting);
/// One small allreduce, as agree() does for a cached schedule.
int agreeOn(Context &context, uint32_t candidate, uint32_t &least, bool &equal, const char *waiting);

/// A schedule at the buffers of one call.
struct Binding {
  CompiledSchedule *schedule = nullptr;
  Vec<Region> regions;
  Vec<LocalReduce> reduces;
  Bound replaced, original;
  void reset(CompiledSchedule *to);
};

/// How a phase or graph runs its original operations, and what comes before
/// and after what replaces them (null: nothing).
struct Original {
  int (*run)(void *self);
  void *self;
  int (*around)(void *self, bool after) = nullptr;
};

/// Runs the schedule: what was detected, or the original; measures both in the
/// first runs, and decides together with all processes. An MPI error code.
/// `agreementInTime`: the replaced schedule's time has the agreement's added.
int runSchedule(Context &context, Binding &binding, Original original, bool agreementInTime);
int runReplaced(Context &context, Binding &binding);
/// The original as a graph on the private communicator.
int runOriginal(Context &context, Binding &binding);
/// True if a run of this schedule can be anything but the original.
bool canReplace(const CompiledSchedule &schedule);

/// One line about a schedule in the report; by process 0.
void report(const Context &context, const CompiledSchedule &schedule, const char *decision);
void reportText(const Context &context, const char *site, const char *decision, const char *text);

double now();
long environmentNumber(const char *name, long otherwise);

} // namespace comm::cdag::run

#endif
