//===- CallProfile.h - The profile of calls in LLVM IR ----------*- C++ -*-===//
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

/// The profile of MPI calls in LLVM IR; SiteProfile does the same for operations.
class CallProfile {
public:
  /// `paths` is in the format of report::Profile::load. `warn` receives errors as "file: cause".
  CallProfile(llvm::StringRef paths, llvm::function_ref<void(const std::string &)> warn);

  bool empty() const { return !profile || profile->empty(); }
  /// Returns what was measured of `call`, which calls `function`. A call that was never executed counts as measured.
  std::optional<report::Measurement> lookup(const llvm::CallBase &call, const mpi::Function &function) const;

  /// Reports calls in these functions that the profile should contain but does not: "x.c:12:3: warning: the profile
  /// does not know MPI_Bcast ...", limited to a few per file. `tell` receives whole lines.
  void findStale(llvm::ArrayRef<llvm::Function *> functions, llvm::function_ref<void(const std::string &)> tell) const;

private:
  std::shared_ptr<const report::Profile> profile;
};

} // namespace comm

#endif // COMM_PLUGIN_PROFILE_CALLPROFILE_H
