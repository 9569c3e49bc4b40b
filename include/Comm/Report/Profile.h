//===- Profile.h - Measurements of calls ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_REPORT_PROFILE_H
#define COMM_REPORT_PROFILE_H

#include "Comm/Report/Report.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <memory>

namespace comm::report {

/// Identifies an MPI call in the program's source, independently of the compilation.
struct SiteName {
  /// The name of the called function in the program: MPI_Bcast.
  llvm::StringRef call;
  llvm::StringRef file;
  unsigned line = 0, column = 0;
  std::string inlinedAt;
};

/// Measurements of a call over all runs. A duration without executions was not measured.
struct Measurement {
  int64_t executions = 0;
  Durations start, interval, wait, blocking;
  Bytes bytes;
  /// From the largest run: processes, and the nodes that they were on (0: not known).
  int64_t ranks = 0, nodes = 0;
};

/// The merged reports of all runs of a program. Single source of truth for measurements of calls.
class Profile {
public:
  /// Reads the files and folders (all files that end in .json) in the comma-separated list `paths`. Skips what it
  /// cannot read, and calls `warn` with "file: cause".
  static std::shared_ptr<const Profile> load(llvm::StringRef paths, llvm::function_ref<void(const std::string &)> warn);

  /// Returns the measurements of the call at that place: of this inlined copy or, if the profile does not have it, of
  /// all copies together. Returns nullopt if the line is unknown or the profile does not have it.
  std::optional<Measurement> lookup(const SiteName &name) const;

  /// Whether the profile has calls in that source file.
  bool hasFile(llvm::StringRef file) const { return !findFile(file).empty(); }
  bool empty() const { return sites.empty(); }

private:
  void add(const Report &report);
  /// Returns the profile's name for a file: the same name, or the only file with that name in another folder. Returns
  /// "" if there is none.
  llvm::StringRef findFile(llvm::StringRef file) const;

  struct Copy {
    std::string inlinedAt;
    Measurement measured;
  };
  /// By file, line, column and call.
  llvm::StringMap<llvm::SmallVector<Copy, 1>> sites;
  /// Files by base name.
  llvm::StringMap<llvm::SmallVector<std::string, 1>> files;
};

} // namespace comm::report

#endif // COMM_REPORT_PROFILE_H
