//===- CallProfile.h - The profile, asked about calls of LLVM IR ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_PROFILE_CALLPROFILE_H
#define COMM_PLUGIN_PROFILE_CALLPROFILE_H

#include "Comm/Analysis/Profile/SiteFacts.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace comm {

/// What a profile says of calls of MPI in LLVM IR: the same as SiteProfile of operations.
class CallProfile {
public:
  /// `paths`: as report::Profile::load takes them. `warn` gets what is wrong, as "file: cause".
  CallProfile(llvm::StringRef paths, llvm::function_ref<void(const std::string &)> warn);

  bool empty() const { return !profile || profile->empty(); }
  /// What was measured of the call, which calls `function` in the program. Not executed is measured, too.
  std::optional<report::Measurement> lookup(const llvm::CallBase &call, const mpi::Function &function) const;

  /// Tells of calls in these functions that the profile should have and does not: "x.c:12:3: warning: the profile does
  /// not know MPI_Bcast ...", a few of each file. `tell` gets whole lines.
  void findStale(llvm::ArrayRef<llvm::Function *> functions, llvm::function_ref<void(const std::string &)> tell) const;

private:
  std::shared_ptr<const report::Profile> profile;
};

} // namespace comm

#endif // COMM_PLUGIN_PROFILE_CALLPROFILE_H
