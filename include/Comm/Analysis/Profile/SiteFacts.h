//===- SiteFacts.h - Measurements of a call ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_PROFILE_SITEFACTS_H
#define COMM_ANALYSIS_PROFILE_SITEFACTS_H

#include "Comm/MPI/ABI.h"
#include "Comm/MPI/Standard.h"
#include "Comm/Report/Profile.h"

namespace comm {

/// The additional cost of a nonblocking form over the blocking one, in nanoseconds. A range, as implementations differ.
struct ExtraCost {
  uint64_t least, most;
};

/// Measurements of a call, as far as they indicate what pays off. Durations are in nanoseconds per call of the program,
/// averaged.
class SiteFacts {
public:
  enum class Verdict { Unknown, Pays, Useless };
  struct Judgment {
    Verdict verdict = Verdict::Unknown;
    /// For Verdict::Useless: "hides nothing: ...".
    std::string why;
  };

  /// Returns none if the call was not executed, or if the run is not representative: with one process, or for a
  /// collective on one node, where the program keeps it blocking anyway. `function` is the one that the program calls.
  static std::optional<SiteFacts> make(const report::Measurement &measured, const mpi::Function &function);

  int64_t getExecutions() const { return measured.executions; }
  /// The time of the blocking call: averaged over all ranks, and for the slowest rank.
  std::optional<uint64_t> getBlocking() const;
  std::optional<uint64_t> getLongestBlocking() const;
  /// The time of start and wait together.
  std::optional<uint64_t> getStarted() const;
  /// The time from the start to the wait, which can hide a message.
  std::optional<uint64_t> getInterval() const;
  std::optional<uint64_t> getLargestMessage() const;
  mpi::Transport getTransport() const { return measured.nodes > 1 ? mpi::Transport::Network : mpi::Transport::Shared; }

  /// Taken from the measured cost tables, for the setting of the run. None if no implementation was measured.
  std::optional<ExtraCost> getExtraCost(llvm::ArrayRef<const mpi::ABI *> abis) const;

  /// Judges whether a start and a wait pay off, as far as was measured.
  Judgment judge(const ExtraCost &extra) const;

private:
  SiteFacts(const report::Measurement &measured, const mpi::Function &function)
      : measured(measured), function(&function) {}
  /// The number of operations that a call becomes.
  int64_t getParts() const;

  report::Measurement measured;
  const mpi::Function *function;
};

} // namespace comm

#endif // COMM_ANALYSIS_PROFILE_SITEFACTS_H
