//===- Profile.h - What was measured of a call --------------------*- C++ -*-===//
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

/// What names a call of MPI in the program's source, alike in all compilations of it.
struct SiteName {
  /// The function that is called, as the program has it: MPI_Bcast.
  llvm::StringRef call;
  llvm::StringRef file;
  unsigned line = 0, column = 0;
  std::string inlinedAt;
};

/// What all runs together measured of a call. A duration without executions was not measured.
struct Measurement {
  int64_t executions = 0;
  Durations start, interval, wait, blocking;
  Bytes bytes;
  /// Of the largest run: processes, and the nodes that they were on (0: not known).
  int64_t ranks = 0, nodes = 0;
};

/// The reports of runs of one program, as one. The one place that says what was measured of a call.
class Profile {
public:
  /// Reads what `paths` names: files and folders (all that ends in .json), with commas between them. What cannot be
  /// read is left out, and `warn` told "file: cause".
  static std::shared_ptr<const Profile> load(llvm::StringRef paths, llvm::function_ref<void(const std::string &)> warn);

  /// What was measured of the call at that place: of this inlined copy, or, where none is of that name, of all of them.
  /// None if the line is not known, or the profile does not have it.
  std::optional<Measurement> lookup(const SiteName &name) const;

  /// Whether it has calls of that source file.
  bool hasFile(llvm::StringRef file) const { return !findFile(file).empty(); }
  bool empty() const { return sites.empty(); }

private:
  void add(const Report &report);
  /// The name that the profile has for a file: the same, or that of the only file of the same name in another folder.
  /// "" if there is none.
  llvm::StringRef findFile(llvm::StringRef file) const;

  struct Copy {
    std::string inlinedAt;
    Measurement measured;
  };
  /// By file, line, column and call.
  llvm::StringMap<llvm::SmallVector<Copy, 1>> sites;
  /// Files by their names without folders.
  llvm::StringMap<llvm::SmallVector<std::string, 1>> files;
};

} // namespace comm::report

#endif // COMM_REPORT_PROFILE_H
