//===- MessageSets.h - Who exchanges which block with whom ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_SYMBOLIC_MESSAGESETS_H
#define COMM_ANALYSIS_SYMBOLIC_MESSAGESETS_H

#include "Comm/Analysis/Symbolic/SymbolicGraph.h"

namespace comm {

/// The messages of one event, without the loop that spelled them: one to, or from, each of some processes.
struct MessageSet {
  enum class Peers {
    /// All processes, itself included.
    All,
    /// All processes but itself.
    Others,
    /// One process, `peer`.
    One,
    /// One process, `peer`, as often as the loop has iterations.
    Steps
  };
  const SymbolicEvent *event = nullptr;
  Peers peers = Peers::One;
  Poly peer;
  /// All and Others: in terms of Symbols::peer. Steps: in terms of `iteration`.
  SymbolicAddress buffer;
  Poly count, tag;
  Atom iteration = 0;
  Poly trips;

  bool isSend() const { return event->kind == SymbolicEvent::Kind::Send; }
  bool isToMany() const { return peers == Peers::All || peers == Peers::Others; }
};

/// A copy that each process of a class makes once: `bytes` of them.
struct OwnCopy {
  SymbolicAddress target, source;
  Poly bytes;
};

/// The rank of a process of the class: a number if it is one process.
Poly getSelf(const ProcessClass &processes);

/// None, with the obstacle filled in, if the event is no such set. What is known must be that of the class.
std::optional<MessageSet> describeMessages(SymbolicGraph &graph, const ProcessClass &processes,
                                           const SymbolicEvent &event, Obstacle &obstacle);

/// None if each process does it several times, or never, as far as one can see.
std::optional<OwnCopy> describeCopy(SymbolicGraph &graph, const ProcessClass &processes, const SymbolicEvent &event);

} // namespace comm

#endif // COMM_ANALYSIS_SYMBOLIC_MESSAGESETS_H
