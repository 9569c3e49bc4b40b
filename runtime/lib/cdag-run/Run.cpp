// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Original or replaced? Both are measured in the first runs, alternating; all
// processes decide together.

#include "Context.h"

namespace comm::cdag::run {

void Binding::reset(CompiledSchedule *to) {
  schedule = to;
  replaced.clear();
  original.clear();
}

int runReplaced(Context &context, Binding &binding) {
  if (binding.replaced.empty()) {
    Part part = binding.schedule->view();
    binding.replaced.bind(*binding.schedule->graph, binding.reduces,
                          binding.regions, part.ops(), &part,
                          binding.schedule->comms);
  }
  return execute(binding.replaced, context.comm);
}

int runOriginal(Context &context, Binding &binding) {
  if (binding.original.empty())
    binding.original.bind(*binding.schedule->graph, binding.reduces,
                          binding.regions, binding.schedule->view().ops(),
                          nullptr, binding.schedule->comms);
  return execute(binding.original, context.comm);
}

namespace {

int decide(Context &context, CompiledSchedule &schedule) {
  // A run takes as long as its slowest process.
  int error = MPI_Allreduce(schedule.best, schedule.measured, 2, MPI_DOUBLE,
                            MPI_MAX, context.comm);
  schedule.decision = schedule.measured[1] < schedule.measured[0];
  report(context, schedule, schedule.decision ? "replaced" : "original");
  return error;
}

} // namespace

int runSchedule(Context &context, Binding &binding, Original original,
                bool agreementInTime) {
  CompiledSchedule &schedule = *binding.schedule;
  if (schedule.decision > 0)
    return runReplaced(context, binding);
  if (schedule.decision == 0)
    return original.run(original.self);
  uint32_t which = schedule.trialRuns % 2;
  int error = MPI_Barrier(context.comm);
  double begin = now();
  if (which && agreementInTime) {
    uint32_t least;
    bool equal;
    agreeOn(context, schedule.id, least, equal, schedule.site);
  }
  if (error == MPI_SUCCESS)
    error = which ? runReplaced(context, binding) : original.run(original.self);
  double seconds = now() - begin;
  if (schedule.trialRuns < 2 || seconds < schedule.best[which])
    schedule.best[which] = seconds;
  if (++schedule.trialRuns == 2 * context.trials && error == MPI_SUCCESS)
    error = decide(context, schedule);
  return error;
}

} // namespace comm::cdag::run
