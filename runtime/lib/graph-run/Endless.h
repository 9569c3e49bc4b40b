// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums that get better without end. Where what is combined is a vertex' value
// plus that of an edge, a value that has come over as many edges as there are
// vertices has passed one vertex twice and been better the second time: there
// is a cycle of negative sum (of positive sum, for maxima), and the program
// would run until the numbers end. Costs a comparison for each vertex that
// waits.
#ifndef COMM_RUNTIME_GRAPH_RUN_ENDLESS_H
#define COMM_RUNTIME_GRAPH_RUN_ENDLESS_H

#include "Run.h"

#include <cmath>

namespace comm::graphrun {

class Endless {
public:
  /* `place`: of the sum; null where there is none, and nothing is looked at. Values are given such that less is
   * better. */
  Endless(comm_graph_run *run, bool isMax, const Values *steps, int64_t step, const char *place, bool knowsSteps)
      : run(run), steps(steps), step(step), isMax(isMax), knowsSteps(knowsSteps), place(place) {}

  void start(int64_t value) { first = std::min(first, value); }
  /* What a process tells the others of the start; the greatest one counts. */
  double startVote() const { return first == INT64_MAX ? -INFINITY : -static_cast<double>(first); }
  /* What is no better than the best start is not looked at any further. */
  void setStart(double vote) {
    // Rounded to a better one, so that nothing is called endless that is not.
    const double value = -std::nextafter(vote, INFINITY);
    if (!place || !knowsSteps || value < -0x1p62)
      return;
    first = limit = static_cast<int64_t>(std::min(value, 0x1p62));
  }

  void look(int64_t value) {
    if (value >= limit)
      return;
    if (isFinal)
      stop();
    isBeyond = true;
  }
  /* A value has come over so many edges, of which each starts at a vertex of the `count` ones. */
  void lookAtLength(int64_t edges, int64_t count) const {
    if (place && edges >= count)
      stop();
  }
  /* A value is better than any start: the greatest steps are to be found, by all processes. */
  bool asks() const { return isBeyond && !isFinal; }
  bool asksFor(int64_t value) const { return value < limit && !isFinal; }

  /* How good a path without a cycle can be. Collective. */
  void findLimit() {
    comm_reduce_votes votes = {};
    const double sign = isMax ? 1 : -1;
    votes.real_max[0] = steps ? 0 : std::max(0.0, sign * static_cast<double>(step));
    for (int64_t e = 0; steps && e < steps->owned; ++e)
      votes.real_max[0] = std::max(votes.real_max[0], sign * numberOf(steps->type, steps->at(e)));
    check(run, comm_reduce_vote(run->view.reduce, &votes), "comm_reduce_vote");
    isFinal = true;
    isBeyond = false;
    const double gain = std::ceil(votes.real_max[0]);
    // Steps of INF, or that take few edges to the end of the numbers.
    if (!(gain < INT32_MAX) ||
        __builtin_sub_overflow(first, static_cast<int64_t>(gain) * run->topology.vertices, &limit))
      limit = INT64_MIN;
  }

private:
  [[noreturn]] void stop() const {
    comm::graphrun::stop(run, place,
                         std::string("this never ends: the graph has a cycle along which the sum is ") +
                             (isMax ? "positive" : "negative"));
  }

  comm_graph_run *run;
  const Values *steps;
  int64_t step;
  bool isMax, knowsSteps;
  const char *place;
  int64_t first = INT64_MAX, limit = INT64_MIN;
  bool isBeyond = false, isFinal = false;
};

} // namespace comm::graphrun

#endif
