//===- SiteFacts.h - What measurements say of a call ---------------*- C++ -*-===//
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

/// What a nonblocking form costs more than the blocking one, in nanoseconds: at least and at most, as implementations
/// differ.
struct ExtraCost {
  uint64_t least, most;
};

/// What was measured of a call, as far as it tells what pays. Durations are nanoseconds of one call of the program, on
/// average.
class SiteFacts {
public:
  enum class Verdict { Unknown, Pays, Useless };
  struct Judgment {
    Verdict verdict = Verdict::Unknown;
    /// Of what is useless: "hides nothing: ...".
    std::string why;
  };

  /// None where the run says nothing of others: of one process, or of a collective on one node, where the program keeps
  /// it blocking anyway; and where the call was not executed. `function` is what the program calls.
  static std::optional<SiteFacts> make(const report::Measurement &measured, const mpi::Function &function);

  int64_t getExecutions() const { return measured.executions; }
  /// The blocking call: of all ranks, and of the rank for which it took longest.
  std::optional<uint64_t> getBlocking() const;
  std::optional<uint64_t> getLongestBlocking() const;
  /// Start and wait together.
  std::optional<uint64_t> getStarted() const;
  /// From the start to the wait: what there is to hide a message.
  std::optional<uint64_t> getInterval() const;
  std::optional<uint64_t> getLargestMessage() const;
  mpi::Transport getTransport() const { return measured.nodes > 1 ? mpi::Transport::Network : mpi::Transport::Shared; }

  /// From the measured tables, for the setting of the run. None if no implementation was measured.
  std::optional<ExtraCost> getExtraCost(llvm::ArrayRef<const mpi::ABI *> abis) const;

  /// Whether a start and a wait pay, as far as was measured.
  Judgment judge(const ExtraCost &extra) const;

private:
  SiteFacts(const report::Measurement &measured, const mpi::Function &function)
      : measured(measured), function(&function) {}
  /// How many operations a call becomes.
  int64_t getParts() const;

  report::Measurement measured;
  const mpi::Function *function;
};

} // namespace comm

#endif // COMM_ANALYSIS_PROFILE_SITEFACTS_H
