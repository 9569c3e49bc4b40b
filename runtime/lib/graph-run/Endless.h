// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detection of sums that improve forever. If each step combines a vertex's value with that of an edge, a value that has
// come over as many edges as there are vertices has passed one vertex twice and was better the second time. Then there
// is a cycle with a negative sum (positive for maxima), and the program would run until the numbers overflow. The check
// costs one comparison for each waiting vertex.
#ifndef COMM_RUNTIME_GRAPH_RUN_ENDLESS_H
#define COMM_RUNTIME_GRAPH_RUN_ENDLESS_H

#include "Run.h"

#include <cmath>

namespace comm::graphrun {

class Endless {
public:
  /* `place` is the source location of the sum, or null if nothing is to be checked. Values are given such that less is
   * better. */
  Endless(comm_graph_run *run, bool isMax, const Values *steps, int64_t step, const char *place, bool knowsSteps)
      : run(run), steps(steps), step(step), isMax(isMax), knowsSteps(knowsSteps), place(place) {}

  void start(int64_t value) { first = std::min(first, value); }
  /* Returns this process's best start as a vote; the greatest vote counts. */
  double startVote() const { return first == INT64_MAX ? -INFINITY : -static_cast<double>(first); }
  /* Sets the best start of all processes. Values that are not better than it are not inspected further. */
  void setStart(double vote) {
    // Round towards a better value, so that only truly endless sums are reported.
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
  /* Checks a value that has come over this many edges, each of which starts at one of `count` vertices. */
  void lookAtLength(int64_t edges, int64_t count) const {
    if (place && edges >= count)
      stop();
  }
  /* Returns true if a value is better than any start, so that all processes must find the greatest step. */
  bool asks() const { return isBeyond && !isFinal; }
  bool asksFor(int64_t value) const { return value < limit && !isFinal; }

  /* Determines how good the value of a path without a cycle can be. Collective. */
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
    // Steps of INF, or steps that overflow after few edges.
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
