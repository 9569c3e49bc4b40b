//===- SiteProfile.h - The profile, asked about operations ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_PROFILE_SITEPROFILE_H
#define COMM_ANALYSIS_PROFILE_SITEPROFILE_H

#include "Comm/Analysis/Profile/SiteFacts.h"
#include "Comm/Dialect/Comm/IR/CommInterfaces.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {

/// What a profile says of the communications of a module: by where the program calls them, whatever passes made of the
/// calls. It is about time alone: no question of legality may be asked of it.
class SiteProfile {
public:
  /// `paths`: as report::Profile::load takes them. With `warns`, what cannot be read is a warning at the module.
  SiteProfile(mlir::ModuleOp module, llvm::StringRef paths, bool warns = true);

  /// None if nothing is known, which is never an error.
  std::optional<SiteFacts> lookup(MPIOpInterface op) const;

private:
  std::shared_ptr<const report::Profile> profile;
};

} // namespace comm

#endif // COMM_ANALYSIS_PROFILE_SITEPROFILE_H
