// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts the collectives of a schedule into the parts of their members.
#ifndef COMM_CDAGRUN_PARTCOLLECTIVES_H
#define COMM_CDAGRUN_PARTCOLLECTIVES_H

#include "Part.h"

namespace comm::cdag::run {

class CollectiveParts {
public:
  /// Returns false if an MPI call cannot perform one of them; `why` says which.
  bool build(const Graph &graph, const Schedule &schedule, const Vec<uint8_t> &immediate, char *why, size_t whySize);
  /// Appends the collectives of one process and everything they refer to.
  void partOf(Rank rank, Vec<CollectivePart> &collectives, Vec<Piece> &pieces, Vec<Rank> &members,
              Vec<uint64_t> &counts) const;
  /// Prints, for example, "bcast(4 ranks, 8 bytes); 2 x barrier(4 ranks)".
  void describe(const Schedule &schedule, const Graph &graph, char *text, size_t size) const;

private:
  struct Entry {
    Rank rank;
    uint32_t collective;
    uint32_t direction; ///< 0: out, 1: in
    Piece piece;
  };
  struct Common {
    CollectivePart part;
    uint32_t countsBegin, countsEnd; ///< into counts_
  };

  const char *buildMovement(const Schedule &schedule, uint32_t index);
  const char *buildReduction(const Schedule &schedule, uint32_t index);
  const char *finishRegular(uint32_t index, size_t begin);

  Vec<Entry> entries_; ///< sorted by all fields
  Vec<Common> common_;
  Vec<uint64_t> counts_;
  Vec<uint32_t> position_; ///< per process, in the current collective
  const Schedule *schedule_ = nullptr;
  const Graph *graph_ = nullptr;
};

} // namespace comm::cdag::run

#endif
