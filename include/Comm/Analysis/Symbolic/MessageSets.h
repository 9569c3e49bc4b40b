//===- MessageSets.h - Sets of messages between processes -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_SYMBOLIC_MESSAGESETS_H
#define COMM_ANALYSIS_SYMBOLIC_MESSAGESETS_H

#include "Comm/Analysis/Symbolic/SymbolicGraph.h"

namespace comm {

/// The messages of one event, independent of the loop around it: one to, or from, each of some processes.
struct MessageSet {
  enum class Peers {
    /// All processes, including this one.
    All,
    /// All processes except this one.
    Others,
    /// One process, `peer`.
    One,
    /// One process, `peer`, once per iteration of the loop.
    Steps
  };
  const SymbolicEvent *event = nullptr;
  Peers peers = Peers::One;
  Poly peer;
  /// For All and Others, in terms of Symbols::peer. For Steps, in terms of `iteration`.
  SymbolicAddress buffer;
  Poly count, tag;
  Atom iteration = 0;
  Poly trips;

  bool isSend() const { return event->kind == SymbolicEvent::Kind::Send; }
  bool isToMany() const { return peers == Peers::All || peers == Peers::Others; }
};

/// A copy of `bytes` bytes that each process of a class makes once.
struct OwnCopy {
  SymbolicAddress target, source;
  Poly bytes;
};

/// Returns the rank of a process of the class, as a number if the class is a single process.
Poly getSelf(const ProcessClass &processes);

/// Returns none and fills in the obstacle if the event is not such a set. The known facts must be those of the class.
std::optional<MessageSet> describeMessages(SymbolicGraph &graph, const ProcessClass &processes,
                                           const SymbolicEvent &event, Obstacle &obstacle);

/// Returns none unless each process is known to make the copy exactly once.
std::optional<OwnCopy> describeCopy(SymbolicGraph &graph, const ProcessClass &processes, const SymbolicEvent &event);

} // namespace comm

#endif // COMM_ANALYSIS_SYMBOLIC_MESSAGESETS_H
