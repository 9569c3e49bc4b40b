// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses between the original and its replacement. The first runs measure both, alternating; then all processes decide
// together.

#include "Context.h"

#include <algorithm>

namespace comm::cdag::run {

void Binding::reset(CompiledSchedule *to) {
  schedule = to;
  replaced.clear();
  original.clear();
}

int runReplaced(Context &context, Binding &binding) {
  if (binding.replaced.empty()) {
    binding.replaced.bind(*binding.schedule->graph, binding.reduces, binding.regions, binding.schedule->view(), true,
                          binding.schedule->comms);
  }
  return execute(binding.replaced, context.comm);
}

int runOriginal(Context &context, Binding &binding) {
  if (binding.original.empty())
    binding.original.bind(*binding.schedule->graph, binding.reduces, binding.regions, binding.schedule->view(), false,
                          binding.schedule->comms);
  return execute(binding.original, context.comm);
}

namespace {

/// A detected collective must be faster by more than the noise of a few runs.
constexpr double kClearly = 0.95;
/// Among ten pairs of equal speed, chance favors one side in eight of them once in 18 cases.
constexpr double kMostPairs = 0.8;

/// Computes minimum and median of every second item.
void summarize(const Vec<double> &seconds, size_t first, double &least, double &median) {
  Vec<double> sorted;
  for (size_t i = first; i < seconds.size(); i += 2)
    sorted.push_back(seconds[i]);
  std::sort(sorted.begin(), sorted.end());
  least = sorted[0];
  median = sorted[sorted.size() / 2];
}

int runAround(Context &context, Binding &binding, const Original &original) {
  int error = original.around ? original.around(original.self, false) : MPI_SUCCESS;
  if (error == MPI_SUCCESS)
    error = runReplaced(context, binding);
  return error == MPI_SUCCESS && original.around ? original.around(original.self, true) : error;
}

int decide(Context &context, CompiledSchedule &schedule) {
  // The slowest process determines the time of a run.
  Vec<double> &mine = schedule.trialSeconds;
  Vec<double> all(mine.size());
  int error = MPI_Allreduce(mine.data(), all.data(), int(mine.size()), MPI_DOUBLE, MPI_MAX, context.comm);
  double median[2];
  for (size_t which : {0, 1})
    summarize(all, which, schedule.measured[which], median[which]);
  size_t faster = 0;
  for (size_t i = 0; i + 1 < all.size(); i += 2)
    faster += all[i + 1] < all[i];
  // On a shared machine a lucky run says little, so the minimum, the median and most pairs of neighboring runs must be
  // better.
  schedule.decision = schedule.measured[1] < kClearly * schedule.measured[0] && median[1] < median[0] &&
                      double(faster) >= kMostPairs * double(all.size() / 2);
  mine.release();
  report(context, schedule, schedule.decision ? "replaced" : "original");
  return error;
}

} // namespace

int runSchedule(Context &context, Binding &binding, Original original, bool agreementInTime) {
  CompiledSchedule &schedule = *binding.schedule;
  if (schedule.decision > 0)
    return runAround(context, binding, original);
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
    error = which ? runAround(context, binding, original) : original.run(original.self);
  schedule.trialSeconds.push_back(now() - begin);
  if (++schedule.trialRuns == 2 * context.trials && error == MPI_SUCCESS)
    error = decide(context, schedule);
  return error;
}

} // namespace comm::cdag::run
